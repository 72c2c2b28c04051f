/**
 * MTDF, the format of a tool file, said once: the types, the published JSON Schema with what an editor shows, and the
 * error messages all come from the schemas here (requirements T2, T3). Building them takes longer than reading a
 * hundred files, so that is done only for a file that is wrong; good ones are told by the published schema.
 */
import * as z from "zod";
import { lazy } from "../../base/lazy.ts";
import { argumentSchema, itemsFields, WORD } from "./mtdf_argument.ts";
import { availabilityCheckSchema, hintsSchema, retrySchema, stepSchema } from "./mtdf_parts.ts";

/** What the name of a tool and of a subcommand may hold (T5). */
const NAME = /^[A-Za-z0-9_-]+$/;
/** Not blank, no NUL. */
// deno-lint-ignore no-control-regex -- NUL is what must not get in
const COMMAND = /^(?!\s*$)[^\u0000]+$/;

/** What tools and subcommands have in common. */
const shared = lazy(() => ({
  description: z.string().optional().meta({
    description: "What it does and when to choose it, for the model.",
    examples: ["Compile the current package."],
  }),
  enabled: z.boolean().optional().meta({ description: "False removes it entirely. Default true." }),
  timeout_seconds: z.number().positive().max(86_400).optional().meta({
    description: "Seconds after which a run is ended; inherited.",
    examples: [600],
  }),
  synchronous: z.boolean().optional().meta({
    description: "True: a call waits for the result. False or left out: it runs in the background. Inherited.",
  }),
  force_synchronous: z.boolean().optional().meta({
    description: 'Older name of "synchronous".',
    deprecated: true,
  }),
  options: z.array(argumentSchema()).optional().meta({ description: "Flags, in the order they are passed." }),
  positional_args: z.array(argumentSchema()).optional().meta({
    description: "Arguments without a flag, in the order they are passed.",
  }),
  positional_args_first: z.boolean().optional().meta({
    description: "Positional arguments go before the options. Default false.",
  }),
  end_of_options: z.boolean().optional().meta({
    description: "Put -- before the positional arguments, so that values beginning with - are safe. Default false: " +
      "such values are refused.",
  }),
  allow_args: z.boolean().optional().meta({
    description: 'Accept raw further arguments in "args". Default: only when no option is declared.',
  }),
  allow_stdin: z.boolean().optional().meta({
    description: 'Accept text for standard input in "stdin". Default false.',
  }),
  concurrency: z.enum(["shared", "exclusive"]).optional().meta({
    description: "exclusive: one run at a time per working directory. Default shared.",
  }),
  retry: retrySchema().optional(),
  sequence: z.array(stepSchema()).min(1).optional().meta({ description: "Steps run one after the other." }),
  step_delay_ms: z.int().min(0).max(600_000).optional().meta({
    description: "Milliseconds between the steps. Default 100.",
    examples: [100],
  }),
  availability_check: availabilityCheckSchema().optional(),
  install_instructions: z.string().optional().meta({
    description: "Shown when the program is not there.",
    examples: ["Install with: cargo install cargo-nextest"],
  }),
  guidance_key: z.string().optional().meta({ description: "Accepted for older files; without effect." }),
  hints: hintsSchema().optional(),
  input_schema: z.unknown().optional().meta({
    description: "Accepted for older files; the schema is always generated.",
    deprecated: true,
  }),
}));

/** The fields of a subcommand that do not nest: the type of the whole cannot be inferred from a schema that holds itself. */
const subcommandFields = lazy(() => ({
  name: z.string().regex(NAME).meta({
    description: 'The word after the command. "default" stands for the parent itself.',
    examples: ["build"],
  }),
  ...shared(),
  argv: z.array(z.string().regex(WORD)).optional().meta({
    description: "Words that replace the subcommand words, for a name that is only a label.",
    examples: [["-c"]],
  }),
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

/** A whole tool file. */
export const toolSchema = lazy(() =>
  z.strictObject({
    $schema: z.string().optional().meta({ description: "Where an editor finds this schema." }),
    name: z.string().regex(NAME).optional().meta({
      description: "Name of the tool and first part of the names of its subcommands; the program's name when left out.",
      examples: ["cargo"],
    }),
    command: z.string().regex(COMMAND).meta({
      description: 'The program, split at spaces. "sequence" for a tool that only has steps.',
      examples: ["cargo", "bash -c", "./gradlew"],
    }),
    ...shared(),
    subcommand: z.array(subcommandSchema()).optional().meta({ description: "The subcommands offered." }),
    tool_style: z.enum(["leaf", "program"]).optional().meta({
      description: "leaf: one MCP tool for each subcommand. program: one for all, which takes the subcommand as an " +
        "argument. Default: what --tool-style says.",
    }),
    tool_type: ignored(),
    livelog: ignored(),
    monitor_level: ignored(),
    monitor_stream: ignored(),
  }).meta({ title: "Ahma tool file (MTDF)", description: "One command-line program, described as MCP tools." })
);

/** A tool file that has the format. */
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
