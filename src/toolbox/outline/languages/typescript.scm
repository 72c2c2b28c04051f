; Also of TSX.
(function_declaration name: (_) @name) @def.function
(generator_function_declaration name: (_) @name) @def.function
(function_signature name: (_) @name) @def.function
(class_declaration name: (_) @name) @def.class
(abstract_class_declaration name: (_) @name) @def.class
(interface_declaration name: (_) @name) @def.interface
(type_alias_declaration name: (_) @name) @def.type
(enum_declaration name: (_) @name) @def.enum
(internal_module name: (_) @name) @def.namespace
(module name: (_) @name) @def.namespace
(method_definition name: (_) @name) @def.method
(abstract_method_signature name: (_) @name) @def.method
(interface_body (method_signature name: (_) @name) @def.method)
(class_body (method_signature name: (_) @name) @def.method)
(public_field_definition name: (_) @name) @def.field
(interface_body (property_signature name: (_) @name) @def.field)
(lexical_declaration (variable_declarator name: (identifier) @name value: (arrow_function body: (_) @body))) @def.function
(lexical_declaration (variable_declarator name: (identifier) @name value: (function_expression body: (_) @body))) @def.function
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @def.constant)
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name)) @def.constant)
(enum_body (property_identifier) @name @def.member)
(enum_assignment name: (_) @name) @def.member
