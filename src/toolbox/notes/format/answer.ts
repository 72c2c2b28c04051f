import type { ToolResult } from "../../frame/messages.ts";

/** A result that is one text. */
export function said(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}
