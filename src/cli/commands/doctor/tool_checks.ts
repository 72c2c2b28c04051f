import { counted, encodeText } from "../../../base/text.ts";
import { describeDiagnostic } from "../../../base/diagnostic.ts";
import { reasonOf } from "../../../catalog/load/availability.ts";
import { toolList } from "../../../service/connection/tool_list.ts";
import { compose, type ComposeOptions } from "../../../app/compose_service.ts";
import { type Check, check } from "../../terminal/check.ts";
import { offersPrompts, openPrompts, type PromptOptions } from "../../../app/prompts/open_prompts.ts";
import { offersSkills } from "../../../app/prompts/offers_skills.ts";
import { openSkills } from "../../../app/prompts/open_skills.ts";

/** Some clients list no more tools, and every request of an agent carries all of them. */
const MANY_TOOLS = 100;

/** Checks of the tool files: served, left out with the reason, missing programs (requirement L6). */
export async function checkTools(options: ComposeOptions): Promise<readonly Check[]> {
  await using program = await compose(options);
  const { tools, leaves, diagnostics, unavailable = [] } = await program.checkedTools();
  const files = new Set(tools.map(({ file }) => file));
  const { plain: listed } = await toolList(program.service)();
  return [
    files.size === 0
      ? check("tools", "tool files", "warning", NONE)
      : check("tools", "tool files", "ok", `${files.size} with ${counted(leaves.length, "tool")}`),
    listing(listed.length, encodeText(JSON.stringify({ tools: listed })).length),
    // The server starts without a file that is left out.
    ...diagnostics.map((diagnostic) => {
      const title = diagnostic.severity === "error" ? "tool file left out" : "tool file";
      return check("tool_file", title, "warning", describeDiagnostic(diagnostic));
    }),
    ...unavailable.map((one) =>
      check("tool_unavailable", "not available", "warning", `${one.names.join(", ")}: ${reasonOf(one)}`)
    ),
  ];
}

const NONE = 'none: "ahma_mcp init" writes a first one, --bundles offers the shipped ones';

/** The cost of `tools/list`. */
function listing(tools: number, bytes: number): Check {
  const row = (status: Check["status"], message: string) => check("tools_list", "tools/list", status, message);
  const cost = `${counted(tools, "tool")}, ${bytes} bytes`;
  if (tools <= MANY_TOOLS) return row("ok", cost);
  return row("warning", `${cost}: --tool-style program, --lean or fewer --bundles list less`);
}

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

/** Checks of the skills; empty: none are offered. */
export async function checkSkills(options: PromptOptions): Promise<readonly Check[]> {
  if (!offersSkills(options)) return [];
  await using live = openSkills(options);
  const { skills, diagnostics } = await live.current();
  return [
    check("skills", "skills", "ok", counted(skills.length, "skill")),
    ...diagnostics.map((diagnostic) => check("skill_file", "skill", "warning", describeDiagnostic(diagnostic))),
  ];
}
