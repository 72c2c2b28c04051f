/** Where native tools find files that are not only in the project, and where they keep data that outlives them (K7, K8). */
import type { ProtectedChange } from "../base/command/protected_change.ts";
import { fingerprint } from "../base/fingerprint.ts";
import { type PromptDirectory, type ReadPrompts, readPrompts } from "../prompt/load/read_prompts.ts";
import type { SessionSandbox } from "../sandbox/settle_paths.ts";
import { expected, isWithin, realPath } from "../system/paths.ts";
import { stateDirectory, userDirectory } from "../system/user_directories.ts";
import { WRITABLE_IN_OWN } from "../sandbox/protect/protected_paths.ts";
import type { PinnedDirectory } from "../sandbox/policy/policy.ts";
import { toolGroups } from "../settings/bundles.ts";
import type { Settings } from "../settings/settings.ts";
import { FileCalls } from "../system/open_files/file_calls.ts";

type Environment = Readonly<Record<string, string>>;

/** Of the user, then of the project (`own`, relative to it), which wins a name. Another program's directory counts where ours is missing. */
export function flowDirectories(
  environment: Environment,
  { scopes }: Pick<SessionSandbox, "scopes">,
  own: string,
): readonly PromptDirectory[] {
  const config = userDirectory(environment, "XDG_CONFIG_HOME");
  const user: readonly PromptDirectory[] = config === undefined
    ? []
    : [{ origin: "user", path: `${config}/ahma/flows`, mayRead: () => true }];
  const project = scopes.slice(0, 1).map(({ path }): PromptDirectory => ({
    origin: "project",
    path:
      [`${path}/${own}`, `${path}/.swissarmyhammer/workflows`, `${path}/.sah/workflows`].find((one) =>
        realPath(one) !== undefined
      ) ?? `${path}/${own}`,
    mayRead: (real) => isWithin(real, path),
  }));
  return [...user, ...project];
}

/** The texts of the user's rules (K8). */
export function userRules(environment: Environment): ReadPrompts {
  const config = userDirectory(environment, "XDG_CONFIG_HOME");
  if (config === undefined) return { texts: [], diagnostics: [] };
  return readPrompts({ origin: "user", path: `${config}/ahma/rules`, mayRead: () => true });
}

/** The directory of this project's runs, which commands cannot write: without one in the home, it ends with the session. */
export function runsDirectory(
  environment: Environment,
  { scopes, writable, directories }: Pick<SessionSandbox, "scopes" | "writable" | "directories">,
): string {
  const state = stateDirectory(environment);
  const isSafe = state !== undefined && !writable.some((tree) => isWithin(state, tree));
  return isSafe ? `${state}/flows/${fingerprint(scopes[0]?.path ?? "")}` : `${directories.root}/flows`;
}

/** Groups whose tools write notes. */
const WRITERS: readonly string[] = ["issues", "memos", "todo", "question"];

/** Makes the directories for notes in `.ahma`, else read-only (K6), unless the worker can make all. No links. */
export function makeNotePlaces([scope]: readonly PinnedDirectory[], { bundles }: Pick<Settings, "bundles">): void {
  if (scope === undefined || Deno.build.os !== "linux") return;
  if (!toolGroups(bundles).some((group) => WRITERS.includes(group))) return;
  const calls = new FileCalls();
  const files = calls.begin();
  try {
    const own = files.directory(scope, ".ahma");
    if (own === undefined) return;
    for (const name of WRITABLE_IN_OWN) files.makeDirectory(own, name);
  } finally {
    files[Symbol.dispose]();
    calls[Symbol.dispose]();
  }
}

/** Whether a call only made `.ahma` with directories for notes in it, which no program outside obeys. */
export function isForNotes({ path, change }: ProtectedChange, scopes: readonly PinnedDirectory[]): boolean {
  if (change !== "created" || !scopes.some((scope) => path === `${scope.path}/.ahma`)) return false;
  const names: readonly string[] = WRITABLE_IN_OWN;
  const entries = expected(() => [...Deno.readDirSync(path)]);
  return entries?.every(({ name, isDirectory }) => isDirectory && names.includes(name)) === true;
}
