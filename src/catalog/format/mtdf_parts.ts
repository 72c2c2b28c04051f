import * as z from "zod";
import { lazy } from "../../base/lazy.ts";
import { WORD } from "./mtdf_argument.ts";

/** One step of a sequence (requirement T14). */
export const stepSchema = lazy(() =>
  z.strictObject({
    tool: z.string().min(1).meta({ description: 'The "name" of a tool file.', examples: ["cargo"] }),
    subcommand: z.string().optional().meta({
      description: 'Its subcommand; nested ones joined by _ or a space. "default" or left out: the tool itself.',
      examples: ["clippy", "nextest_run"],
    }),
    args: z.record(z.string(), z.unknown()).optional().meta({
      description: "Arguments of this step.",
      examples: [{ workspace: true }],
    }),
    description: z.string().optional().meta({
      description: "Shown as progress.",
      examples: ["Format the code"],
    }),
    skip_if_file_exists: z.string().regex(WORD).optional().meta({
      description: "Skip the step when this file exists in the working directory.",
      examples: [".skip-lint"],
    }),
    skip_if_file_missing: z.string().regex(WORD).optional().meta({
      description: "Skip the step when this file does not exist in the working directory.",
      examples: ["Cargo.toml"],
    }),
  }).meta({ id: "Step", description: "One step of a sequence." })
);

/** A check for the presence of a program (requirement T11). */
export const availabilityCheckSchema = lazy(() =>
  z.strictObject({
    command: z.string().regex(WORD).optional().meta({
      description: "Command to run; the tool's own when left out.",
      examples: ["cargo"],
    }),
    args: z.array(z.string()).optional().meta({ description: "Its arguments.", examples: [["--version"]] }),
    working_directory: z.string().regex(WORD).optional().meta({ description: "Where it runs.", examples: ["."] }),
    success_exit_codes: z.array(z.int()).optional().meta({
      description: "Exit codes that mean the program is there; [0] when left out or empty.",
      examples: [[0, 1]],
    }),
    skip_subcommand_args: z.boolean().optional().meta({
      description: "Do not put the subcommand words between command and args. Default false.",
    }),
  }).meta({ id: "AvailabilityCheck", description: "A quick command that tells whether the program is installed." })
);

/** Repeating what failed for a passing reason (requirement X16). */
export const retrySchema = lazy(() =>
  z.strictObject({
    max: z.int().min(1).max(10).meta({ description: "How many more times to try.", examples: [2] }),
    backoff_ms: z.int().min(0).max(60_000).optional().meta({
      description: "Milliseconds before the first retry, doubled for each further one. Default 1000.",
      examples: [1000],
    }),
    on_exit_codes: z.array(z.int()).optional().meta({
      description: "Exit codes that are retried; any but 0 when left out.",
      examples: [[128]],
    }),
  }).meta({ id: "Retry", description: "Retries of a command that fails for a passing reason." })
);

/** Hints: free keys, each for the subcommand of that name; `default` for all; `custom` holds more of the same. */
export const hintsSchema = lazy(() =>
  z.object({
    custom: z.record(z.string(), z.string()).optional().meta({
      description: "Hints by subcommand name.",
      examples: [{ default: "Prefer --workspace in a workspace." }],
    }),
  }).catchall(z.string()).meta({
    id: "Hints",
    description: 'Advice added to descriptions, by subcommand name; "default" is for every other subcommand.',
    examples: [{ build: "Try check first, it is faster." }],
  })
);

/** A sequence step as the file has it. */
export type StepDefinition = z.infer<ReturnType<typeof stepSchema>>;
/** A check as the file has it. */
export type AvailabilityCheckDefinition = z.infer<ReturnType<typeof availabilityCheckSchema>>;
/** Hints as the file has them. */
export type HintsDefinition = z.infer<ReturnType<typeof hintsSchema>>;
