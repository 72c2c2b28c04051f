import type { Mutation } from "./mutation.ts";

/** Texts that are not JSON, or just still are. */
export const JSON_TEXT: readonly Mutation[] = [
  {
    what: "a trailing comma in an object",
    from: '"list", "description": "What is there now" }',
    to: '"list", "description": "What is there now", }',
    says: [
      "58:86: error: The file is not valid JSON: property name expected: correct it there, the file is left out until then",
    ],
  },
  {
    what: "a trailing comma in a list",
    from: '["ls", "--plain"]',
    to: '["ls", "--plain",]',
    says: [
      "41:32: error: The file is not valid JSON: value expected: correct it there, the file is left out until then",
    ],
  },
  {
    what: "a missing comma between fields",
    from: '"name": "store",\n',
    to: '"name": "store"\n',
    says: ["4:3: error: The file is not valid JSON: comma expected: correct it there, the file is left out until then"],
  },
  {
    what: "a missing comma between elements",
    from: '"fast", "safe"',
    to: '"fast" "safe"',
    says: [
      "24:65: error: The file is not valid JSON: comma expected: correct it there, the file is left out until then",
    ],
  },
  {
    what: "a missing closing brace at the end",
    from: "  ]\n}\n",
    to: "  ]\n",
    says: [
      "62:1: error: The file is not valid JSON: close brace expected: correct it there, the file is left out until then",
    ],
  },
  {
    what: "a missing closing bracket",
    from: '"fast", "safe"]',
    to: '"fast", "safe"',
    says: [
      "24:83: error: The file is not valid JSON: comma expected: correct it there, the file is left out until then",
    ],
  },
  {
    what: "a missing quote at the end of a text",
    from: '"name": "put"',
    to: '"name": "put',
    says: [
      "17:15: error: The file is not valid JSON: unexpected end of string: correct it there, the file is left out until then",
    ],
  },
  {
    what: "a missing quote at the start of a key",
    from: '"timeout_seconds": 60',
    to: 'timeout_seconds": 60',
    says: ["7:3: error: The file is not valid JSON: invalid symbol: correct it there, the file is left out until then"],
  },
  {
    what: "a key without quotes",
    from: '"enabled": true',
    to: "enabled: true",
    says: ["6:3: error: The file is not valid JSON: invalid symbol: correct it there, the file is left out until then"],
  },
  {
    what: "quotes of the wrong kind",
    from: '"store-it"',
    to: "'store-it'",
    says: [
      "5:14: error: The file is not valid JSON: invalid symbol: correct it there, the file is left out until then",
    ],
  },
  {
    what: "a comment",
    from: '  "enabled": true,',
    to: '  // switched on\n  "enabled": true,',
    says: [
      "6:3: error: The file is not valid JSON: invalid comment token: correct it there, the file is left out until then",
    ],
  },
  {
    what: "a wrong escape",
    from: '"Keeps things."',
    to: '"Keeps \\things\\."',
    says: [
      "4:18: error: The file is not valid JSON: invalid escape character: correct it there, the file is left out until then",
    ],
  },
  {
    what: "half an escape of a code point",
    from: '"Keeps things."',
    to: '"Keeps \\u12 things."',
    says: [
      "4:18: error: The file is not valid JSON: invalid unicode: correct it there, the file is left out until then",
    ],
  },
  {
    what: "a line feed inside a text",
    from: '"Keeps things."',
    to: '"Keeps\nthings."',
    says: [
      "4:18: error: The file is not valid JSON: unexpected end of string: correct it there, the file is left out until then",
    ],
  },
  {
    what: "a tab inside a text",
    from: '"Keeps things."',
    to: '"Keeps\tthings."',
    says: [
      "4:18: error: The file is not valid JSON: invalid character: correct it there, the file is left out until then",
    ],
  },
  {
    what: "a NUL character inside a text",
    from: '"Keeps things."',
    to: '"Keeps\u0000things."',
    says: [
      "4:18: error: The file is not valid JSON: invalid character: correct it there, the file is left out until then",
    ],
  },
  {
    what: "half a surrogate pair in a text",
    from: '"Keeps things."',
    to: '"Keeps \\ud83d things."',
    says: ["4:18: error: The text holds half of a surrogate pair: write all of it (/description)"],
  },
  {
    what: "half a surrogate pair in a key of arguments",
    from: '{ "source": "a" }',
    to: '{ "source": "a", "\\udca9": 1 }',
    says: [
      "57:84: error: The text holds half of a surrogate pair: write all of it (/subcommand/3/sequence/0/args/�)",
    ],
  },
  {
    what: "a word that is no JSON value",
    from: '"enabled": true',
    to: '"enabled": yes',
    says: [
      "6:14: error: The file is not valid JSON: invalid symbol: correct it there, the file is left out until then",
    ],
  },
  {
    what: "a Python literal",
    from: '"enabled": true',
    to: '"enabled": True',
    says: [
      "6:14: error: The file is not valid JSON: invalid symbol: correct it there, the file is left out until then",
    ],
  },
  {
    what: "a number with a leading zero",
    from: '"timeout_seconds": 60',
    to: '"timeout_seconds": 060',
    says: [
      "7:23: error: The file is not valid JSON: comma expected: correct it there, the file is left out until then",
    ],
  },
  {
    what: "a number with a plus",
    from: '"timeout_seconds": 60',
    to: '"timeout_seconds": +60',
    says: [
      "7:22: error: The file is not valid JSON: invalid symbol: correct it there, the file is left out until then",
    ],
  },
  {
    what: "a hexadecimal number",
    from: '"timeout_seconds": 60',
    to: '"timeout_seconds": 0x3c',
    says: [
      "7:23: error: The file is not valid JSON: invalid symbol: correct it there, the file is left out until then",
    ],
  },
  {
    what: "a colon left out",
    from: '"command": "store-it"',
    to: '"command" "store-it"',
    says: [
      "5:13: error: The file is not valid JSON: colon expected: correct it there, the file is left out until then",
    ],
  },
  {
    what: "text after the end",
    from: "  ]\n}\n",
    to: "  ]\n}\n}\n",
    says: [
      "63:1: error: The file is not valid JSON: end of file expected: correct it there, the file is left out until then",
    ],
  },
  {
    what: "a conflict marker",
    from: '  "enabled": true,\n',
    to: '<<<<<<< HEAD\n  "enabled": true,\n',
    says: ["6:1: error: The file is not valid JSON: invalid symbol: correct it there, the file is left out until then"],
  },
  {
    what: "a BOM at the start",
    from: '{\n  "$schema"',
    to: '\ufeff{\n  "$schema"',
    legal: "editors on other systems write one, and it is no part of the text",
    says: [],
  },
  {
    what: "a list around the file's object",
    rewrite: (good) => `[${good}]`,
    says: ["1:1: error: The file is a list, expected an object"],
  },
];
