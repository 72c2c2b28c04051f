/** The server that rows about native tools share. */
import type { ServerSetting } from "../frame/attack.ts";

/** Controls are lines of the shell, which these flags leave alone. */
export const NATIVE: ServerSetting = {
  flags: () => ["--bundles", "files,files_patch,issues,memos,todo,question"],
  plainControl: true,
};
