import { offersPrompts, openPrompts, type PromptOptions } from "../../../app/prompts/open_prompts.ts";
import { describeDiagnostic } from "../../../base/diagnostic.ts";
import { counted } from "../../../base/text.ts";
import { type Check, check } from "../../terminal/check.ts";

/** Checks of the prompt files, templates included; empty: no prompts are offered. */
export async function checkPrompts(options: PromptOptions): Promise<readonly Check[]> {
  if (!offersPrompts(options)) return [];
  await using prompts = openPrompts(options);
  const { listed, diagnostics } = await prompts.checked();
  return [
    check("prompts", "prompts", "ok", counted(listed.length, "prompt")),
    ...diagnostics.map((diagnostic) => check("prompt_file", "prompt file", "warning", describeDiagnostic(diagnostic))),
  ];
}
