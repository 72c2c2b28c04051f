(function_definition name: (_) @name) @def.function
(program (variable_assignment name: (variable_name) @name) @def.variable)
