import * as z from "zod";
import { lazy } from "../../base/lazy.ts";

/** The types an argument may have (T2). */
const ARGUMENT_TYPES = ["string", "boolean", "integer", "number", "array"] as const;
export type ArgumentType = typeof ARGUMENT_TYPES[number];

/** Text that can be a word of argv: not empty, no NUL (the kernel ends a word there). */
// deno-lint-ignore no-control-regex -- NUL is what must not get in
export const WORD = /^[^\u0000]+$/;

/** A name that callers use and that becomes a flag. */
// deno-lint-ignore no-control-regex -- NUL is what must not get in
const ARGUMENT_NAME = /^[^\s=\u0000]+$/;
/** A short flag without its dash. */
// deno-lint-ignore no-control-regex -- NUL is what must not get in
const ALIAS = /^[^-\s=\u0000][^\s=\u0000]*$/;

const itemsSchema = lazy(() =>
  z.strictObject({
    type: z.enum(["string", "integer", "number"]).optional().meta({
      description: "Type of each element; string when left out.",
      examples: ["string"],
    }),
    format: z.string().optional().meta({
      description: 'With "path", each element must lie inside the scope.',
      examples: ["path"],
    }),
    description: z.string().optional().meta({ description: "What one element is.", examples: ["A crate name"] }),
  }).meta({ id: "Items", description: 'What the elements of an "array" argument are.' })
);

/** An option or positional argument of a tool file (requirement T2). */
export const argumentSchema = lazy(() =>
  z.strictObject({
    name: z.string().regex(ARGUMENT_NAME).meta({
      description: "The long flag without its dashes, or a name that begins with - and is then used as it stands. " +
        "For a positional argument: what callers call it.",
      examples: ["release", "-maxdepth"],
    }),
    type: z.enum(ARGUMENT_TYPES).optional().meta({
      description: "Type of the value; string when left out. A boolean is a flag without a value.",
      examples: ["boolean"],
    }),
    description: z.string().optional().meta({
      description: "What the argument does, for the model that decides whether to give it.",
      examples: ["Build with optimizations"],
    }),
    required: z.boolean().optional().meta({ description: "A call without it is refused. Default false." }),
    default: z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()]))]).optional().meta(
      {
        description: "Used when the call leaves the argument out.",
        examples: ["origin"],
      },
    ),
    enum: z.array(z.union([z.string(), z.number()])).min(1).optional().meta({
      description: "The only values allowed (for an array: of each element).",
      examples: [["human", "short", "json"]],
    }),
    minimum: z.number().optional().meta({ description: "Smallest number allowed.", examples: [1] }),
    maximum: z.number().optional().meta({ description: "Largest number allowed.", examples: [100] }),
    pattern: z.string().optional().meta({
      description: "ECMAScript regular expression that a text value must match somewhere.",
      examples: ["^v[0-9]+"],
    }),
    format: z.string().optional().meta({
      description: 'With "path", the value must lie inside the scope. Other formats are treated as plain text.',
      examples: ["path"],
    }),
    items: itemsSchema().optional(),
    alias: z.string().regex(ALIAS).optional().meta({
      description: "Short flag without its dash; used instead of the long one.",
      examples: ["m"],
    }),
    joined: z.boolean().optional().meta({
      description: "Flag and value are one word: --name=value (-avalue with an alias). Default false.",
    }),
    file_arg: z.boolean().optional().meta({
      description: "The value is written to a private temporary file and the file's path is passed. Default false.",
    }),
    file_flag: z.string().regex(WORD).optional().meta({
      description: "Flag that takes the path of that file; the argument's own flag when left out.",
      examples: ["-F"],
    }),
    env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/).optional().meta({
      description: "The value is passed in this environment variable, not as an argument.",
      examples: ["RUST_LOG"],
    }),
  }).meta({ id: "Argument", description: "One option or positional argument." })
);

/** An argument as the file has it. */
export type ArgumentDefinition = z.infer<ReturnType<typeof argumentSchema>>;

/** The known fields of `items`, for "did you mean". */
export function itemsFields(): readonly string[] {
  return Object.keys(itemsSchema().shape);
}
