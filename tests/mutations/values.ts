import type { Mutation } from "./mutation.ts";

/** Values of the right type that cannot be. */
export const VALUES: readonly Mutation[] = [
  {
    what: "a type of another language",
    from: '"type": "integer"',
    to: '"type": "int"',
    says: [
      '23:36: error: "type" is "int", expected one of "string", "boolean", "integer", "number", "array"; did you mean "integer"? (/subcommand/0/options/0/type)',
    ],
  },
  {
    what: "a misspelt type",
    from: '"type": "boolean"',
    to: '"type": "boolaen"',
    says: [
      '29:38: error: "type" is "boolaen", expected one of "string", "boolean", "integer", "number", "array"; did you mean "boolean"? (/subcommand/0/options/6/type)',
    ],
  },
  {
    what: "an unknown type of items",
    from: '"items": { "type": "string" }',
    to: '"items": { "type": "boolean" }',
    says: [
      '26:86: error: "type" is "boolean", expected one of "string", "integer", "number" (/subcommand/0/options/3/items/type)',
    ],
  },
  {
    what: "an unknown concurrency",
    from: '"exclusive"',
    to: '"exclusiv"',
    says: [
      '20:22: error: "concurrency" is "exclusiv", expected one of "shared", "exclusive"; did you mean "exclusive"? (/subcommand/0/concurrency)',
    ],
  },
  {
    what: "an unknown format",
    from: '"format": "path"',
    to: '"format": "paths"',
    legal: "files for other programs have formats of their own; the value is then plain text",
    says: [
      '32:87: warning: Format "paths" of argument "source" is unknown: treated as plain text; did you mean "path"? (/subcommand/0/positional_args/0/format)',
    ],
  },
  {
    what: "a timeout of zero",
    from: '"timeout_seconds": 60',
    to: '"timeout_seconds": 0',
    says: ['7:22: error: "timeout_seconds" is 0, expected more than 0 (/timeout_seconds)'],
  },
  {
    what: "a negative timeout",
    from: '"timeout_seconds": 60',
    to: '"timeout_seconds": -1',
    says: ['7:22: error: "timeout_seconds" is -1, expected more than 0 (/timeout_seconds)'],
  },
  {
    what: "a timeout of two days",
    from: '"timeout_seconds": 60',
    to: '"timeout_seconds": 172800',
    says: ['7:22: error: "timeout_seconds" is 172800, expected at most 86400 (/timeout_seconds)'],
  },
  {
    what: "a timeout no computer can count",
    from: '"timeout_seconds": 60',
    to: '"timeout_seconds": 1e999',
    says: ['7:22: error: "timeout_seconds" is too large a number: give a smaller one (/timeout_seconds)'],
  },
  {
    what: "too many retries",
    from: '"max": 2',
    to: '"max": 1000',
    says: ['21:25: error: "max" is 1000, expected at most 10 (/subcommand/0/retry/max)'],
  },
  {
    what: "a delay that is too long",
    from: '"step_delay_ms": 50',
    to: '"step_delay_ms": 9007199254740993',
    says: ['55:24: error: "step_delay_ms" is 9007199254740992, expected at most 600000 (/subcommand/3/step_delay_ms)'],
  },
  {
    what: "an empty name of the tool",
    from: '"name": "store",',
    to: '"name": "",',
    says: [
      '3:11: error: "name" is "": a name holds letters, digits, "_" and "-" only; words that differ from it go into "argv" (/name)',
    ],
  },
  {
    what: "an empty name of a subcommand",
    from: '"name": "list"',
    to: '"name": ""',
    says: [
      '38:15: error: "name" is "": a name holds letters, digits, "_" and "-" only; words that differ from it go into "argv" (/subcommand/1/name)',
    ],
  },
  {
    what: "an empty name of an option",
    from: '"name": "label"',
    to: '"name": ""',
    says: [
      '25:19: error: "name" is "": an argument name holds no space, no = and no NUL (/subcommand/0/options/2/name)',
    ],
  },
  {
    what: "an empty command",
    from: '"store-it"',
    to: '""',
    says: ['5:14: error: "command" is "": a command names a program and holds no NUL (/command)'],
  },
  {
    what: "a blank command",
    from: '"store-it"',
    to: '"  "',
    says: ['5:14: error: "command" is "  ": a command names a program and holds no NUL (/command)'],
  },
  {
    what: "an empty description",
    from: '"Lists the store."',
    to: '""',
    legal: "the same as none",
    says: [
      '39:22: warning: "description" is missing: a model chooses the tool by it, add one (/subcommand/1/description)',
    ],
  },
  {
    what: "an empty enum",
    from: '["fast", "safe"]',
    to: "[]",
    says: ['24:57: error: "enum" is of length 0, expected at least 1 (/subcommand/0/options/1/enum)'],
  },
  {
    what: "an empty sequence",
    rewrite: (good) => good.replace(/"sequence": \[[^]*?\n {6}\]/, '"sequence": []'),
    says: ['56:19: error: "sequence" is of length 0, expected at least 1 (/subcommand/3/sequence)'],
  },
  {
    what: "a name with a space",
    from: '"name": "store",',
    to: '"name": "my store",',
    says: [
      '3:11: error: "name" is "my store": a name holds letters, digits, "_" and "-" only; words that differ from it go into "argv" (/name)',
    ],
  },
  {
    what: "a name with a dot",
    from: '"name": "list"',
    to: '"name": "li.st"',
    says: [
      '38:15: error: "name" is "li.st": a name holds letters, digits, "_" and "-" only; words that differ from it go into "argv" (/subcommand/1/name)',
    ],
  },
  {
    what: "a name with a slash",
    from: '"name": "put"',
    to: '"name": "../put"',
    says: [
      '17:15: error: "name" is "../put": a name holds letters, digits, "_" and "-" only; words that differ from it go into "argv" (/subcommand/0/name)',
    ],
  },
  {
    what: "an argument name with a space",
    from: '"name": "label"',
    to: '"name": "the label"',
    says: [
      '25:19: error: "name" is "the label": an argument name holds no space, no = and no NUL (/subcommand/0/options/2/name)',
    ],
  },
  {
    what: "an argument name with a value in it",
    from: '"name": "label"',
    to: '"name": "label=x"',
    says: [
      '25:19: error: "name" is "label=x": an argument name holds no space, no = and no NUL (/subcommand/0/options/2/name)',
    ],
  },
  {
    what: "a NUL in the command",
    from: '"store-it"',
    to: '"store\\u0000it"',
    says: ['5:14: error: "command" is "store\\u0000it": a command names a program and holds no NUL (/command)'],
  },
  {
    what: "a NUL in an argument name",
    from: '"name": "label"',
    to: '"name": "la\\u0000bel"',
    says: [
      '25:19: error: "name" is "la\\u0000bel": an argument name holds no space, no = and no NUL (/subcommand/0/options/2/name)',
    ],
  },
  {
    what: "a NUL in a word of argv",
    from: '"--plain"',
    to: '"--pl\\u0000ain"',
    says: [
      '41:22: error: Element 1 of "argv" is "--pl\\u0000ain": it must not be empty and must not hold NUL (/subcommand/1/argv/1)',
    ],
  },
  {
    what: "a NUL in a default",
    from: '"pattern": "^[a-z]+$"',
    to: '"default": "la\\u0000bel"',
    says: [
      '25:67: error: Default of argument "label" holds a NUL character: no program can be given one (/subcommand/0/options/2/default)',
    ],
  },
  {
    what: "an alias with its dash",
    from: '"alias": "v"',
    to: '"alias": "-v"',
    says: [
      '29:58: error: "alias" is "-v": an alias is the short flag without its dash, and holds no space and no = (/subcommand/0/options/6/alias)',
    ],
  },
  {
    what: "an alias of two letters",
    from: '"alias": "v"',
    to: '"alias": "vv"',
    legal: "single-dash flags of several letters exist: -vv, -std, the tests of find",
    says: [],
  },
  {
    what: "an empty alias",
    from: '"alias": "v"',
    to: '"alias": ""',
    says: [
      '29:58: error: "alias" is "": an alias is the short flag without its dash, and holds no space and no = (/subcommand/0/options/6/alias)',
    ],
  },
  {
    what: "an alias with a space",
    from: '"alias": "v"',
    to: '"alias": "v 1"',
    says: [
      '29:58: error: "alias" is "v 1": an alias is the short flag without its dash, and holds no space and no = (/subcommand/0/options/6/alias)',
    ],
  },
  {
    what: "a variable name with a dash",
    from: '"STORE_TOKEN"',
    to: '"STORE-TOKEN"',
    says: [
      '28:62: error: "env" is "STORE-TOKEN": a variable name holds letters, digits and _ and does not begin with a digit (/subcommand/0/options/5/env)',
    ],
  },
  {
    what: "a variable name that begins with a digit",
    from: '"STORE_TOKEN"',
    to: '"1TOKEN"',
    says: [
      '28:62: error: "env" is "1TOKEN": a variable name holds letters, digits and _ and does not begin with a digit (/subcommand/0/options/5/env)',
    ],
  },
];
