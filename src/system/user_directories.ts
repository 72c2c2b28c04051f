/** The home directory of the server's user: what is closed to commands is known by it. */
import { UserError } from "../base/errors.ts";

type Environment = Readonly<Record<string, string>>;

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
