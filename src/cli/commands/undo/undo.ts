/** `undo` (S39): a person sees what operations changed in this project, and takes it back; no server need run. */
import { compose } from "../../../app/compose_service.ts";
import type { Settings } from "../../../settings/settings.ts";
import { absolutePath } from "../../../system/paths.ts";
import type { ToolResult } from "../../../toolbox/frame/messages.ts";
import { type Colours, colours } from "../../terminal/colours.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { confirmPutBack, mayColour, print, printProblem, resultText } from "../../terminal/print.ts";
import { openRunLog } from "../../terminal/run_log.ts";

/** Resolves with the exit code: 1 when something was left alone, or there is no such operation. */
export async function undo(context: CommandContext): Promise<number> {
  const { operands, flags, environment, warnings, stop } = context;
  const settings = settingsOfUndo(context.settings);
  await using log = openRunLog({ settings, warnings, environment });
  await using program = await compose({ settings, environment, log: log.logger });
  log.start();
  const [given, ...named] = operands;
  const operation = given === undefined || given.startsWith("op_") ? given : `op_${given}`;
  const paths = named.map((path) => absolutePath(path, Deno.cwd()));
  const json = flags.has("json");
  const ask = (action: "show" | "undo") =>
    program.toolbox.changes({
      ...operation !== undefined && { operation_id: operation },
      ...paths.length > 0 && { paths },
      action,
      json,
    }, stop);
  const mark = colours(mayColour(environment));
  const isWanted = flags.has("yes") && operation !== undefined;
  // JSON is one answer: what there is, or what was done.
  if (!json || !isWanted) {
    const isShown = await show(await ask("show"), mark);
    if (!isShown || operation === undefined || json) return isShown ? 0 : 1;
  }
  if (!isWanted && !confirmPutBack()) return 1;
  return await show(await ask("undo"), mark) ? 0 : 1;
}

/** Those of a program that only looks at changes, and takes them back. */
export function settingsOfUndo(given: Settings): Settings {
  return { ...given, undo: { ...given.undo, isOn: true }, bundles: [], pool: false, hotReload: false };
}

/** False: it is a problem, or paths were left alone. */
async function show(result: ToolResult, mark: Colours): Promise<boolean> {
  const text = resultText(result);
  if (result.isError === true) await printProblem(text);
  else await print(`${text.split("\n").map((line) => marked(line, mark)).join("\n")}\n`);
  return result.isError !== true;
}

function marked(line: string, { green, red, yellow, bold }: Colours): string {
  if (/^(?:A |\+)/.test(line)) return green(line);
  if (/^(?:D |-)/.test(line)) return red(line);
  if (line.startsWith("M ")) return yellow(line);
  return line.replace(/^op_\w+/, bold);
}
