/**
 * MTDF, the format of a tool file, defined once: the types, the published JSON Schema with an editor's texts, and the
 * error messages all come from the schemas here (requirements T2, T3). Building them takes longer than reading a
 * hundred files, so that is done only for a faulty file; the published schema recognizes good ones.
 */
import * as z from "zod";
import { lazy } from "../../base/lazy.ts";
import { BOUND_WORDS } from "../../base/network/network_bound.ts";
import { argumentSchema, flag, itemsFields, optional, text, WORD } from "./mtdf_argument.ts";
import { availabilityCheckSchema, hintsSchema, retrySchema, stepSchema } from "./mtdf_parts.ts";

/** What the name of a tool and of a subcommand may hold (T5). */
const NAME = /^[A-Za-z0-9_-]+$/;
/** Not blank, no NUL. */
// deno-lint-ignore no-control-regex -- NUL is what must not get in
const COMMAND = /^(?!\s*$)[^\u0000]+$/;

/** What tools and subcommands have in common. */
const shared = lazy(() => ({
  description: text("What it does and when to choose it, for the model.", "Compile the current package."),
  enabled: flag("False removes it entirely. Default true."),
  timeout_seconds: optional(z.number().positive().max(86_400), "Seconds after which a run is ended; inherited.", 600),
  synchronous: flag("True: a call waits for the result. False or left out: it runs in the background. Inherited."),
  force_synchronous: z.boolean().optional().meta({
    description: 'Older name of "synchronous".',
    deprecated: true,
  }),
  options: optional(z.array(argumentSchema()), "Flags, in the order they are passed."),
  positional_args: optional(z.array(argumentSchema()), "Arguments without a flag, in the order they are passed."),
  positional_args_first: flag("Positional arguments go before the options. Default false."),
  end_of_options: flag(
    "Put -- before the positional arguments, so that values beginning with - are safe. Default false: " +
      "such values are refused.",
  ),
  allow_args: flag('Accept raw further arguments in "args". Default: only when no option is declared.'),
  allow_stdin: flag('Accept text for standard input in "stdin". Default false.'),
  until: optional(
    z.string().min(1),
    "A call answers at the first line with this text, or /pattern/ (RE2), while the command goes on.",
    "Listening on",
  ),
  until_port: optional(z.int().min(1).max(65_535), "A call answers when the command listens at this TCP port.", 3000),
  until_quiet: optional(z.number().positive().max(86_400), "A call answers after so many seconds without output.", 5),
  watch: optional(
    z.array(z.string().min(1)).min(1),
    "Lines with one of these texts or /patterns/ are reported while the command runs.",
    ["ERROR", "/panic|fatal/"],
  ),
  input: flag("Standard input stays open while it runs, for the tool send. Default false."),
  tty: flag("It gets a terminal of its own (80x24), for the tool send. Default false."),
  idempotent: flag(
    "Running it twice has the same effect as once: it is run again after a person allows it to read what it was " +
      "denied (--ask). Default false.",
  ),
  concurrency: optional(
    z.enum(["shared", "exclusive"]),
    "exclusive: one run at a time per working directory. Default shared.",
  ),
  retry: retrySchema().optional(),
  network: optional(
    z.union([z.enum(BOUND_WORDS), z.array(z.string().min(1)).min(1)]),
    "Where its commands may connect at most: none, localhost, or hosts as --network lists them. It narrows what the " +
      "server allows. Default: all of that. Inherited.",
    "none",
    ["packages", "github.com:443"],
  ),
  sequence: optional(z.array(stepSchema()).min(1), "Steps run one after the other."),
  step_delay_ms: optional(z.int().min(0).max(600_000), "Milliseconds between the steps. Default 100.", 100),
  availability_check: availabilityCheckSchema().optional(),
  install_instructions: text("Shown when the program is not there.", "Install with: cargo install cargo-nextest"),
  guidance_key: text("Accepted for older files; has no effect."),
  hints: hintsSchema().optional(),
  input_schema: z.unknown().optional().meta({
    description: "Accepted for older files; the schema is always generated.",
    deprecated: true,
  }),
}));

/** The fields of a subcommand that do not nest: TypeScript cannot infer the type of a recursive schema. */
const subcommandFields = lazy(() => ({
  name: z.string().regex(NAME).meta({
    description: 'The word after the command. "default" stands for the parent itself.',
    examples: ["build"],
  }),
  ...shared(),
  argv: optional(
    z.array(z.string().regex(WORD)),
    "Words that replace the subcommand words, for a name that is only a label.",
    ["-c"],
  ),
}));
const flatSubcommand = lazy(() => z.strictObject(subcommandFields()));

/** A subcommand as the file has it. */
export interface SubcommandDefinition extends z.infer<ReturnType<typeof flatSubcommand>> {
  subcommand?: SubcommandDefinition[] | undefined;
}

/** A subcommand; it may hold further ones. */
const subcommandSchema = lazy(() => {
  const schema = z.strictObject({
    ...subcommandFields(),
    get subcommand(): z.ZodOptional<z.ZodArray<z.ZodType<SubcommandDefinition>>> {
      return z.array(described).optional();
    },
  });
  const described = schema.meta({
    id: "Subcommand",
    description: "A subcommand; without nested ones it is one MCP tool.",
  });
  return described;
});

function ignored() {
  return z.unknown().optional().meta({ description: "Accepted without effect.", deprecated: true });
}

export const toolSchema = lazy(() =>
  z.strictObject({
    $schema: text("Where an editor finds this schema."),
    name: optional(
      z.string().regex(NAME),
      "Name of the tool and first part of the names of its subcommands; the program's name when left out.",
      "cargo",
    ),
    command: z.string().regex(COMMAND).meta({
      description: 'The program, split at spaces. "sequence" for a tool that only has steps.',
      examples: ["cargo", "bash -c", "./gradlew"],
    }),
    ...shared(),
    subcommand: optional(z.array(subcommandSchema()), "The subcommands offered."),
    tool_style: optional(
      z.enum(["leaf", "program"]),
      "leaf: one MCP tool for each subcommand. program: one for all, which takes the subcommand as an " +
        "argument. Default: what --tool-style says.",
    ),
    tool_type: ignored(),
    livelog: ignored(),
    monitor_level: ignored(),
    monitor_stream: ignored(),
  }).meta({ title: "Ahma tool file (MTDF)", description: "One command-line program, described as MCP tools." })
);

export type ToolDefinition = z.infer<ReturnType<typeof toolSchema>>;

/** The known fields of the object under the given key; the empty key is the file itself. */
export const knownFields = lazy((): Readonly<Record<string, readonly string[]>> => ({
  "": Object.keys(toolSchema().shape),
  subcommand: Object.keys(subcommandSchema().shape),
  options: Object.keys(argumentSchema().shape),
  positional_args: Object.keys(argumentSchema().shape),
  items: itemsFields(),
  sequence: Object.keys(stepSchema().shape),
  availability_check: Object.keys(availabilityCheckSchema().shape),
  retry: Object.keys(retrySchema().shape),
}));

/** How the leaves of a tool file are listed. */
export type ToolStyle = NonNullable<ToolDefinition["tool_style"]>;

/** The published JSON Schema (2020-12) of a tool file as text, with a final line feed (requirement T3). */
export function mtdfSchemaText(): string {
  return JSON.stringify(z.toJSONSchema(toolSchema(), { target: "draft-2020-12" }), null, 2) + "\n";
}
