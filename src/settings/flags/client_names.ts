import { words } from "../../base/text.ts";

/** The MCP clients whose settings this program knows how to write or, for a library, how to show. */
export const CLIENT_NAMES = words(
  "claude claude-desktop codex continue copilot cursor fast-agent gemini langchain openai-agents opencode pydantic-ai",
  "qwen vibe vscode zed",
);

export type ClientName = typeof CLIENT_NAMES[number];
