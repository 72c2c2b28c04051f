(namespace_declaration name: (_) @name) @def.namespace
(class_declaration name: (_) @name) @def.class
(interface_declaration name: (_) @name) @def.interface
(struct_declaration name: (_) @name) @def.struct
(record_declaration name: (_) @name) @def.record
(enum_declaration name: (_) @name) @def.enum
(enum_member_declaration name: (_) @name) @def.member
(delegate_declaration name: (_) @name) @def.delegate
(constructor_declaration name: (_) @name) @def.constructor
(method_declaration name: (_) @name) @def.method
(property_declaration name: (_) @name accessors: (_)? @body) @def.property
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @def.field
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @def.event
