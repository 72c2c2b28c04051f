/** The data of the completions of every shell. */
import { flagsOf } from "../../../settings/flags/parse_command_line.ts";
import { BUNDLE_NAMES } from "../../../settings/bundles.ts";
import { type FlagName, flagNamed } from "../../../settings/flags/flags.ts";
import { COMPLETION_SHELLS, factsOf, type Subcommand, SUBCOMMANDS } from "../../../settings/flags/subcommands.ts";

/** What can follow a flag or a subcommand. */
export type Completion =
  | { readonly kind: "nothing" }
  /** Any word of the user. */
  | { readonly kind: "free" }
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "directories" }
  | { readonly kind: "files" }
  /** The name of one tool, which the program lists; further words belong to the tool. */
  | { readonly kind: "tools" }
  | { readonly kind: "commands" };

/** A flag for completion. */
interface CompletedFlag {
  readonly name: FlagName;
  readonly help: string;
  readonly value: Completion;
  readonly repeatable: boolean;
}

/** The shell command that lists the names of tools: in a pipe, `list-tools` prints the name up to a tab. */
export const TOOL_NAMES = "ahma_mcp list-tools --bundles all 2>/dev/null | cut -f1";

/** The flags of `call` whose value is the next word, so that this word is no tool's name. */
export const FLAGS_BEFORE_VALUES: readonly string[] = completedFlags("call")
  .filter(({ value }) => value.kind !== "nothing").map(({ name }) => `--${name}`);

/** The flags that a subcommand takes. */
export function completedFlags(subcommand: Subcommand): readonly CompletedFlag[] {
  return flagsOf(subcommand).map((name) => {
    const { help, repeatable } = flagNamed(name);
    return { name, help, value: valueOf(name, subcommand), repeatable: repeatable === true };
  });
}

/** The completion of a subcommand's words. */
export function completedOperands(subcommand: Subcommand): Completion {
  switch (factsOf(subcommand).operands) {
    case "none":
      return { kind: "nothing" };
    case "paths":
      return { kind: "files" };
    case "command":
      return { kind: "commands" };
    case "tool":
      return { kind: "tools" };
    case "shell":
      return { kind: "words", words: COMPLETION_SHELLS };
    case "subcommand":
      return { kind: "words", words: SUBCOMMANDS };
  }
}

function valueOf(name: FlagName, subcommand: Subcommand): Completion {
  const { value, choices } = flagNamed(name);
  if (name === "bundles") return { kind: "words", words: [...BUNDLE_NAMES, "all"] };
  if (name === "shell" || name === "write" && subcommand === "schema") return { kind: "files" };
  switch (value) {
    case "none":
      return { kind: "nothing" };
    case "choice":
      return { kind: "words", words: choices ?? [] };
    case "directory":
      return { kind: "directories" };
    case "text":
    case "name":
    case "prefix":
    case "count":
    case "number":
    case "limit":
      return { kind: "free" };
  }
}
