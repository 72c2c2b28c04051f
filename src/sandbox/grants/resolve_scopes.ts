/** Which directories a session may use, settled once before its first command (S1) and pinned by identity (S4). */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { Libc } from "../../system/libc.ts";
import { expected, realPath } from "../../system/paths.ts";
import type { PinnedDirectory } from "../policy/policy.ts";
import type { SandboxSettings } from "../policy/sandbox_settings.ts";

/** What decides the scope. */
export type ScopeChoice = Pick<SandboxSettings, "scopes" | "workingDirectory" | "home" | "allowBroad">;

/** The scopes, canonical and pinned, or why one cannot be used. */
export function settleScopes(choice: ScopeChoice, libc: Pick<Libc, "identityOf">): Outcome<readonly PinnedDirectory[]> {
  const given = choice.scopes.length > 0 ? choice.scopes : [choice.workingDirectory];
  const pinned: PinnedDirectory[] = [];
  for (const scope of given) {
    const one = settleScope(scope, choice, libc);
    if (!one.ok) return one;
    if (!pinned.some(({ path }) => path === one.value.path)) pinned.push(one.value);
  }
  return success(pinned);
}

/** Why one of the scopes, as given, leads to no directory; undefined: each does. */
export function missingScope({ scopes, workingDirectory }: ScopeChoice): string | undefined {
  const missing = scopes.find((scope) => scopeDirectory(scope, workingDirectory) === undefined);
  return missing === undefined ? undefined : noDirectory(missing);
}

function noDirectory(scope: string): string {
  return `Cannot use "${scope}" as the sandbox scope: it is not an existing directory`;
}

function settleScope(scope: string, choice: ScopeChoice, libc: Pick<Libc, "identityOf">): Outcome<PinnedDirectory> {
  if (scope.trim() === "") return failure("Cannot use an empty path as the sandbox scope: name a directory");
  if (scope.includes("\0")) return failure("Cannot use the sandbox scope: its path holds a NUL character");
  const directory = scopeDirectory(scope, choice.workingDirectory);
  if (directory === undefined) return failure(noDirectory(scope));
  if (directory === "/") {
    return failure(
      `Cannot use "${scope}" as the sandbox scope: it is the whole file system, and the server's own files must lie ` +
        "where commands cannot write. Name a directory in it, or run without a sandbox (--no-sandbox) in one",
    );
  }
  const broad = choice.allowBroad ? undefined : broadness(directory, choice.home);
  if (broad !== undefined) {
    return failure(
      `Cannot use "${scope}" as the sandbox scope: it is ${broad}. ` +
        "Start in a project directory, name one with --sandbox-scope DIR, or accept it with --allow-broad-scope, which " +
        "needs DENO_DIR set to a directory outside it",
    );
  }
  const identity = libc.identityOf(directory);
  if (identity === undefined) return failure(`Cannot use "${scope}" as the sandbox scope: it cannot be looked at`);
  return success({ path: directory, ...identity });
}

/** The canonical directory that a scope, as given, leads to; undefined: none does. */
export function scopeDirectory(scope: string, workingDirectory: string): string | undefined {
  return realDirectory(scope.startsWith("/") ? scope : `${workingDirectory}/${scope}`);
}

function realDirectory(path: string): string | undefined {
  const real = realPath(path);
  return real !== undefined && expected(() => Deno.statSync(real).isDirectory) === true ? real : undefined;
}

/** Why a directory is too broad; undefined when it is not. */
function broadness(directory: string, home: string | undefined): string | undefined {
  if (home === undefined) return undefined;
  const realHome = realDirectory(home);
  if (realHome === undefined || realHome === "/") return undefined;
  if (directory === realHome) return "the home directory";
  return realHome.startsWith(directory + "/") ? "a directory that holds the home directory" : undefined;
}
