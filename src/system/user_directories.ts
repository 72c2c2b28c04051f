/** Directories of the server's user, by the variables that name them. Pure, but for the number of the user. */
import { UserError } from "../base/errors.ts";

type Environment = Readonly<Record<string, string>>;

/** Variables of the XDG Base Directory Specification, and the default of each below home. */
export const XDG_DIRECTORIES = {
  XDG_CACHE_HOME: ".cache",
  XDG_CONFIG_HOME: ".config",
  XDG_DATA_HOME: ".local/share",
  XDG_STATE_HOME: ".local/state",
} as const;

/** The directory that the variable names, else its default below HOME; undefined without either. A relative path counts as unset. */
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

/**
 * The program's own directory where sockets of this user are: in `XDG_RUNTIME_DIR`, or where systemd has that, in case that
 * another server of the user has the variable.
 */
export function runtimeDirectory(environment: Environment): string {
  const named = environment["XDG_RUNTIME_DIR"];
  return `${named?.startsWith("/") === true ? named : `/run/user/${Deno.uid()}`}/ahma_mcp`;
}

/** HOME; undefined where it is missing or no absolute path, and says nothing. */
export function homeOf(environment: Environment): string | undefined {
  return environment["HOME"]?.startsWith("/") === true ? environment["HOME"] : undefined;
}

/** @throws {UserError} where the sandbox could not tell the user's credentials from other files */
export function insistOnHome(environment: Environment): void {
  if (homeOf(environment) !== undefined) return;
  const given = environment["HOME"];
  const found = given === undefined ? "is not set" : `is ${JSON.stringify(given)}, not an absolute path`;
  throw new UserError(
    `Cannot set up the sandbox: HOME ${found}, so the user's credentials cannot be told from other files. ` +
      "Set HOME to the user's home directory",
  );
}
