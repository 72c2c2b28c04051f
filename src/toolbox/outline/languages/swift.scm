(class_declaration name: (_) @name) @def.class
(protocol_declaration name: (_) @name) @def.protocol
(function_declaration name: (simple_identifier) @name) @def.function
(protocol_function_declaration name: (simple_identifier) @name) @def.method
(class_body (property_declaration name: (pattern (simple_identifier) @name)) @def.field)
(source_file (property_declaration name: (pattern (simple_identifier) @name)) @def.constant)
(typealias_declaration . (modifiers)? . name: (type_identifier) @name) @def.type
(enum_entry name: (simple_identifier) @name) @def.member
(init_declaration "init" @name) @def.constructor
