import type { Mutation } from "./mutation.ts";

/** Fields left out, one at a time. */
export const MISSING: readonly Mutation[] = [
  {
    what: "the command left out",
    from: '  "command": "store-it",\n',
    to: "",
    says: ['1:1: error: "command" is missing: add it (a text) (/command)'],
  },
  {
    what: "the name of a subcommand left out",
    from: '      "name": "list",\n',
    to: "",
    says: ['37:5: error: "name" is missing: add it (a text) (/subcommand/1/name)'],
  },
  {
    what: "the name of a nested subcommand left out",
    from: '{ "name": "add", "description"',
    to: '{ "description"',
    says: ['48:9: error: "name" is missing: add it (a text) (/subcommand/2/subcommand/0/name)'],
  },
  {
    what: "the name of an option left out",
    from: '{ "name": "label", "description"',
    to: '{ "description"',
    says: ['25:9: error: "name" is missing: add it (a text) (/subcommand/0/options/2/name)'],
  },
  {
    what: "the name of a positional argument left out",
    from: '{ "name": "place", "description"',
    to: '{ "description"',
    says: ['33:9: error: "name" is missing: add it (a text) (/subcommand/0/positional_args/1/name)'],
  },
  {
    what: "the tool of a step left out",
    from: '{ "tool": "store", "subcommand": "list", ',
    to: '{ "subcommand": "list", ',
    says: ['58:9: error: "tool" is missing: add it (a text) (/subcommand/3/sequence/1/tool)'],
  },
  {
    what: "the maximum of retries left out",
    from: '"max": 2, ',
    to: "",
    says: ['21:16: error: "max" is missing: add it (a number) (/subcommand/0/retry/max)'],
  },
  {
    what: "the name of the tool left out",
    from: '  "name": "store",\n',
    to: "",
    says: [
      '56:19: error: Step 0 of "store-it_all" has no target: Cannot call "store": there is no such tool (/subcommand/3/sequence/0/tool)',
      '57:19: error: Step 1 of "store-it_all" has no target: Cannot call "store": there is no such tool (/subcommand/3/sequence/1/tool)',
    ],
  },
  {
    what: "the description of the tool left out",
    from: '  "description": "Keeps things.",\n',
    to: "",
    legal: "subcommands that have their own are listed with that one",
    says: [],
  },
  {
    what: "the description of a subcommand left out",
    from: '      "description": "Lists the store.",\n',
    to: "",
    legal: "the tool works; a model only has its name to choose it by",
    says: ['37:5: warning: "description" is missing: a model chooses the tool by it, add one (/subcommand/1)'],
  },
  {
    what: "the description of an option left out",
    from: '"description": "Its label", ',
    to: "",
    legal: "the name may say it all",
    says: [],
  },
  {
    what: "the list of subcommands left out",
    rewrite: (good) => good.replace(/,\n {2}"subcommand": \[[^]*$/, "\n}\n"),
    legal: "a tool without subcommands is one MCP tool by itself (T5)",
    says: [
      '4:18: warning: "description" does not say that the command runs in the background: say so, or set "synchronous": true (/description)',
    ],
  },
];
