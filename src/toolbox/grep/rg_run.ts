/** Runs `rg` and parses its output as it arrives. */
import { UserError } from "../../base/errors.ts";
import { globsOfType } from "./file_types.ts";
import { kindTest } from "./grep_globs.ts";
import type { Tree } from "../../system/tree/tree.ts";
import { startProgram } from "../project/programs.ts";
import { rgArguments, rgChoice, RgMessages } from "./rg_search.ts";
import type { OnFile, SearchEnd, SearchRequest } from "./grep_query.ts";

/** Maximum size of a message, bytes; a line of a file is one message. */
const LONGEST_MESSAGE = 64 * 1024 * 1024;
const MOST_WARNINGS = 3;
/** The pattern that identifies binary files. */
const ZERO_BYTE = { pattern: "\\x00", fixed: false, word: false, invert: false, before: 0, after: 0 } as const;
const MATCHED = 0;
const NOT_MATCHED = 1;

/** Searches below the directory of the tree. @throws {UserError} When the pattern is wrong. */
export async function searchByRg(
  tree: Tree,
  { query, place, most }: SearchRequest,
  onFile: OnFile,
  signal: AbortSignal,
): Promise<SearchEnd> {
  await using running = startProgram({
    program: "rg",
    args: rgArguments(query, `./${place.file ?? ""}`),
    directory: tree.place.path,
    signal,
  });
  // In `rg` an including pattern overrides the type; here both must match.
  const isOfKind = kindTest(query.type === undefined ? [] : globsOfType(query.type) ?? []);
  const messages = new RgMessages(most, (file) => isOfKind(file.path) && onFile(file));
  await eachLine(running.output, (line) => messages.take(line));
  const { code, stderr } = await running.ended;
  const said = stderr.split("\n").filter((line) => line.trim() !== "");
  if (code !== MATCHED && code !== NOT_MATCHED && !messages.hasEnded) throw wrong(query.pattern, stderr);
  return { counted: undefined, warnings: said.slice(0, MOST_WARNINGS) };
}

/** Counts searched files and those with a zero byte, because `rg` does not report them without a match. */
export async function countSearched(
  tree: Tree,
  { query, place }: SearchRequest,
  signal: AbortSignal,
): Promise<{ readonly searched: number; readonly binary: number }> {
  const count = async (args: readonly string[], isOne: (line: string) => boolean) => {
    await using running = startProgram({ program: "rg", args, directory: tree.place.path, signal });
    let found = 0;
    await eachLine(running.output, (line) => found += isOne(line) ? 1 : 0);
    await running.ended;
    return found;
  };
  const path = `./${place.file ?? ""}`;
  const binary = count(
    ["--text", "--max-count=1", ...rgArguments({ ...query, ...ZERO_BYTE }, path)],
    (line) => line.startsWith('{"type":"begin"'),
  );
  // A name with a line feed counts twice.
  const searched = count(["--files", ...rgChoice(query), "--", path], () => true);
  return { searched: await searched, binary: await binary };
}

function wrong(pattern: string, stderr: string): UserError {
  const reason = stderr.trim().replace(/^(?:rg|error): /, "");
  const way = /regex/.test(reason) ? "\nfixed_strings searches for it as plain text" : "";
  return new UserError(`Cannot search for "${pattern}": ${reason}${way}`);
}

async function eachLine(output: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  let held: string[] = [];
  let length = 0;
  for await (const text of output.pipeThrough(new TextDecoderStream())) {
    let at = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
      take(held.length === 0 ? text.slice(at, end) : [...held, text.slice(at, end)].join(""));
      [held, length, at] = [[], 0, end + 1];
    }
    length += text.length - at;
    if (length > LONGEST_MESSAGE) throw new UserError(`A line is longer than ${LONGEST_MESSAGE} bytes; narrow "path"`);
    held.push(text.slice(at));
  }
}
