/** Loading the prompts of all directories again and again: a file that became bad keeps its last good version (Q3). */
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { Prompt, PromptLibrary } from "../format/prompt.ts";
import { type PromptText, readPrompt } from "../format/read_prompt.ts";
import { assembleLibrary } from "./assemble_library.ts";
import { type PromptDirectory, readPrompts } from "./read_prompts.ts";

/** The fault of a template, which only its parser finds; undefined: it has none. */
export type CheckTemplate = (prompt: Prompt) => Promise<Diagnostic | undefined>;

interface ReadFile {
  readonly text: string;
  readonly prompt: Prompt | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The template was checked. */
  readonly isChecked: boolean;
}

export class PromptLoader {
  /** By path: what was read last. */
  #read: ReadonlyMap<string, ReadFile> = new Map();
  /** By path: what was in service last. */
  #served: ReadonlyMap<string, Prompt> = new Map();

  /**
   * The prompts of this moment. `check` absent: templates are not parsed, and a wrong one is found when it is rendered.
   * A template with a fault stays as it was; one that was never good is served, and rendering it tells the fault.
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
      diagnostics.push(...file.diagnostics.map((one) => isKept && one.severity === "error" ? kept(one) : one));
      if (prompt !== undefined) served.push(prompt);
    }
    // A file that cannot be read at this moment is still there.
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

function kept(diagnostic: Diagnostic): Diagnostic {
  return { ...diagnostic, message: `${diagnostic.message} (the last good version stays in service)` };
}
