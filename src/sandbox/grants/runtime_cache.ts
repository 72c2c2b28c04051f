/** The runtime's cache of compiled code (S4): a command that writes there would decide what the next server does. */
import type { SandboxSettings } from "../policy/sandbox_settings.ts";
import { userDirectory } from "../../system/user_directories.ts";
import { absolutePath, existingPart, isWithin, trustedPath } from "../../system/paths.ts";

/** Why commands must not be run with this cache; undefined: they cannot write to it. `writable`: canonical trees. */
export function runtimeCacheProblem(
  { serverEnvironment, workingDirectory }: Pick<SandboxSettings, "serverEnvironment" | "workingDirectory">,
  writable: readonly string[],
): string | undefined {
  const directory = runtimeCache(serverEnvironment, workingDirectory);
  if (directory === undefined) return undefined;
  const open = writable.some((tree) => isWithin(directory, tree)) ||
    trustedPath(existingPart(directory), writable) === undefined;
  if (!open) return undefined;
  return `Cannot use the runtime's cache "${directory}": commands could write to it, and with it the compiled code that ` +
    "the next server runs. Set DENO_DIR to a directory outside the scope and --write";
}

/** As the runtime looks for it: relative variables count from the working directory, unlike for other programs. */
export function runtimeCache(
  environment: Readonly<Record<string, string>>,
  workingDirectory: string,
): string | undefined {
  const { DENO_DIR: own = "", XDG_CACHE_HOME: shared = "" } = environment;
  if (own !== "") return absolutePath(own, workingDirectory);
  const caches = shared === "" ? userDirectory(environment, "XDG_CACHE_HOME") : absolutePath(shared, workingDirectory);
  return caches === undefined ? undefined : `${caches}/deno`;
}
