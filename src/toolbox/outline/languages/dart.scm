(class_definition name: (_) @name) @def.class
(mixin_declaration (identifier) @name (class_body) @body) @def.mixin
(extension_declaration name: (_) @name) @def.extension
(enum_declaration name: (_) @name) @def.enum
(enum_constant name: (_) @name) @def.member
(type_alias . (type_identifier) @name) @def.type
((method_signature (function_signature name: (_) @name)) @def.method . (function_body)? @body)
((method_signature (getter_signature name: (_) @name)) @def.method . (function_body)? @body)
((method_signature (setter_signature name: (_) @name)) @def.method . (function_body)? @body)
((method_signature (constructor_signature name: (_) @name)) @def.constructor . (function_body)? @body)
(declaration (constructor_signature name: (_) @name)) @def.constructor
(declaration (function_signature name: (_) @name)) @def.method
(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name))) @def.field
(program (function_signature name: (_) @name) @def.function . (function_body)? @body)
(program (static_final_declaration_list (static_final_declaration . (identifier) @name)) @def.constant)
