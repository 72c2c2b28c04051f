import type { Mutation } from "./mutation.ts";

/** What the format allows and the tool could not do. */
export const MEANING: readonly Mutation[] = [
  {
    what: "a pattern that is no regular expression",
    from: '"^[a-z]+$"',
    to: '"^[a-z+$"',
    says: [
      '25:67: error: Pattern of argument "label" is not a valid regular expression: correct it (/subcommand/0/options/2/pattern)',
    ],
  },
  {
    what: "a pattern of another dialect",
    from: '"^[a-z]+$"',
    to: '"(?i)label"',
    says: [
      '25:67: error: Pattern of argument "label" is not a valid regular expression: correct it (/subcommand/0/options/2/pattern)',
    ],
  },
  {
    what: "a default outside the enum",
    from: '"default": "safe"',
    to: '"default": "sure"',
    says: [
      '24:86: error: Default of argument "mode" is "sure", expected one of "fast", "safe" (/subcommand/0/options/1/default)',
    ],
  },
  {
    what: "a default of another type",
    from: '"default": 5',
    to: '"default": "5"',
    says: [
      '23:113: error: Default of argument "level" is "5", expected a whole number from 1 up to 9 (not in quotes) (/subcommand/0/options/0/default)',
    ],
  },
  {
    what: "a default above the maximum",
    from: '"default": 5',
    to: '"default": 12',
    says: [
      '23:113: error: Default of argument "level" is 12, expected a whole number from 1 up to 9 (not in quotes) (/subcommand/0/options/0/default)',
    ],
  },
  {
    what: "a default that is no whole number",
    from: '"default": 5',
    to: '"default": 5.5',
    says: [
      '23:113: error: Default of argument "level" is 5.5, expected a whole number from 1 up to 9 (not in quotes) (/subcommand/0/options/0/default)',
    ],
  },
  {
    what: "a minimum above the maximum",
    from: '"minimum": 1',
    to: '"minimum": 10',
    says: [
      '23:85: error: "minimum" of argument "level" is above its "maximum": no value fits (/subcommand/0/options/0/minimum)',
      '23:114: error: Default of argument "level" is 5, expected a whole number from 10 up to 9 (not in quotes) (/subcommand/0/options/0/default)',
    ],
  },
  {
    what: "an enum of another type",
    from: '"enum": ["fast", "safe"], "default": "safe"',
    to: '"enum": ["fast", 1]',
    says: ['24:57: error: Value 1 in "enum" of argument "mode" is not of type string (/subcommand/0/options/1/enum)'],
  },
  {
    what: "an enum for an integer that is text",
    from: '"type": "integer", "description": "How much", "minimum": 1, "maximum": 9, "default": 5',
    to: '"type": "integer", "description": "How much", "enum": ["1"]',
    says: [
      '23:82: error: Value "1" in "enum" of argument "level" is not of type integer (/subcommand/0/options/0/enum)',
    ],
  },
  {
    what: "a minimum on a text",
    from: '"pattern": "^[a-z]+$"',
    to: '"minimum": 1',
    legal: "it cannot do harm, and the author is told that it does nothing",
    says: [
      '25:67: warning: "minimum" of argument "label" has no effect: its type is string (/subcommand/0/options/2/minimum)',
    ],
  },
  {
    what: "a pattern on an integer",
    from: '"minimum": 1',
    to: '"pattern": "1"',
    legal: "it cannot do harm, and the author is told that it does nothing",
    says: [
      '23:85: warning: "pattern" of argument "level" has no effect: its type is integer (/subcommand/0/options/0/pattern)',
    ],
  },
  {
    what: "a required argument after an optional one",
    from: '"description": "Where to put it"',
    to: '"description": "Where to put it"  },\n        { "name": "last", "required": true',
    says: [
      '34:9: error: Required positional argument "last" comes after the optional one "place": put it first (/subcommand/0/positional_args/2)',
    ],
  },
  {
    what: "required and a default",
    from: '"default": "safe"',
    to: '"default": "safe", "required": true',
    legal: "the default fills the gap, so a call without it is complete",
    says: [
      '24:86: warning: Argument "mode" is required and has a default: it is never missing (/subcommand/0/options/1/default)',
    ],
  },
  {
    what: "a positional flag",
    from: '{ "name": "place",',
    to: '{ "name": "place", "type": "boolean",',
    says: [
      '33:36: error: Positional argument "place" is a boolean: move it to "options", it is a flag (/subcommand/0/positional_args/1/type)',
    ],
  },
  {
    what: "an option declared twice",
    from: '"name": "label"',
    to: '"name": "mode"',
    says: ['25:19: error: Argument "mode" is declared twice: rename one (/subcommand/0/options/2/name)'],
  },
  {
    what: "an option named like a positional argument",
    from: '"name": "label"',
    to: '"name": "place"',
    says: ['33:19: error: Argument "place" is declared twice: rename one (/subcommand/0/positional_args/1/name)'],
  },
  {
    what: "one alias for two options",
    from: '"alias": "v"',
    to: '"alias": "n"',
    legal: "a program may take one flag in two meanings, and one flag may need two descriptions",
    says: ['29:58: warning: Alias "n" is used twice: correct one of them (/subcommand/0/options/6/alias)'],
  },
  {
    what: "a file argument that is a list",
    from: '"file_arg": true, "file_flag": "-F"',
    to: '"type": "array", "file_arg": true',
    says: [
      '27:95: error: Argument "note" is passed in a file and is of type array: make it a string (/subcommand/0/options/4/file_arg)',
    ],
  },
  {
    what: "a file argument in a variable",
    from: '"file_flag": "-F"',
    to: '"env": "NOTE"',
    says: [
      '27:91: error: Argument "note" is passed in a file and in a variable: choose one (/subcommand/0/options/4/env)',
    ],
  },
  {
    what: "a file flag without a file argument",
    from: '"file_arg": true, "file_flag": "-F"',
    to: '"file_flag": "-F"',
    legal: "the option still works with its own flag",
    says: [
      '27:79: warning: "file_flag" of Argument "note" has no effect: add "file_arg": true (/subcommand/0/options/4/file_flag)',
    ],
  },
  {
    what: "a list in a variable",
    from: '"env": "STORE_TOKEN"',
    to: '"type": "array", "env": "STORE_TOKEN"',
    says: [
      '28:79: error: Argument "token" is a list and passed in a variable: make it a string (/subcommand/0/options/5/env)',
    ],
  },
  {
    what: "-- before options",
    from: '"end_of_options": true',
    to: '"end_of_options": true,\n      "positional_args_first": true',
    says: [
      '35:25: error: "end_of_options" cannot go with "positional_args_first": options after -- would be arguments (/subcommand/0/end_of_options)',
    ],
  },
  {
    what: "a maximum on a path",
    from: '"format": "path"',
    to: '"maximum": 3',
    legal: "it cannot do harm, and the author is told that it does nothing",
    says: [
      '32:88: warning: "maximum" of argument "source" has no effect: its type is string (/subcommand/0/positional_args/0/maximum)',
    ],
  },
  {
    what: "a path name without its format",
    from: '"name": "place"',
    to: '"name": "target-file"',
    legal: "only the author knows whether it names a path; the kernel holds either way",
    says: [
      '33:9: warning: Argument "target-file" looks like a path: add "format": "path" (/subcommand/0/positional_args/1)',
    ],
  },
  {
    what: "a synchronous subcommand that promises otherwise",
    from: '"Lists the store."',
    to: '"Lists the store asynchronously."',
    says: [
      '39:22: error: "description" promises asynchronous work and the leaf is synchronous: change one of them (/subcommand/1/description)',
    ],
  },
  {
    what: "a background subcommand that does not say so",
    from: '"Adds one. Runs in the background."',
    to: '"Adds one."',
    legal: "the guidance on background work is added to every such description (T13)",
    says: [
      '48:41: warning: "description" does not say that the command runs in the background: say so, or set "synchronous": true (/subcommand/2/subcommand/0/description)',
    ],
  },
  {
    what: "two words for synchronous",
    from: '"allow_args": true',
    to: '"allow_args": true,\n      "force_synchronous": false',
    legal: "the newer word counts",
    says: [
      '43:28: warning: "force_synchronous" has no effect next to "synchronous": remove it (/subcommand/1/force_synchronous)',
    ],
  },
  {
    what: "options beside subcommands",
    from: '"description": "Stores elsewhere.",',
    to: '"description": "Stores elsewhere.",\n      "options": [{ "name": "x" }],',
    legal: "a group is no tool, so its options belong to no tool; everything below it works",
    says: [
      '47:18: warning: "options" has no effect next to "subcommand": move it into a subcommand "default" (/subcommand/2/options)',
    ],
  },
  {
    what: "a subcommand twice",
    from: '"name": "list",',
    to: '"name": "put",',
    says: ['37:5: error: MCP tool name "store_put" occurs twice in this file: rename a subcommand (/subcommand/1)'],
  },
  {
    what: "two subcommands with one MCP name",
    from: '"name": "list",',
    to: '"name": "remote_add",',
    says: [
      '48:9: error: MCP tool name "store_remote_add" occurs twice in this file: rename a subcommand (/subcommand/2/subcommand/0)',
    ],
  },
  {
    what: "an underscore in a subcommand name",
    from: '"name": "add"',
    to: '"name": "add_one"',
    legal: "some programs have such words",
    says: [
      '48:19: warning: Subcommand name "add_one" holds "_" and reaches the program as one word: if several are meant, add "argv": ["add","one"] (/subcommand/2/subcommand/0/name)',
    ],
  },
  {
    what: "a name reserved for Ahma",
    from: '"name": "store",',
    to: '"name": "await",',
    says: ['3:11: error: Tool name "await" is reserved for Ahma\'s own tool: rename it (/name)'],
  },
  {
    what: "a name that is too long",
    from: '"name": "add"',
    to: '"name": "llllllllllllllllllllllllllllllllllllllllllllllllllllllllllll"',
    says: [
      '48:9: error: MCP tool name "store_remote_llllllllllllllllllllllllllllllllllllllllllllllllllllllllllll" has 73 characters, and clients cut or drop names over 64: shorten it (/subcommand/2/subcommand/0)',
    ],
  },
  {
    what: "a name that some clients cut",
    from: '"name": "add"',
    to: '"name": "llllllllllllllllllllllllllllllllllllllll"',
    legal: "most clients take up to 64 characters (T5)",
    says: [
      '48:9: warning: MCP tool name "store_remote_llllllllllllllllllllllllllllllllllllllll" has over 45 characters, some clients put a prefix before it and cut at 64: shorten it (/subcommand/2/subcommand/0)',
    ],
  },
  {
    what: "a step with a misspelt subcommand",
    from: '"subcommand": "list"',
    to: '"subcommand": "lsit"',
    says: [
      '58:42: error: Step 1 of "store_all" has no target: Cannot call "store": subcommand "lsit" does not exist; did you mean "list"? expected one of put, list, remote_add, remote, all (/subcommand/3/sequence/1/subcommand)',
    ],
  },
  {
    what: "a step with a misspelt tool",
    from: '"tool": "store", "subcommand": "list"',
    to: '"tool": "stor", "subcommand": "list"',
    says: [
      '58:19: error: Step 1 of "store_all" has no target: Cannot call "stor": there is no such tool; did you mean "store"? (/subcommand/3/sequence/1/tool)',
    ],
  },
  {
    what: "a step that runs its own sequence",
    from: '"subcommand": "list"',
    to: '"subcommand": "all"',
    says: [
      '58:9: error: Step 1 of "store_all" forms a cycle: store_all > store_all: remove one of these steps (/subcommand/3/sequence/1)',
    ],
  },
  {
    what: "a step with an argument its target does not have",
    from: '{ "source": "a" }',
    to: '{ "sourc": "a" }',
    legal: "the other tools of the file work; the sequence says the same at every call",
    says: [
      '57:57: warning: "store_put" refuses this step: argument "source" is missing, expected a text (/subcommand/3/sequence/0/args)',
      '57:59: warning: "store_put" refuses this step: argument "sourc" is unknown; did you mean "source"? (/subcommand/3/sequence/0/args/sourc)',
    ],
  },
  {
    what: "a step with an argument of the wrong type",
    from: '{ "source": "a" }',
    to: '{ "source": "a", "level": "5" }',
    legal: "the other tools of the file work; the sequence says the same at every call",
    says: [
      '57:83: warning: "store_put" refuses this step: argument "level" is "5", expected a whole number from 1 up to 9 (not in quotes) (/subcommand/3/sequence/0/args/level)',
    ],
  },
  {
    what: "a step without a required argument",
    from: '{ "source": "a" }',
    to: "{}",
    legal: "the other tools of the file work; the sequence says the same at every call",
    says: [
      '57:9: warning: "store_put" refuses this step: argument "source" is missing, expected a text (/subcommand/3/sequence/0)',
    ],
  },
  {
    what: "a shell step without a command",
    from: '{ "tool": "store", "subcommand": "list", ',
    to: '{ "tool": "sandboxed_shell", ',
    legal: "the other tools of the file work; the sequence says the same at every call",
    says: [
      '58:9: warning: "sandboxed_shell" refuses this step: give it "args": { "command": "a shell line" } (/subcommand/3/sequence/1)',
    ],
  },
  {
    what: "a sequence with options of its own",
    from: '"step_delay_ms": 50,',
    to: '"step_delay_ms": 50,\n      "options": [{ "name": "x" }],',
    legal: "the steps work; the options reach none of them",
    says: [
      '56:18: warning: "options" has no effect next to "sequence": a step takes what its own "args" say (/subcommand/3/options)',
    ],
  },
  {
    what: "a tool that is a sequence without steps",
    from: '"store-it"',
    to: '"sequence"',
    says: [
      '16:5: error: "sequence" is missing: a tool whose command is "sequence" needs its steps (/subcommand/0)',
      '37:5: error: "sequence" is missing: a tool whose command is "sequence" needs its steps (/subcommand/1)',
      '48:9: error: "sequence" is missing: a tool whose command is "sequence" needs its steps (/subcommand/2/subcommand/0)',
      '49:9: error: "sequence" is missing: a tool whose command is "sequence" needs its steps (/subcommand/2/subcommand/1)',
    ],
  },
  {
    what: "nine levels of subcommands",
    rewrite: (good) =>
      good.replace(
        '{ "name": "add",',
        `${'{ "name": "a", "subcommand": ['.repeat(9)}{ "name": "a" }${"] }".repeat(9)}, { "name": "add",`,
      ),
    says: ["15:17: error: Subcommands are nested more than 8 deep: flatten them (/subcommand)"],
  },
  {
    what: "a field of another program's files",
    from: '"enabled": true,',
    to: '"enabled": true,\n  "tool_type": "command",',
    legal: "such files are taken as far as they mean something here",
    says: ['7:3: warning: Field "tool_type" has no effect here: remove it (/tool_type)'],
  },
];
