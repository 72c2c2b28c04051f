/** Directories of the server's user, from environment variables. Pure except for the user id. */
import { UserError } from "../base/errors.ts";

type Environment = Readonly<Record<string, string>>;

/** Variables of the XDG Base Directory Specification, and the default of each below home. */
export const XDG_DIRECTORIES = {
  XDG_CACHE_HOME: ".cache",
  XDG_CONFIG_HOME: ".config",
  XDG_DATA_HOME: ".local/share",
  XDG_STATE_HOME: ".local/state",
} as const;

/** The variable's directory, else its default below HOME; undefined: neither is set. Relative counts as unset. */
export function userDirectory(environment: Environment, variable: keyof typeof XDG_DIRECTORIES): string | undefined {
  const named = environment[variable];
  if (named?.startsWith("/")) return named;
  const home = homeOf(environment);
  return home === undefined ? undefined : `${home}/${XDG_DIRECTORIES[variable]}`;
}

/** The directory of the program's state, in `XDG_STATE_HOME` or `~/.local/state`; undefined without either. */
export function stateDirectory(environment: Environment): string | undefined {
  const state = userDirectory(environment, "XDG_STATE_HOME");
  return state === undefined ? undefined : `${state}/ahma`;
}

/** For sockets of this user: `XDG_RUNTIME_DIR`, or systemd's place, as another server may have it. */
export function runtimeDirectory(environment: Environment): string {
  const named = environment["XDG_RUNTIME_DIR"];
  return `${named?.startsWith("/") === true ? named : `/run/user/${Deno.uid()}`}/ahma_mcp`;
}

/** HOME; undefined: it is missing or not an absolute path. */
export function homeOf(environment: Environment): string | undefined {
  return environment["HOME"]?.startsWith("/") === true ? environment["HOME"] : undefined;
}

/** @throws {UserError} when HOME is unusable, because the sandbox could then not recognize the user's credentials */
export function insistOnHome(environment: Environment): void {
  if (homeOf(environment) !== undefined) return;
  const given = environment["HOME"];
  const found = given === undefined ? "is not set" : `is ${JSON.stringify(given)}, not an absolute path`;
  throw new UserError(
    `Cannot set up the sandbox: HOME ${found}, so the user's credentials cannot be told from other files. ` +
      "Set HOME to the user's home directory",
  );
}
