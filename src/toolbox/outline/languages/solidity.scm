(contract_declaration name: (_) @name) @def.contract
(interface_declaration name: (_) @name) @def.interface
(library_declaration name: (_) @name) @def.library
(struct_declaration name: (_) @name) @def.struct
(enum_declaration name: (_) @name) @def.enum
(event_definition name: (_) @name) @def.event
(error_declaration name: (_) @name) @def.error
(modifier_definition name: (_) @name) @def.modifier
(function_definition name: (_) @name) @def.function
(state_variable_declaration name: (_) @name) @def.field
(constructor_definition "constructor" @name) @def.constructor
