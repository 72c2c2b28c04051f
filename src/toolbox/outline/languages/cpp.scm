; In addition to what C has.
(namespace_definition name: (_) @name) @def.namespace
(class_specifier name: (_) @name body: (_)) @def.class
(concept_definition name: (_) @name) @def.concept
(alias_declaration name: (_) @name) @def.type
(function_definition declarator: (function_declarator declarator: [(field_identifier) (qualified_identifier) (destructor_name) (operator_name)] @name)) @def.function
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name))) @def.function
(function_definition declarator: (pointer_declarator (function_declarator declarator: [(field_identifier) (qualified_identifier) (operator_name)] @name))) @def.function
(declaration declarator: (function_declarator declarator: [(destructor_name) (operator_name)] @name)) @def.function
(field_declaration declarator: (function_declarator declarator: (_) @name)) @def.method
(field_declaration declarator: (reference_declarator (function_declarator declarator: (_) @name))) @def.method
(field_declaration declarator: (pointer_declarator (function_declarator declarator: (_) @name))) @def.method
