/** The MCP clients whose settings this program knows how to write. */
export const CLIENT_NAMES = ["vscode", "cursor", "claude", "zed", "codex"] as const;
export type ClientName = typeof CLIENT_NAMES[number];
