(function_declaration name: (_) @name) @def.function
(generator_function_declaration name: (_) @name) @def.function
(class_declaration name: (_) @name) @def.class
(class_body (method_definition name: (_) @name) @def.method)
(field_definition property: (_) @name) @def.field
(lexical_declaration (variable_declarator name: (identifier) @name value: (arrow_function body: (_) @body))) @def.function
(lexical_declaration (variable_declarator name: (identifier) @name value: (function_expression body: (_) @body))) @def.function
(variable_declaration (variable_declarator name: (identifier) @name value: (function_expression body: (_) @body))) @def.function
(assignment_expression left: (member_expression property: (_) @name) right: (arrow_function body: (_) @body)) @def.function
(assignment_expression left: (member_expression property: (_) @name) right: (function_expression body: (_) @body)) @def.function
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @def.constant)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @def.constant)
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name)) @def.constant)
