(rule_set (selectors) @name (block) @body) @def.rule
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @def.keyframes
((declaration (property_name) @name) @def.variable (#match? @name "^--"))
