/** `completions` (requirement L1): scripts made from the tables of flags and subcommands. */
import { UsageError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/suggest.ts";
import { print } from "../../terminal/print.ts";
import { COMPLETION_SHELLS, type CompletionShell } from "../../../settings/flags/actions.ts";
import { bashScript } from "./completions_bash.ts";
import { fishScript } from "./completions_fish.ts";
import { zshScript } from "./completions_zsh.ts";
import type { CommandContext } from "../../terminal/command_context.ts";

const SCRIPTS: Readonly<Record<CompletionShell, () => string>> = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Prints the script for one shell. */
export async function completions({ operands }: CommandContext): Promise<number> {
  const [word] = operands;
  const shell = COMPLETION_SHELLS.find((one) => one === word);
  if (shell === undefined) {
    const expected = `expected one of ${COMPLETION_SHELLS.join(", ")}`;
    throw new UsageError(
      word === undefined
        ? `Cannot print completions: the shell is missing, ${expected}`
        : `Cannot print completions for "${word}": ${expected}${didYouMean(word, COMPLETION_SHELLS)}`,
    );
  }
  await print(SCRIPTS[shell]());
  return 0;
}
