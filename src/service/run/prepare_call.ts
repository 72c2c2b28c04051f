/** Prepares a call of a leaf: arguments checked, paths inside the scope, nothing started (T6, T9, S16). */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { shellWord } from "../../base/text.ts";
import { shorten } from "../../base/visible_text.ts";
import type { Leaf } from "../../catalog/model/leaf.ts";
import { checkArguments, describeArgumentProblems } from "../../command/arguments.ts";
import { prepareCommand } from "../../command/command_line.ts";
import type { MetaArguments, PreparedCommand } from "../../command/prepared_command.ts";
import type { Scope } from "../../system/path_scope.ts";

export interface PreparedCall {
  readonly meta: MetaArguments;
  /** Real, inside the scope. */
  readonly directory: string;
  /** Undefined: the leaf is a sequence. */
  readonly command: PreparedCommand | undefined;
  /** The command as one line for people. Words with blanks are quoted; the line is cut at 200 characters. */
  readonly title: string;
}

export interface CallPlace {
  readonly scope: Scope;
  /** For a call that names none: real, inside the scope; absent: the scope's own. */
  readonly directory?: string;
}

/** Checks the arguments, finds the working directory and makes argv; the problem is the text of the result. */
export async function prepareCall(
  leaf: Leaf,
  args: unknown,
  { scope, directory: otherwise }: CallPlace,
): Promise<Outcome<PreparedCall>> {
  const checked = checkArguments(leaf, args);
  if (!checked.ok) return failure(describeArgumentProblems(leaf, checked.problem));
  const { meta } = checked.value;
  const isNamed = meta.workingDirectory !== undefined || otherwise === undefined;
  const directory = isNamed ? await scope.resolveDirectory(meta.workingDirectory) : success(otherwise);
  if (!directory.ok) return directory;
  const base = { meta, directory: directory.value };
  if (leaf.sequence.length > 0) {
    return success({ ...base, command: undefined, title: `sequence of ${leaf.sequence.length} steps` });
  }
  const command = prepareCommand(leaf, checked.value);
  if (!command.ok) return failure(describeArgumentProblems(leaf, command.problem));
  for (const { argument, value } of command.value.paths) {
    const contained = await scope.contains(value, directory.value);
    if (!contained.ok) return failure(`Cannot run "${leaf.name}": argument "${argument}": ${contained.problem}`);
  }
  return success({ ...base, command: command.value, title: titleOf(command.value) });
}

function titleOf(prepared: PreparedCommand): string {
  const words = prepared.argv.map((word) => typeof word === "string" ? shellWord(word) : "<file>");
  return shorten(words.join(" "));
}
