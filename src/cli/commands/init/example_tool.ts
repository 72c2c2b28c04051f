/** The first tool file of a project. JSON has no comments, so its descriptions say what each part is for. */
export const EXAMPLE_TOOL_TEXT = `{
  "$schema": "../schema/mtdf.schema.json",
  "name": "hello",
  "description": "An example to change: one file describes one program, and each subcommand becomes one tool.",
  "command": "echo",
  "synchronous": true,
  "timeout_seconds": 10,
  "install_instructions": "Shown if the program is missing. echo comes with every system.",
  "subcommand": [
    {
      "name": "greet",
      "description": "Greet a person. The agent sees this tool as hello_greet and chooses it by this text.",
      "argv": ["Hello,"],
      "options": [
        {
          "name": "-n",
          "type": "boolean",
          "description": "An option is a flag, here one without a value: the line ends without a line feed."
        }
      ],
      "positional_args": [
        {
          "name": "who",
          "type": "string",
          "required": true,
          "description": "A positional argument has no flag. It reaches the program as one word, whatever it holds."
        }
      ]
    }
  ]
}
`;
