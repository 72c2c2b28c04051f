/** Prompts of all origins become one library: who wins a name is decided here (Q1). Pure. */
import { type Diagnostic, sortDiagnostics } from "../../base/diagnostic.ts";
import { compareText } from "../../base/text.ts";
import { ORIGINS, type Prompt, type PromptLibrary, type PromptOrigin } from "../format/prompt.ts";

/** Puts prompts together; of one name and origin the first wins. */
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

/** Why a prompt cannot have the name of an earlier one; undefined: it can. */
function conflict(before: Prompt, { name, origin, isPartial }: Prompt): string | undefined {
  if (before.origin === origin) {
    return `The name "${name}" is taken by "${before.file}": rename one of the files`;
  }
  if (before.isPartial === isPartial) return undefined;
  const [own, others] = isPartial ? ["partial", "prompt"] : ["prompt", "partial"];
  return `A ${own} cannot take the name "${name}" of a ${before.origin} ${others}: rename the file`;
}
