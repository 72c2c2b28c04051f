import * as z from "zod";
import { lazy } from "../../base/lazy.ts";
import { flag, optional, text, word } from "./mtdf_argument.ts";

/** One step of a sequence (requirement T14). */
export const stepSchema = lazy(() =>
  z.strictObject({
    tool: z.string().min(1).meta({ description: 'The "name" of a tool file.', examples: ["cargo"] }),
    subcommand: text(
      'Its subcommand; nested ones joined by _ or a space. "default" or left out: the tool itself.',
      "clippy",
      "nextest_run",
    ),
    args: optional(z.record(z.string(), z.unknown()), "Arguments of this step.", { workspace: true }),
    description: text("Shown as progress.", "Format the code"),
    skip_if_file_exists: word("Skip the step when this file exists in the working directory.", ".skip-lint"),
    skip_if_file_missing: word("Skip the step when this file does not exist in the working directory.", "Cargo.toml"),
  }).meta({ id: "Step", description: "One step of a sequence." })
);

/** A check for the presence of a program (requirement T11). */
export const availabilityCheckSchema = lazy(() =>
  z.strictObject({
    command: word("Command to run; the tool's own when left out.", "cargo"),
    args: optional(z.array(z.string()), "Its arguments.", ["--version"]),
    working_directory: word("Where it runs.", "."),
    success_exit_codes: optional(
      z.array(z.int()),
      "Exit codes that mean the program is there; [0] when left out or empty.",
      [0, 1],
    ),
    skip_subcommand_args: flag("Do not put the subcommand words between command and args. Default false."),
  }).meta({ id: "AvailabilityCheck", description: "A quick command that tells whether the program is installed." })
);

/** Repeating what failed for a temporary reason (requirement X16). */
export const retrySchema = lazy(() =>
  z.strictObject({
    max: z.int().min(1).max(10).meta({ description: "How many more times to try.", examples: [2] }),
    backoff_ms: optional(
      z.int().min(0).max(60_000),
      "Milliseconds before the first retry, doubled for each further one. Default 1000.",
      1000,
    ),
    on_exit_codes: optional(z.array(z.int()), "Exit codes that are retried; any but 0 when left out.", [128]),
  }).meta({ id: "Retry", description: "Retries of a command that fails for a temporary reason." })
);

/** Hints: free keys, each for the subcommand of that name; `default` for all; `custom` holds more of the same. */
export const hintsSchema = lazy(() =>
  z.object({
    custom: optional(z.record(z.string(), z.string()), "Hints by subcommand name.", {
      default: "Prefer --workspace in a workspace.",
    }),
  }).catchall(z.string()).meta({
    id: "Hints",
    description: 'Advice added to descriptions, by subcommand name; "default" is for every other subcommand.',
    examples: [{ build: "Try check first, it is faster." }],
  })
);

export type StepDefinition = z.infer<ReturnType<typeof stepSchema>>;
export type RetryDefinition = z.infer<ReturnType<typeof retrySchema>>;
export type AvailabilityCheckDefinition = z.infer<ReturnType<typeof availabilityCheckSchema>>;
export type HintsDefinition = z.infer<ReturnType<typeof hintsSchema>>;
