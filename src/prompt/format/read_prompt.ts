/** Turns a prompt file into a prompt, or into diagnostics that say why not (Q1, Q5). */
import type { Diagnostic } from "../../base/diagnostic.ts";
import { collectFaults, type ReportFault, reportHidden } from "./faults.ts";
import { readFrontMatter, splitText } from "./front_matter.ts";
import type { Prompt, PromptOrigin } from "./prompt.ts";
import { isPartialName, nameProblem } from "./prompt_name.ts";
import { readFacts } from "./read_facts.ts";

export interface PromptText {
  readonly name: string;
  readonly origin: PromptOrigin;
  /** Path for messages. */
  readonly file: string;
  readonly text: string;
}

/** Undefined: the file has an error and gives no prompt. */
export interface ReadPrompt {
  readonly prompt: Prompt | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Marks a partial at the start of its body. */
const PARTIAL_MARK = /^\s*\{%-?\s*partial\s*-?%\}/;

/** Reads one file. No content makes it throw. */
export async function readPrompt({ name, origin, file, text }: PromptText): Promise<ReadPrompt> {
  const { diagnostics, report } = collectFaults(file);
  const prompt = await promptOf({ name, origin, file, text: plainText(text) }, report);
  const isRefused = diagnostics.some(({ severity }) => severity === "error");
  return { prompt: isRefused ? undefined : prompt, diagnostics };
}

async function promptOf({ name, origin, file, text }: PromptText, report: ReportFault): Promise<Prompt | undefined> {
  const start = { line: 1, column: 1 };
  const problem = nameProblem(name);
  if (problem !== undefined) return report("error", `The name "${name}" ${problem}: rename the file`, start);
  const split = splitText(text);
  if (split === "unclosed") {
    return report("error", 'The front matter is not closed: end it with a line of "---"', start);
  }
  const { head, body, linesBefore } = split;
  reportHidden(body, { noun: "template", linesBefore }, report);
  const matter = await readFrontMatter(head, report);
  if (matter === undefined) return undefined;
  const { facts, isPartial } = readFacts(matter, report);
  return {
    ...facts,
    name,
    origin,
    file,
    isPartial: isPartial || isPartialName(name) || PARTIAL_MARK.test(body),
    body,
    linesBefore,
  };
}

/** The text without a byte order mark and final line end, and with uniform line ends. */
function plainText(text: string): string {
  const plain = (text.startsWith("\uFEFF") ? text.slice(1) : text).replaceAll("\r\n", "\n");
  return plain.endsWith("\n") ? plain.slice(0, -1) : plain;
}
