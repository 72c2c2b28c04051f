/** The MCP clients whose settings this program knows how to write. */
export const CLIENT_NAMES = ["vscode", "cursor", "claude", "claude-desktop", "codex", "zed"] as const;
export type ClientName = typeof CLIENT_NAMES[number];
