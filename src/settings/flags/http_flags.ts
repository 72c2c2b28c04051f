import { type FlagRow, LONGEST_SECONDS, taking } from "./flag.ts";

/** The flags of `--mode http` (H1-H10); a project's own settings file may set none of them. */
export const HTTP_FLAGS = {
  "http-host": taking("text", "ADDRESS", "Where to listen (default: 127.0.0.1); others need --require-token"),
  "http-port": taking("count", "PORT", "The port (default: 3000; 0: any free port)", { range: [0, 65_535] }),
  "session-isolation": { help: "Give each HTTP client its own process, whose scope is the client's first root" },
  "handshake-timeout": {
    value: "number",
    placeholder: "SECONDS",
    help: "How long a client may take to send its roots, and a server to answer initialize (default: 45)",
    range: [0.001, LONGEST_SECONDS],
  },
  "require-token": { help: "Serve only clients that send the token stored in a private file" },
  "dashboard": { help: "Serve the page of ahma_mcp dashboard too, at an address that is printed" },
  "allow-host": taking("host", "HOST", "A further Host header to accept, with its port", { repeatable: true }),
  "allow-origin": taking("origin", "ORIGIN", "An origin whose pages may use the server, such as https://ide.example", {
    repeatable: true,
  }),
  "max-sessions": taking("count", "N", "How many HTTP sessions there may be at once (default: 64)", {
    range: [1, 10_000],
  }),
  "session-idle": taking("number", "SECONDS", "End an HTTP session after this idle time (default: 1800)", {
    range: [0.001, LONGEST_SECONDS],
  }),
  "server-command": {
    value: "text",
    placeholder: "PROGRAM",
    help: "Offer this stdio MCP server over HTTP instead of this program's tools, inside the sandbox",
  },
  "server-args": taking("text", "WORD", "An argument of --server-command", { repeatable: true }),
  "request-timeout": {
    value: "number",
    placeholder: "SECONDS",
    help:
      "How long --server-command may take to answer; each progress message restarts the time (default: 60; 0: no limit)",
    range: [0, LONGEST_SECONDS],
  },
} as const satisfies Readonly<Record<string, FlagRow>>;
