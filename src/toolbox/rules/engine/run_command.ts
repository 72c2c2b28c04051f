/** Runs a rule that is a program. It runs in the worker's sandbox, like every program of a native tool (K8, S3). */
import { UserError } from "../../../base/errors.ts";
import { failure, type Outcome, success } from "../../../base/outcome.ts";
import { runProgram } from "../../project/programs.ts";
import type { CommandEngine } from "../format/rule.ts";
import { parseOutput, type ToldPlace } from "./parse_output.ts";

export interface CommandCall {
  readonly engine: CommandEngine;
  /** Paths from the directory. */
  readonly files: readonly string[];
  /** The project's, absolute. */
  readonly directory: string;
  readonly signal: AbortSignal;
}

const FILES = "{files}";
const MOST_BYTES = 8 * 1024 * 1024;
/** Maximum characters of paths in one call of the program. */
const MOST_PATHS = 100 * 1024;
const LONGEST_SECONDS = 120;

/** The places that the program reports, with its own paths; the problem is the end of a sentence. */
export async function runRuleCommand(
  { engine, files, directory, signal }: CommandCall,
): Promise<Outcome<readonly ToldPlace[]>> {
  const [program = "", ...words] = engine.words;
  const calls = words.includes(FILES) ? partsOf(files) : [[]];
  const places: ToldPlace[] = [];
  const limit = AbortSignal.timeout(LONGEST_SECONDS * 1000);
  for (const part of calls) {
    const args = words.flatMap((word) => word === FILES ? part.map(plainPath) : [word]);
    const run = { program, args, directory, signal: AbortSignal.any([signal, limit]) };
    const ended = await runProgram(run, MOST_BYTES).then(success, (thrown: unknown) => {
      if (thrown instanceof UserError) return failure(thrown.message);
      throw thrown;
    });
    if (!ended.ok) return ended;
    if (limit.aborted) return failure(`"${program}" took longer than ${LONGEST_SECONDS} s`);
    const { stdout, stderr, code } = ended.value;
    const found = parseOutput(stdout, engine.parse);
    if (!found.ok && code === 0 && stdout.trim() === "") continue;
    if (!found.ok) return failure(`the output of "${program}" is not as "parse" says: ${found.problem}`);
    if (found.value.length === 0 && code !== 0) {
      return failure(
        `"${program}" ended with exit code ${code}: ${lastLine(stderr) || lastLine(stdout) || "no message"}`,
      );
    }
    places.push(...found.value);
  }
  return success(places);
}

/** Prefixes a path so that it is not taken for an option. */
function plainPath(path: string): string {
  return path.startsWith("-") ? `./${path}` : path;
}

/** Splits files into parts that fit on a command line. */
function partsOf(files: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [];
  let length = Infinity;
  for (const file of files) {
    if (length + file.length > MOST_PATHS) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)?.push(file);
    length += file.length + 1;
  }
  return parts;
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
}
