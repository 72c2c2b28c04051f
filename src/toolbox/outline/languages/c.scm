(function_definition declarator: (function_declarator declarator: (identifier) @name)) @def.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @def.function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @def.function
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @def.function
(struct_specifier name: (_) @name body: (_)) @def.struct
(union_specifier name: (_) @name body: (_)) @def.union
(enum_specifier name: (_) @name body: (_)) @def.enum
(enumerator name: (_) @name) @def.member
(type_definition declarator: (type_identifier) @name) @def.type
(field_declaration declarator: (field_identifier) @name) @def.field
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @name)) @def.field
(field_declaration declarator: (array_declarator declarator: (field_identifier) @name)) @def.field
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @def.variable)
(preproc_def name: (_) @name) @def.macro
(preproc_function_def name: (_) @name value: (_)? @body) @def.macro
