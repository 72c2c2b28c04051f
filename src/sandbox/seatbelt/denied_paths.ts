/** What a session's profile on macOS closes: places of credentials (S7), and files that programs outside obey (S8). */
import { words } from "../../base/text.ts";
import { realPath } from "../../system/paths.ts";
import type { ProtectedPath } from "../protect/protected_paths.ts";
import type { SeatbeltPolicy } from "./profile.ts";

const APPLICATIONS: readonly string[] = words(
  "1Password Arc Bitwarden BraveSoftware Chromium Firefox Google/Chrome Vivaldi com.apple.TCC com.operasoftware.Opera",
);
const LIBRARY = words("Accounts Containers/com.apple.Safari Cookies Keychains Mail Messages Safari");

/** Below home, in addition to what is sensitive on every system: keychains, browsers, messages, password managers. */
export const SENSITIVE_ON_MACOS = [
  ...[...APPLICATIONS, "Microsoft Edge"].map((name) => `Library/Application Support/${name}`),
  ...LIBRARY.map((name) => `Library/${name}`),
  "Library/Group Containers/2BUA8C4S2C.com.1password",
  ".zsh_sessions",
];

/** Passwords of the machine, which only root could read. */
const SENSITIVE_OF_ROOT = ["/private/etc/master.passwd", "/private/etc/sudoers", "/private/var/db/dslocal"] as const;

/** Below `.git`: protected where there is a repository already; else none could be made. */
const GIT = "/.git/";

/**
 * A policy's closed parts. `sensitive`: closed credentials, canonical. `protect`: protected paths in the trees, which
 * need not exist.
 */
export function closedPlaces(
  { sensitive, protect }: { readonly sensitive: readonly string[]; readonly protect: readonly ProtectedPath[] },
): Pick<SeatbeltPolicy, "sensitive" | "protected" | "protectedFiles"> {
  const canBeMade = ({ path }: ProtectedPath) => {
    const at = path.indexOf(GIT);
    return at < 0 || realPath(path.slice(0, at + GIT.length - 1)) !== undefined;
  };
  const paths = (fileOnly: boolean) => {
    return protect.filter((one) => one.fileOnly === fileOnly && canBeMade(one)).map(({ path }) => path);
  };
  return {
    sensitive: [...sensitive, ...SENSITIVE_OF_ROOT],
    protected: paths(WHOLE),
    protectedFiles: paths(AS_FILE),
  };
}

const [AS_FILE, WHOLE] = [true, false];
