/** Changes a settings file of a client: shows what, asks first where something of the user's changes, then writes. */
import { UserError } from "../../../base/errors.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { colours } from "../../terminal/colours.ts";
import { askOnTerminal, mayColour, print } from "../../terminal/print.ts";
import type { SettingsFile } from "./settings_file.ts";

/** The new content of the file; undefined: it is removed. */
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

/** Lines shown before and after what differs. */
const AROUND = 2;

/** Lines that begin with `- `, `+ ` or two blanks. `after` undefined: the file is removed. Empty: the texts are equal. */
function changedLines(before: string, after: string | undefined): readonly string[] {
  const [was, is] = [linesOf(before), linesOf(after ?? "")];
  let first = 0;
  while (first < was.length && first < is.length && was[first] === is[first]) first++;
  let last = 0;
  while (last < Math.min(was.length, is.length) - first && was.at(-1 - last) === is.at(-1 - last)) last++;
  const [gone, added] = [was.slice(first, was.length - last), is.slice(first, is.length - last)];
  if (gone.length === 0 && added.length === 0) return [];
  return [
    ...was.slice(Math.max(0, first - AROUND), first).map((line) => `  ${line}`),
    ...gone.map((line) => `- ${line}`),
    ...added.map((line) => `+ ${line}`),
    ...was.slice(was.length - last, was.length - last + AROUND).map((line) => `  ${line}`),
  ];
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
