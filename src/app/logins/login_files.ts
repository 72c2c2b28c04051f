import { UserError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { LoginFiles } from "../../upstream/oauth/store/login_files.ts";
import { stateDirectory } from "../../system/user_directories.ts";

/** The user's logins to other servers (O4). @throws {UserError} where no directory is named for them */
export function userLoginFiles(environment: Readonly<Record<string, string>>, log: Logger): LoginFiles {
  const directory = stateDirectory(environment);
  if (directory === undefined) {
    throw new UserError("Cannot keep logins: neither XDG_STATE_HOME nor HOME names a directory");
  }
  return new LoginFiles(`${directory}/oauth`, log);
}
