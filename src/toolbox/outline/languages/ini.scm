(section (section_name (text) @name)) @def.section
