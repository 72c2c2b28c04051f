/** The data of the completions of every shell. */
import { NETWORKS } from "../../../sandbox/policy/confinement.ts";
import { flagsOf } from "../../../settings/flags/parse_command_line.ts";
import { BUNDLE_WORDS } from "../../../settings/bundles.ts";
import { mayRepeat } from "../../../settings/flags/flag.ts";
import { type FlagName, flagNamed } from "../../../settings/flags/flags.ts";
import {
  AUTH_ACTIONS,
  COMPLETION_SHELLS,
  GRANT_ACTIONS,
  PROMPT_ACTIONS,
  RULE_ACTIONS,
  SERVER_ACTIONS,
} from "../../../settings/flags/actions.ts";
import type { Operands } from "../../../settings/flags/subcommand.ts";
import { factsOf, type Subcommand, SUBCOMMANDS } from "../../../settings/flags/subcommands.ts";
import { PRESETS } from "../../../base/network/name_list.ts";

/** What can follow a flag or a subcommand. */
export type Completion =
  | { readonly kind: "words"; readonly words: readonly string[] }
  /** `free`: any word of the user. `tools`: the name of one tool, which the program lists; further words are the tool's. */
  | { readonly kind: "nothing" | "free" | "directories" | "files" | "tools" | "commands" };

interface CompletedFlag {
  readonly name: FlagName;
  readonly help: string;
  readonly value: Completion;
  readonly repeatable: boolean;
}

/** The shell command that lists the names of tools: in a pipe, `list-tools` prints the name up to a tab. */
export const TOOL_NAMES = "ahma_mcp list-tools --bundles all 2>/dev/null | cut -f1";

/** The flags of `call` whose value is the next word, so that this word is not a tool's name. */
export const FLAGS_BEFORE_VALUES: readonly string[] = completedFlags("call")
  .filter(({ value }) => value.kind !== "nothing").map(({ name }) => `--${name}`);

/** The flags that a subcommand takes. */
export function completedFlags(subcommand: Subcommand): readonly CompletedFlag[] {
  return flagsOf(subcommand).map((name) => {
    const flag = flagNamed(name);
    return { name, help: flag.help, value: valueOf(name, subcommand), repeatable: mayRepeat(flag) };
  });
}

/** The completion of a subcommand's words. */
export function completedOperands(subcommand: Subcommand): Completion {
  return OPERANDS[factsOf(subcommand).operands];
}

const OPERANDS: Readonly<Record<Operands, Completion>> = {
  none: { kind: "nothing" },
  paths: { kind: "files" },
  command: { kind: "commands" },
  tool: { kind: "tools" },
  login: { kind: "words", words: AUTH_ACTIONS },
  servers: { kind: "words", words: SERVER_ACTIONS },
  grants: { kind: "words", words: GRANT_ACTIONS },
  prompts: { kind: "words", words: PROMPT_ACTIONS },
  rules: { kind: "words", words: RULE_ACTIONS },
  shell: { kind: "words", words: COMPLETION_SHELLS },
  operation: { kind: "free" },
  operations: { kind: "free" },
  changed: { kind: "free" },
  subcommand: { kind: "words", words: SUBCOMMANDS },
};

function valueOf(name: FlagName, subcommand: Subcommand): Completion {
  const { value, choices } = flagNamed(name);
  if (name === "bundles") return { kind: "words", words: BUNDLE_WORDS };
  if (name === "shell" || name === "mcp-config" || name === "write" && subcommand === "schema") {
    return { kind: "files" };
  }
  if (value === "none") return { kind: "nothing" };
  if (value === "network") return { kind: "words", words: [...NETWORKS, ...PRESETS.keys()] };
  if (value === "choice") return { kind: "words", words: choices ?? [] };
  return { kind: value === "directory" ? "directories" : "free" };
}
