import type { Mutation } from "./mutation.ts";

/** Changes that leave a good file good. */
export const HARMLESS: readonly Mutation[] = [
  {
    what: "a tool that is switched off",
    from: '"enabled": true',
    to: '"enabled": false',
    legal: "that is how one switches a tool off (T10)",
    says: [],
  },
  {
    what: "null for an optional field",
    from: '"description": "Its label"',
    to: '"description": null',
    legal: "serializers of other languages write absent fields so",
    says: [],
  },
  {
    what: "a key given twice",
    from: '"timeout_seconds": 60,',
    to: '"timeout_seconds": 60,\n  "timeout_seconds": 90,',
    legal: "JSON allows it and the last one counts, which is seldom what was meant",
    says: [
      '7:3: warning: Field "timeout_seconds" is given more than once, and only the last one counts: remove the others (/timeout_seconds)',
    ],
  },
  {
    what: "a key given twice in an option",
    from: '"alias": "v", ',
    to: '"alias": "v", "alias": "w", ',
    legal: "JSON allows it and the last one counts, which is seldom what was meant",
    says: [
      '29:49: warning: Field "alias" is given more than once, and only the last one counts: remove the others (/subcommand/0/options/6/alias)',
    ],
  },
  {
    what: "no line feed at the end",
    from: "  ]\n}\n",
    to: "  ]\n}",
    legal: "JSON does not ask for one",
    says: [],
  },
  {
    what: "line ends of Windows",
    rewrite: (good) => good.replaceAll("\n", "\r\n"),
    legal: "they are white space between the values",
    says: [],
  },
  {
    what: "a number with an exponent",
    from: '"timeout_seconds": 60',
    to: '"timeout_seconds": 6e1',
    legal: "it is the same number",
    says: [],
  },
  {
    what: "a text with an emoji and escapes",
    from: '"Keeps things."',
    to: '"Keeps \\ud83d\\udce6 & \\"things\\"."',
    legal: "any Unicode text is a description",
    says: [],
  },
  {
    what: "a command of several words",
    from: '"store-it"',
    to: '"env store-it"',
    legal: "the first words of argv may be several (T8)",
    says: [],
  },
];
