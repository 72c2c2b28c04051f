(function_declaration name: (_) @name) @def.function
(method_declaration name: (_) @name) @def.method
(type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @def.struct
(type_spec name: (_) @name type: (interface_type)) @def.interface
(type_spec name: (_) @name) @def.type
(type_alias name: (_) @name) @def.type
(field_declaration name: (field_identifier) @name) @def.field
(method_elem name: (_) @name) @def.method
(source_file (const_declaration (const_spec name: (identifier) @name) @def.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @def.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @def.variable)))
