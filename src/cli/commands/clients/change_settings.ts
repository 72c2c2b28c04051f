/** Changes a settings file of a client: shows what, asks first where something of the user's changes, then writes. */
import { UserError } from "../../../base/errors.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { colours } from "../../terminal/colours.ts";
import { askOnTerminal, mayColour, print } from "../../terminal/print.ts";
import { changedLines } from "./changed_lines.ts";
import type { SettingsFile } from "./settings_file.ts";

/** What becomes of the file; undefined: it goes. */
export type NewText = (text: string | undefined) => Promise<string | undefined>;

/**
 * The exit code: 0 when the file is now as `newText` wants it, or `--dry-run` only shows it; 1 when the person at the
 * terminal said no.
 *
 * @throws {UserError} where nothing can be asked and `--yes` is not given, and as `newText` and the file do
 */
export async function changeSettings(file: SettingsFile, newText: NewText, context: CommandContext): Promise<number> {
  const before = await file.read();
  const after = await newText(before);
  if (after === before) {
    await print(`${file.shown} needs no change\n`);
    return 0;
  }
  const isNew = before === undefined;
  const done = isNew ? "written" : after === undefined ? "removed, nothing else was in it" : "changed";
  const asks = !isNew || !file.isInProject;
  if (context.flags.has("dry-run") || asks) await print(shown(file, before ?? "", after, context));
  if (context.flags.has("dry-run")) return 0;
  if (asks && !context.flags.has("yes") && !isAgreed(file)) {
    await print(`${file.shown} was left as it is\n`);
    return 1;
  }
  await file.write(before, after);
  await print(`${file.shown} ${done}\n`);
  return 0;
}

/** @throws {UserError} where there is no terminal */
function isAgreed({ shown: file }: SettingsFile): boolean {
  const agreed = askOnTerminal(`Change ${file}?`);
  if (agreed !== undefined) return agreed;
  throw new UserError(`Not changed: there is no terminal to ask on. --yes changes "${file}" as shown`);
}

function shown(file: SettingsFile, before: string, after: string | undefined, { environment }: CommandContext): string {
  const { green, red, bold } = colours(mayColour(environment));
  const lines = changedLines(before, after).map((line) =>
    line.startsWith("+") ? green(line) : line.startsWith("-") ? red(line) : line
  );
  return `${bold(file.shown)}:\n${lines.join("\n")}\n`;
}
