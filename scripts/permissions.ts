import { SERVER_HEAP } from "../src/app/program/own_program.ts";

/**
 * The runtime permissions of the server. The network is not among them: the server uses stdio, and the sandbox decides
 * about commands. The runtime opens `/proc` only with all permissions, so the server reads it through libc.
 */
export const SERVER_PERMISSIONS: readonly string[] = [
  "--allow-read",
  "--allow-write",
  "--allow-env",
  "--allow-run",
  "--allow-ffi",
  "--allow-sys",
];

/** Also granted by the start script, as a settings file may ask for HTTP; main.ts gives it up if it is not needed. */
export const HTTP_PERMISSIONS: readonly string[] = ["--allow-net"];

/** Runtime flags of every process of the packed program: no prompts, no configuration, no remote code. */
export const PROCESS_FLAGS: readonly string[] = [
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--no-remote",
  "--no-npm",
  "--cached-only",
  ...SERVER_PERMISSIONS,
];

/** The runtime flags for a server. */
export const SERVER_RUN_FLAGS: readonly string[] = [SERVER_HEAP, ...PROCESS_FLAGS];

/** The runtime flags in the start scripts: the mode is known only when the settings have been read. */
export const START_FLAGS: readonly string[] = [...SERVER_RUN_FLAGS, ...HTTP_PERMISSIONS];
