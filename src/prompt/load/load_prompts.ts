/** Reloads the prompts of all directories: a file that became faulty keeps its last good version (Q3). */
import { type Diagnostic, keptInService, sortDiagnostics } from "../../base/diagnostic.ts";
import { ORIGINS, type Prompt, type PromptLibrary, type PromptOrigin } from "../format/prompt.ts";
import { type PromptText, readPrompt } from "../format/read_prompt.ts";
import { type PromptDirectory, readPrompts } from "./read_prompts.ts";
import { compareText } from "../../base/text.ts";

/** The fault of a template that only its parser finds; undefined: there is none. */
export type CheckTemplate = (prompt: Prompt) => Promise<Diagnostic | undefined>;

interface ReadFile {
  readonly text: string;
  readonly prompt: Prompt | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The template was checked. */
  readonly isChecked: boolean;
}

export class PromptLoader {
  /** What was read last, by path. */
  #read: ReadonlyMap<string, ReadFile> = new Map();
  /** What was in service last, by path. */
  #served: ReadonlyMap<string, Prompt> = new Map();

  /**
   * The current prompts. `check` absent: templates are not parsed, and a faulty one is found when it is rendered. A
   * faulty template keeps its last good version. If there is none, it is served, and rendering it reports the fault.
   */
  async load(
    directories: readonly PromptDirectory[],
    bundled: readonly PromptText[],
    check?: CheckTemplate,
  ): Promise<PromptLibrary> {
    const found = directories.map(readPrompts);
    const read = new Map<string, ReadFile>();
    const served: Prompt[] = [];
    const diagnostics = found.flatMap((one) => one.diagnostics);
    for (const text of [...bundled, ...found.flatMap(({ texts }) => texts)]) {
      const file = await this.#readFile(text, check);
      read.set(text.file, file);
      const before = this.#served.get(text.file);
      const isBad = file.diagnostics.some(({ severity }) => severity === "error");
      const prompt = isBad ? before ?? file.prompt : file.prompt;
      const isKept = isBad && before !== undefined && before !== file.prompt;
      diagnostics.push(...file.diagnostics.map((one) => isKept ? keptInService(one) : one));
      if (prompt !== undefined) served.push(prompt);
    }
    // A file that cannot be read at the moment still exists.
    for (const { file, unreadable } of diagnostics) {
      const before = unreadable === undefined ? undefined : this.#served.get(file);
      if (before !== undefined && !read.has(file)) served.push(before);
    }
    this.#read = read;
    this.#served = new Map(served.map((prompt) => [prompt.file, prompt]));
    return assembleLibrary(served, diagnostics);
  }

  async #readFile(text: PromptText, check: CheckTemplate | undefined): Promise<ReadFile> {
    const before = this.#read.get(text.file);
    const isSame = before?.text === text.text;
    if (isSame && (before.isChecked || check === undefined)) return before;
    const { prompt, diagnostics } = isSame ? before : await readPrompt(text);
    const fault = prompt === undefined ? undefined : await check?.(prompt);
    return {
      text: text.text,
      prompt,
      diagnostics: fault === undefined ? diagnostics : [...diagnostics, fault],
      isChecked: check !== undefined,
    };
  }
}

/** Merges prompts; of equal names of one origin the first is used. */
export function assembleLibrary(prompts: readonly Prompt[], found: readonly Diagnostic[]): PromptLibrary {
  const diagnostics = [...found];
  const overridden = new Map<Prompt, readonly PromptOrigin[]>();
  const all = new Map<string, Prompt>();
  let trusted: ReadonlyMap<string, Prompt> = new Map();
  for (const origin of ORIGINS) {
    for (const prompt of prompts.filter((one) => one.origin === origin)) {
      const before = all.get(prompt.name);
      const problem = before === undefined ? undefined : conflict(before, prompt);
      if (problem !== undefined) {
        diagnostics.push({ severity: "error", file: prompt.file, pointer: "", line: 1, column: 1, message: problem });
        continue;
      }
      if (before !== undefined) overridden.set(prompt, [...overridden.get(before) ?? [], before.origin]);
      all.set(prompt.name, prompt);
    }
    if (origin === "user") trusted = new Map(all);
  }
  const listed = [...all.values()].filter(({ isPartial }) => !isPartial)
    .toSorted((one, other) => compareText(one.name, other.name));
  return { all, trusted, listed, overridden, diagnostics: sortDiagnostics(diagnostics) };
}

/** Why a prompt may not replace an earlier one of the same name; undefined: it may. */
function conflict(before: Prompt, { name, origin, isPartial }: Prompt): string | undefined {
  if (before.origin === origin) {
    return `The name "${name}" is taken by "${before.file}": rename one of the files`;
  }
  if (before.isPartial === isPartial) return undefined;
  const [own, others] = isPartial ? ["partial", "prompt"] : ["prompt", "partial"];
  return `A ${own} cannot take the name "${name}" of a ${before.origin} ${others}: rename the file`;
}
