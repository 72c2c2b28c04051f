/** The shipped skill, as it is inside the packed program (Q6); evaluated only when it is asked for. */

export const SHIPPED_SKILL = "ahma-mcp";

/** Its text. */
export async function shippedSkill(): Promise<string> {
  return (await import("../../skills/ahma-mcp/SKILL.md", { with: { type: "text" } })).default;
}
