/** A task of many calls, as one script and as plain calls. */

/** A call of a tool. */
export type Call = readonly [name: string, args: object];
/** Makes independent calls, as a model can in one turn; returns their texts. */
export type Turn = (...calls: readonly Call[]) => Promise<readonly string[]>;

export interface ScriptTask {
  readonly name: string;
  /** The files in the directory at the start; absent: none. */
  readonly files?: Readonly<Record<string, string>>;
  /** The script. `at`: the directory, in the scope. */
  readonly code: (at: string) => string;
  /** The same with the fewest turns; resolves with what the script returns. */
  readonly plain: (at: string, turn: Turn) => Promise<unknown>;
}

/** Makes this many files. */
export function filesOf(count: number, text: (number: number) => string, ending = "txt"): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, number) => [`f${number}.${ending}`, text(number)]));
}

/** The numbers below `count`. */
export function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, number) => number);
}

/** The texts of all files below `at`, in the order of their names. */
export async function readAll(at: string, turn: Turn): Promise<ReadonlyMap<string, string>> {
  const [list = ""] = await turn(["files_glob", { pattern: `${at}/**` }]);
  const paths = list.split("\n").toSorted();
  const texts = await turn(...paths.map((path) => ["files_read", { path, line_numbers: false }] as const));
  // The first line has size and revision.
  return new Map(paths.map((path, index) => [path, texts[index]?.replace(/^.*\n/, "") ?? ""]));
}

/** The same at the begin of a script. */
export function readAllCode(at: string): string {
  return `const paths = (await tools.files_glob({ pattern: "${at}/**" })).text.split("\\n").sort();
const answers = await Promise.all(paths.map((path) => tools.files_read({ path, line_numbers: false })));
const texts = answers.map(({ text }) => text.replace(/^.*\\n/, ""));`;
}
