import type { Mutation } from "./mutation.ts";

/** Fields the format does not have. */
export const UNKNOWN_FIELDS: readonly Mutation[] = [
  {
    what: "a misspelt field of the tool",
    from: '"timeout_seconds"',
    to: '"timeout_second"',
    says: ['7:3: error: Field "timeout_second" is unknown; did you mean "timeout_seconds"? (/timeout_second)'],
  },
  {
    what: "a misspelt field of a subcommand",
    from: '"options": [',
    to: '"option": [',
    says: ['22:7: error: Field "option" is unknown; did you mean "options"? (/subcommand/0/option)'],
  },
  {
    what: "a misspelt field of an option",
    from: '"pattern": "^[a-z]+$"',
    to: '"patern": "^[a-z]+$"',
    says: ['25:56: error: Field "patern" is unknown; did you mean "pattern"? (/subcommand/0/options/2/patern)'],
  },
  {
    what: "a misspelt field of a positional argument",
    from: '"required": true',
    to: '"requird": true',
    says: [
      '32:59: error: Field "requird" is unknown; did you mean "required"? (/subcommand/0/positional_args/0/requird)',
    ],
  },
  {
    what: "a misspelt field of items",
    from: '"items": { "type"',
    to: '"items": { "typ"',
    says: ['26:78: error: Field "typ" is unknown; did you mean "type"? (/subcommand/0/options/3/items/typ)'],
  },
  {
    what: "a misspelt field of a step",
    from: '"skip_if_file_missing"',
    to: '"skip_if_file_mising"',
    says: [
      '57:76: error: Field "skip_if_file_mising" is unknown; did you mean "skip_if_file_missing"? (/subcommand/3/sequence/0/skip_if_file_mising)',
    ],
  },
  {
    what: "a misspelt field of the availability check",
    from: '"success_exit_codes"',
    to: '"sucess_exit_codes"',
    says: [
      '10:5: error: Field "sucess_exit_codes" is unknown; did you mean "success_exit_codes"? (/availability_check/sucess_exit_codes)',
    ],
  },
  {
    what: "a misspelt field of retry",
    from: '"backoff_ms"',
    to: '"backof_ms"',
    says: ['21:28: error: Field "backof_ms" is unknown; did you mean "backoff_ms"? (/subcommand/0/retry/backof_ms)'],
  },
  {
    what: "the plural of subcommand",
    from: '"subcommand": [\n    {',
    to: '"subcommands": [\n    {',
    says: ['15:3: error: Field "subcommands" is unknown; did you mean "subcommand"? (/subcommands)'],
  },
  {
    what: "a field in other letters",
    from: '"availability_check"',
    to: '"availabilityCheck"',
    says: ['8:3: error: Field "availabilityCheck" is unknown; did you mean "availability_check"? (/availabilityCheck)'],
  },
  {
    what: "a field of another level",
    from: '"enabled": true,',
    to: '"enabled": true,\n  "argv": ["x"],',
    says: ['7:3: error: Field "argv" is unknown; known fields: … (/argv)'],
  },
  {
    what: "an unknown field that is near nothing",
    from: '"enabled": true,',
    to: '"enabled": true,\n  "colour": "red",',
    says: ['7:3: error: Field "colour" is unknown; known fields: … (/colour)'],
  },
  {
    what: "a field __proto__",
    from: '"enabled": true,',
    to: '"enabled": true,\n  "__proto__": { "enabled": false },',
    says: ['7:3: error: Field "__proto__" is unknown; known fields: … (/__proto__)'],
  },
  {
    what: "an argument field on a subcommand",
    from: '"allow_args": true',
    to: '"allow_args": true,\n      "required": true',
    says: ['43:7: error: Field "required" is unknown; known fields: … (/subcommand/1/required)'],
  },
];
