import { type FlagRow, LONGEST_SECONDS } from "./flag.ts";

/** The flags of `--mode http` (H1-H10); a project's own settings file may set none of them. */
export const HTTP_FLAGS = {
  "http-host": {
    value: "text",
    placeholder: "ADDRESS",
    help: "Where to listen (default: 127.0.0.1); others need --require-token",
  },
  "http-port": {
    value: "count",
    placeholder: "PORT",
    range: [0, 65_535],
    help: "The port (default: 3000; 0: any that is free)",
  },
  "session-isolation": { help: "Give each HTTP client its own process, whose scope is the client's first root" },
  "handshake-timeout": {
    value: "number",
    range: [0.001, LONGEST_SECONDS],
    help: "How long a client may take to name its roots, and a server to answer initialize (default: 45)",
  },
  "require-token": { help: "Serve only clients that send the token of a private file" },
  "allow-host": {
    value: "text",
    placeholder: "HOST",
    repeatable: true,
    help: "A further Host header to accept, with its port",
  },
  "allow-origin": {
    value: "text",
    placeholder: "ORIGIN",
    repeatable: true,
    help: "An origin whose pages may use the server, as in https://ide.example",
  },
  "max-sessions": {
    value: "count",
    range: [1, 10_000],
    help: "How many HTTP sessions there may be at once (default: 64)",
  },
  "session-idle": {
    value: "number",
    range: [0.001, LONGEST_SECONDS],
    help: "End an HTTP session that was not used for so long (default: 1800)",
  },
  "server-command": {
    value: "text",
    placeholder: "PROGRAM",
    help: "Offer this stdio MCP server over HTTP instead of our own, inside the sandbox",
  },
  "server-args": { value: "text", placeholder: "WORD", repeatable: true, help: "An argument of --server-command" },
  "request-timeout": {
    value: "number",
    range: [0, LONGEST_SECONDS],
    help:
      "How long --server-command may take to answer; each progress begins the time again (default: 60; 0: no limit)",
  },
} as const satisfies Readonly<Record<string, FlagRow>>;
