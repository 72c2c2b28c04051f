/** The actions of subcommands that do several things. */
import { words } from "../../base/text.ts";

/** What "auth" does. */
export const AUTH_ACTIONS = ["list", "login", "logout"] as const;

/** What "servers" does. */
export const SERVER_ACTIONS = ["list", "test", "diff", "approve"] as const;

/** What "prompts" does. */
export const PROMPT_ACTIONS = ["list", "show", "render"] as const;

/** What "grants" does. */
export const GRANT_ACTIONS = ["list", "revoke", "allow", "deny"] as const;

/** What "rules" does. */
export const RULE_ACTIONS = ["check", "list"] as const;

/** The shells there are completions for. */
export const COMPLETION_SHELLS = ["bash", "zsh", "fish"] as const;
export type CompletionShell = typeof COMPLETION_SHELLS[number];

/** The MCP clients whose settings this program knows how to write or, for a library, how to show. */
export const CLIENT_NAMES = words(
  "claude claude-desktop codex continue copilot cursor fast-agent gemini langchain openai-agents opencode pydantic-ai",
  "qwen vibe vscode zed",
);

export type ClientName = typeof CLIENT_NAMES[number];
