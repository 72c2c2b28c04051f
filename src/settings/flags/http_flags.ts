import { type Flag, LONGEST_SECONDS } from "./flag.ts";

/** The flags of `--mode http` (H1-H10); a project's own settings file may set none of them. */
export const HTTP_FLAGS = {
  "http-host": {
    value: "text",
    placeholder: "ADDRESS",
    help: "Where to listen (default: 127.0.0.1); others need --require-token",
    variable: "AHMA_HTTP_HOST",
  },
  "http-port": {
    value: "count",
    placeholder: "PORT",
    range: [0, 65_535],
    help: "The port (default: 3000; 0: any that is free)",
    variable: "AHMA_HTTP_PORT",
  },
  "session-isolation": {
    value: "none",
    placeholder: "",
    help: "Give each HTTP client its own process, whose scope is the client's first root",
    variable: "AHMA_SESSION_ISOLATION",
  },
  "handshake-timeout": {
    value: "number",
    placeholder: "SECONDS",
    range: [0.001, LONGEST_SECONDS],
    help: "How long a client may take to name its roots, and a server to answer initialize (default: 45)",
    variable: "AHMA_HANDSHAKE_TIMEOUT",
  },
  "require-token": {
    value: "none",
    placeholder: "",
    help: "Serve only clients that send the token of a private file",
    variable: "AHMA_REQUIRE_TOKEN",
  },
  "allow-host": {
    value: "text",
    placeholder: "HOST",
    repeatable: true,
    help: "A further Host header to accept, with its port",
    variable: "AHMA_ALLOW_HOST",
  },
  "allow-origin": {
    value: "text",
    placeholder: "ORIGIN",
    repeatable: true,
    help: "An origin whose pages may use the server, as in https://ide.example",
    variable: "AHMA_ALLOW_ORIGIN",
  },
  "max-sessions": {
    value: "count",
    placeholder: "N",
    range: [1, 10_000],
    help: "How many HTTP sessions there may be at once (default: 64)",
    variable: "AHMA_MAX_SESSIONS",
  },
  "session-idle": {
    value: "number",
    placeholder: "SECONDS",
    range: [0.001, LONGEST_SECONDS],
    help: "End an HTTP session that was not used for so long (default: 1800)",
    variable: "AHMA_SESSION_IDLE",
  },
  "server-command": {
    value: "text",
    placeholder: "PROGRAM",
    help: "Offer this stdio MCP server over HTTP instead of our own, inside the sandbox",
    variable: "AHMA_SERVER_COMMAND",
  },
  "server-args": {
    value: "text",
    placeholder: "WORD",
    repeatable: true,
    help: "An argument of --server-command",
    variable: "AHMA_SERVER_ARGS",
  },
  "request-timeout": {
    value: "number",
    placeholder: "SECONDS",
    range: [0, LONGEST_SECONDS],
    help:
      "How long --server-command may take to answer; each progress begins the time again (default: 60; 0: no limit)",
    variable: "AHMA_REQUEST_TIMEOUT",
  },
} as const satisfies Readonly<Record<string, Flag>>;
