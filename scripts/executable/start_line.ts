/** What the runtime in our executable is started with, instead of what its own command line and variables would say. */
import { AWAIT_SCOPE, AWAIT_SCOPE_AHEAD } from "../../src/app/http/awaited_scope.ts";
import { PROGRAM_DESCRIPTOR, PROGRAM_TEXT, SMALL_HEAP } from "../../src/app/program/own_program.ts";
import { WORKER_HEAP } from "../../src/app/program/worker_program.ts";
import { HELPER_HEAP } from "../../src/toolbox/helper/messages.ts";
import { HTTP_PERMISSIONS, PROCESS_FLAGS, SERVER_RUN_FLAGS } from "../permissions.ts";
import type { StartLine } from "./stub.ts";

/** The runtime looks at its own name: by others it is another program, one that runs packages from the network. */
const RUNTIME = "deno";
/** The text has no name that ends with the kind of module that it is. */
const MODULE = ["--ext=mjs", PROGRAM_TEXT];

/** The same for every processor. */
export const START_LINE: StartLine = {
  words: [RUNTIME, "run", ...SERVER_RUN_FLAGS, ...HTTP_PERMISSIONS, ...MODULE],
  sessionWords: [RUNTIME, "run", SMALL_HEAP, ...PROCESS_FLAGS, ...MODULE],
  sessionMarks: [AWAIT_SCOPE, AWAIT_SCOPE_AHEAD],
  // The runtime adds nothing of its own to what commands see.
  variables: ["DENO_NO_UPDATE_CHECK=1", "DENO_DISABLE_NODE_SHIM=1"],
  rules: [
    // The place of the cache, or what it follows from, and two places of certificates are the user's to choose.
    "!DENO_DIR=",
    "=XDG_CACHE_HOME=",
    "=HOME=",
    "+DENO_CERT=",
    "+DENO_TLS_CA_STORE=",
    // Native tools bound their own heap by these values only.
    ...[WORKER_HEAP, HELPER_HEAP].map((heap) => `+${heap.join("=")}`),
    // The rest steers the runtime: flags of its engine, control sockets, coverage, telemetry, a descriptor of Node's for
    // messages, and modules that are loaded first (src/app/program/node_options.ts).
    "-DENO_",
    "^NODE_OPTIONS=",
    "-NODE_CHANNEL_",
    "-OTEL_DENO",
    // What the start script tells the program and its own finding of a runtime mean nothing here.
    "-AHMA_SCRIPT_PID=",
    "-AHMA_DENO=",
  ],
  // Without any of them the runtime does not start; with a place that cannot be it keeps nothing.
  fallback: "DENO_DIR=/proc/no-home",
  memoryName: "ahma_mcp.mjs",
  descriptor: PROGRAM_DESCRIPTOR,
};
