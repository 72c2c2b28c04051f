/**
 * `validate` (requirement L3): reads tool files as the server does, and prints every diagnostic with its position. A
 * file named alone is checked together with its directory, because sequences call the tools of other files.
 */
import type { NetworkReach } from "../../../base/network/network_bound.ts";
import { compareText, counted, withoutTrailing } from "../../../base/text.ts";
import { placeDiagnostics } from "../../../catalog/load/positions.ts";
import { findToolsDirectory } from "../../../catalog/load/find_tools.ts";
import { describeDiagnostic, type Diagnostic, sortDiagnostics } from "../../../base/diagnostic.ts";
import { baseName } from "../../../catalog/format/names.ts";
import { expected, parentOf } from "../../../system/paths.ts";
import { loadCatalogFromTexts } from "../../../catalog/load/load.ts";
import { readToolFile, readToolTexts, type ToolText } from "../../../catalog/load/read_directory.ts";
import { type Colours, colours } from "../../terminal/colours.ts";
import { embeddedTools } from "../../../settings/bundles.ts";
import { mayColour, print, printProblem, terminalWidth } from "../../terminal/print.ts";
import type { CommandContext } from "../../terminal/command_context.ts";

/** Usual directories of tool files in a repository that ships them. */
const LAST_RESORT = "tools";

/** The diagnostics of a set of files. */
interface Report {
  readonly files: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** Texts by file, for excerpts. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Checks the named files and directories, or those of the server; the exit code is 1 when there is an error. */
export async function validate(context: CommandContext): Promise<number> {
  const { settings, operands, flags, environment, settingsProblem } = context;
  if (settingsProblem !== undefined) {
    await printProblem(`Warning: ${settingsProblem}; these settings are ignored here`);
  }
  // A missing path is read like a file, and the reading reports it.
  const paths = operands.length > 0
    ? operands.map((path) => ({ path, directory: expected(() => Deno.statSync(path))?.isDirectory ?? false }))
    : [{ path: shownDirectory(settings.toolsDirectory), directory: true }];
  const bundled = await embeddedTools(settings.bundles);
  const reports: Report[] = [];
  const { confinement } = settings.sandbox;
  for (const path of paths) reports.push(await check(path, bundled, confinement));
  const report = joined(reports);
  const count = (severity: Diagnostic["severity"]) =>
    report.diagnostics.filter((one) => one.severity === severity).length;
  const [errors, warnings] = [count("error"), count("warning")];
  if (flags.has("json")) {
    await print(
      `${JSON.stringify({ files: report.files, errors, warnings, problems: report.diagnostics }, null, 2)}\n`,
    );
  } else {
    const style = { excerpt: terminalWidth() !== undefined, colours: colours(mayColour(environment)) };
    const lines = report.diagnostics.map((one) => describeWithSource(one, report.texts.get(one.file), style));
    if (lines.length > 0) await print(`${lines.join("\n")}\n`);
    await printProblem(
      `${counted(report.files.length, "file")}, ${counted(errors, "error")}, ${counted(warnings, "warning")}`,
    );
  }
  return errors > 0 || flags.has("strict") && warnings > 0 ? 1 : 0;
}

function shownDirectory(explicit: string | undefined): string {
  if (explicit !== undefined) return explicit;
  const cwd = Deno.cwd();
  const found = findToolsDirectory(undefined, cwd);
  return found === undefined ? LAST_RESORT : found.slice(cwd.length + 1);
}

interface Named {
  readonly path: string;
  readonly directory: boolean;
}

async function check(
  { path, directory }: Named,
  bundled: readonly ToolText[],
  network: NetworkReach,
): Promise<Report> {
  const folder = directory ? withoutTrailing(path, "/") || "/" : path.includes("/") ? parentOf(path) : ".";
  const read = readToolTexts(folder);
  const own = directory
    ? { ...read, files: [...read.texts, ...read.diagnostics].map(({ file }) => file) }
    : alone(path);
  const real = directory || own.texts.length === 0 ? undefined : await Deno.realPath(path);
  const neighbours = real === undefined ? [] : read.texts.filter(({ file }) => Deno.realPathSync(file) !== real);
  const names = new Set([...own.texts, ...neighbours].map(({ file }) => baseName(file)));
  const shipped = bundled.filter(({ file }) => !names.has(baseName(file)));
  const catalog = await loadCatalogFromTexts([...shipped, ...neighbours, ...own.texts], network);
  const wanted = new Set(own.files);
  const found = catalog.diagnostics.filter(({ file }) => wanted.has(file));
  const silent = own.texts.filter(({ file }) => !found.some((one) => one.file === file));
  // The server looks for duplicate keys only in files with other problems.
  const repeated = await Promise.all(silent.map(({ file, text }) => placeDiagnostics(file, text, [])));
  return {
    files: [...wanted].sort(compareText),
    diagnostics: [...own.diagnostics, ...found, ...repeated.flat()],
    texts: new Map(own.texts.map(({ file, text }) => [file, text])),
  };
}

function alone(path: string) {
  const read = readToolFile(path);
  return "text" in read
    ? { files: [path], texts: [read], diagnostics: [] }
    : { files: [path], texts: [], diagnostics: [read] };
}

function joined(reports: readonly Report[]): Report {
  const unique = new Map(
    reports.flatMap(({ diagnostics }) => diagnostics).map((one) => [JSON.stringify(one), one]),
  );
  return {
    files: [...new Set(reports.flatMap(({ files }) => files))],
    diagnostics: sortDiagnostics([...unique.values()]),
    texts: new Map(reports.flatMap(({ texts }) => [...texts])),
  };
}

/** Style of a diagnostic. */
interface ExcerptStyle {
  /** Whether the line of the file follows, with a mark under the position. */
  readonly excerpt: boolean;
  readonly colours: Colours;
}

/** Longer lines are cut around the position. */
const WIDTH = 96;

/** `file:line:column: error: message`, on a terminal with the line marked. `text`: undefined: it is unreadable. */
export function describeWithSource(diagnostic: Diagnostic, text: string | undefined, style: ExcerptStyle): string {
  const { colours, excerpt } = style;
  const mark = diagnostic.severity === "error" ? colours.red : colours.yellow;
  const said = describeDiagnostic(diagnostic);
  const word = `: ${diagnostic.severity}: `;
  const at = said.indexOf(word);
  const line = `${colours.bold(said.slice(0, at))}: ${mark(diagnostic.severity)}: ${said.slice(at + word.length)}`;
  if (!excerpt || text === undefined || diagnostic.line === 0) return line;
  const { source, column } = cutAround(text.split("\n")[diagnostic.line - 1] ?? "", diagnostic.column - 1);
  return `${line}\n  ${source}\n  ${" ".repeat(column)}${mark("^")}`;
}

/** A line for the terminal: control characters would move the cursor and become blanks. */
function cutAround(line: string, column: number): { readonly source: string; readonly column: number } {
  const plain = line.replaceAll(/\p{Cc}/gu, " ").trimEnd();
  const start = column < WIDTH - 8 ? 0 : column - WIDTH / 2;
  return { source: plain.slice(start, start + WIDTH), column: column - start };
}
