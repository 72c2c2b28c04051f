import { SERVER_HEAP } from "../src/app/program/own_program.ts";

/**
 * What the server asks of the runtime. Not the network: it talks over stdio, and what commands may do is the
 * sandbox's business. Without all permissions the runtime keeps `/proc` shut, so the server reads it through libc.
 */
export const SERVER_PERMISSIONS: readonly string[] = [
  "--allow-read",
  "--allow-write",
  "--allow-env",
  "--allow-run",
  "--allow-ffi",
  "--allow-sys",
];

/** What the start script grants as well: a settings file may ask for HTTP, and main.ts gives it up where it is not needed. */
export const HTTP_PERMISSIONS: readonly string[] = ["--allow-net"];

/** How any process of the packed program is run: alone, with nothing to ask, to find or to load from anywhere. */
export const PROCESS_FLAGS: readonly string[] = [
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--no-remote",
  "--no-npm",
  "--cached-only",
  ...SERVER_PERMISSIONS,
];

/** How the packed program is run as a server. */
export const SERVER_RUN_FLAGS: readonly string[] = [SERVER_HEAP, ...PROCESS_FLAGS];

/** How the start scripts run it: the mode is known only once the settings are read. */
export const START_FLAGS: readonly string[] = [...SERVER_RUN_FLAGS, ...HTTP_PERMISSIONS];
