import * as z from "zod";
import { lazy } from "../../base/lazy.ts";

/** A field that may be left out, as an editor shows it. */
export function optional<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  ...examples: unknown[]
): z.ZodOptional<Schema> {
  return schema.optional().meta({ description, ...examples.length > 0 && { examples } });
}

/** A text that may be left out. */
export function text(description: string, ...examples: readonly string[]): z.ZodOptional<z.ZodString> {
  return optional(z.string(), description, ...examples);
}

/** A text that can be a word of argv, and may be left out. */
export function word(description: string, ...examples: readonly string[]): z.ZodOptional<z.ZodString> {
  return optional(z.string().regex(WORD), description, ...examples);
}

/** A switch that may be left out. */
export function flag(description: string): z.ZodOptional<z.ZodBoolean> {
  return optional(z.boolean(), description);
}

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
    type: optional(z.enum(["string", "integer", "number"]), "Type of each element; string when left out.", "string"),
    format: text('With "path", each element must lie inside the scope.', "path"),
    description: text("What one element is.", "A crate name"),
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
    type: optional(
      z.enum(ARGUMENT_TYPES),
      "Type of the value; string when left out. A boolean is a flag without a value.",
      "boolean",
    ),
    description: text(
      "What the argument does, for the model that decides whether to give it.",
      "Build with optimizations",
    ),
    required: flag("A call without it is refused. Default false."),
    default: optional(
      z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()]))]),
      "Used when the call leaves the argument out.",
      "origin",
    ),
    enum: optional(
      z.array(z.union([z.string(), z.number()])).min(1),
      "The only values allowed (for an array: of each element).",
      ["human", "short", "json"],
    ),
    minimum: optional(z.number(), "Smallest number allowed.", 1),
    maximum: optional(z.number(), "Largest number allowed.", 100),
    pattern: text("ECMAScript regular expression that a text value must match somewhere.", "^v[0-9]+"),
    format: text('With "path", the value must lie inside the scope. Other formats are treated as plain text.', "path"),
    items: itemsSchema().optional(),
    alias: optional(z.string().regex(ALIAS), "Short flag without its dash; used instead of the long one.", "m"),
    joined: flag("Flag and value are one word: --name=value (-avalue with an alias). Default false."),
    file_arg: flag("The value is written to a private temporary file and the file's path is passed. Default false."),
    file_flag: word("Flag that takes the path of that file; the argument's own flag when left out.", "-F"),
    end_of_options: flag(
      "Of a positional argument: its words come after --, so that the program takes none of them for an option or for " +
        "an argument before it. Default false.",
    ),
    env: optional(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/),
      "The value is passed in this environment variable, not as an argument.",
      "RUST_LOG",
    ),
  }).meta({ id: "Argument", description: "One option or positional argument." })
);

export type ArgumentDefinition = z.infer<ReturnType<typeof argumentSchema>>;

/** The known fields of `items`, for "did you mean". */
export function itemsFields(): readonly string[] {
  return Object.keys(itemsSchema().shape);
}
