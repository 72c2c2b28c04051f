(class_declaration name: (_) @name) @def.class
(interface_declaration name: (_) @name) @def.interface
(enum_declaration name: (_) @name) @def.enum
(enum_constant name: (_) @name) @def.member
(record_declaration name: (_) @name) @def.record
(annotation_type_declaration name: (_) @name) @def.annotation
(annotation_type_element_declaration name: (_) @name) @def.method
(constructor_declaration name: (_) @name) @def.constructor
(method_declaration name: (_) @name) @def.method
(field_declaration declarator: (variable_declarator name: (_) @name)) @def.field
