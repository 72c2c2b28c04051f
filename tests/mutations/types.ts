import type { Mutation } from "./mutation.ts";

/** Values of another type, one at a time. */
export const TYPES: readonly Mutation[] = [
  {
    what: "a text where a number stands",
    from: '"timeout_seconds": 60',
    to: '"timeout_seconds": "60"',
    says: ['7:22: error: "timeout_seconds" is "60", expected a number (/timeout_seconds)'],
  },
  {
    what: "a number where a text stands",
    from: '"install_instructions": "Install store-it"',
    to: '"install_instructions": 7',
    says: ['13:27: error: "install_instructions" is 7, expected a text (/install_instructions)'],
  },
  {
    what: "a text where true or false stands",
    from: '"end_of_options": true',
    to: '"end_of_options": "true"',
    says: ['35:25: error: "end_of_options" is "true", expected true or false (/subcommand/0/end_of_options)'],
  },
  {
    what: "a number where true or false stands",
    from: '"file_arg": true',
    to: '"file_arg": 1',
    says: ['27:78: error: "file_arg" is 1, expected true or false (/subcommand/0/options/4/file_arg)'],
  },
  {
    what: "null where a text must stand",
    from: '"name": "label"',
    to: '"name": null',
    says: ['25:19: error: "name" is null, expected a text (/subcommand/0/options/2/name)'],
  },
  {
    what: "an object where a list stands",
    from:
      '"positional_args": [\n        { "name": "source", "description": "What to put", "required": true, "format": "path" },\n        { "name": "place", "description": "Where to put it" }\n      ]',
    to: '"positional_args": { "name": "source" }',
    says: ['31:26: error: "positional_args" is an object, expected a list (/subcommand/0/positional_args)'],
  },
  {
    what: "a text where a list stands",
    from: '["ls", "--plain"]',
    to: '"ls --plain"',
    says: ['41:15: error: "argv" is "ls --plain", expected a list (/subcommand/1/argv)'],
  },
  {
    what: "a list where an object stands",
    from: '"items": { "type": "string" }',
    to: '"items": ["string"]',
    says: ['26:76: error: "items" is a list, expected an object (/subcommand/0/options/3/items)'],
  },
  {
    what: "a text where an object stands",
    from: '{ "default": "Think." }',
    to: '"Think."',
    says: ['14:46: error: "custom" is "Think.", expected an object (/hints/custom)'],
  },
  {
    what: "a number in a list of texts",
    from: '["ls", "--plain"]',
    to: '["ls", 1]',
    says: ['41:22: error: Element 1 of "argv" is 1, expected a text (/subcommand/1/argv/1)'],
  },
  {
    what: "a text in a list of numbers",
    from: "[75]",
    to: '["75"]',
    says: [
      '21:65: error: Element 0 of "on_exit_codes" is "75", expected a number (/subcommand/0/retry/on_exit_codes/0)',
    ],
  },
  {
    what: "a fraction where a whole number stands",
    from: '"step_delay_ms": 50',
    to: '"step_delay_ms": 0.5',
    says: ['55:24: error: "step_delay_ms" is 0.5, expected a whole number (/subcommand/3/step_delay_ms)'],
  },
  {
    what: "a list as the name",
    from: '"name": "store",',
    to: '"name": ["store"],',
    says: ['3:11: error: "name" is a list, expected a text (/name)'],
  },
  {
    what: "a list as arguments of a step",
    from: '{ "source": "a" }',
    to: '["a"]',
    says: ['57:57: error: "args" is a list, expected an object (/subcommand/3/sequence/0/args)'],
  },
  {
    what: "an object as default",
    from: '"default": 5',
    to: '"default": { "value": 5 }',
    says: [
      '23:113: error: "default" is an object, expected a text or a number or true or false or a list (/subcommand/0/options/0/default)',
    ],
  },
  {
    what: "a text in the place of a subcommand",
    from: '{ "name": "add", "description": "Adds one. Runs in the background." }',
    to: '"add"',
    says: ['48:9: error: Element 0 of "subcommand" is "add", expected an object (/subcommand/2/subcommand/0)'],
  },
  {
    what: "a hint that is no text",
    from: '"put": "Look first."',
    to: '"put": true',
    says: ['14:21: error: "put" is true, expected a text (/hints/put)'],
  },
];
