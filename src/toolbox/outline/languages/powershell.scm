(function_statement (function_name) @name (script_block) @body) @def.function
(class_statement . (simple_name) @name) @def.class
(class_property_definition (variable) @name) @def.field
(class_method_definition (simple_name) @name (script_block)? @body) @def.method
(enum_statement . (simple_name) @name) @def.enum
(enum_member (simple_name) @name) @def.member
