/** The shipped prompts and skill in the packed program (Q1, Q6), each evaluated only when asked for. */
import type { PromptText } from "../prompt/format/read_prompt.ts";

const PROMPTS: Readonly<Record<string, () => Promise<{ readonly default: string }>>> = {
  "_guards": () => import("../../prompts/_guards.md", { with: { type: "text" } }),
  "_report_format": () => import("../../prompts/_report_format.md", { with: { type: "text" } }),
  "code_review": () => import("../../prompts/code_review.md", { with: { type: "text" } }),
  "commit_message": () => import("../../prompts/commit_message.md", { with: { type: "text" } }),
  "debug_error": () => import("../../prompts/debug_error.md", { with: { type: "text" } }),
  "double_check": () => import("../../prompts/double_check.md", { with: { type: "text" } }),
  "explain_code": () => import("../../prompts/explain_code.md", { with: { type: "text" } }),
  "fix_failing_tests": () => import("../../prompts/fix_failing_tests.md", { with: { type: "text" } }),
  "new_prompt": () => import("../../prompts/new_prompt.md", { with: { type: "text" } }),
  "new_tool_file": () => import("../../prompts/new_tool_file.md", { with: { type: "text" } }),
  "next_issue": () => import("../../prompts/next_issue.md", { with: { type: "text" } }),
  "plan": () => import("../../prompts/plan.md", { with: { type: "text" } }),
  "write_docs": () => import("../../prompts/write_docs.md", { with: { type: "text" } }),
  "write_tests": () => import("../../prompts/write_tests.md", { with: { type: "text" } }),
};

/** All of them. */
export async function shippedPrompts(): Promise<readonly PromptText[]> {
  return await Promise.all(
    Object.entries(PROMPTS).map(async ([name, load]): Promise<PromptText> => ({
      name,
      origin: "bundled",
      file: `${name}.md`,
      text: (await load()).default,
    })),
  );
}

export const SHIPPED_SKILL = "ahma-mcp";

/** Its text. */
export async function shippedSkill(): Promise<string> {
  return (await import("../../skills/ahma-mcp/SKILL.md", { with: { type: "text" } })).default;
}
