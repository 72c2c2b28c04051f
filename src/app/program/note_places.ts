/**
 * Directories for notes in `.ahma`, which is otherwise read-only for workers and commands (K6). Where there is no
 * `.ahma` nothing is made: then the worker can make all of it.
 */
import { WRITABLE_IN_OWN } from "../../sandbox/protect/protected_paths.ts";
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";
import { toolGroups } from "../../settings/bundles.ts";
import type { Settings } from "../../settings/settings.ts";
import { FileCalls } from "../../system/open_files/file_calls.ts";

/** Groups whose tools write there. */
const WRITERS: readonly string[] = ["issues", "memos", "todo", "question"];

/** Makes those that are missing in the first scope; a link on the way leads nowhere. */
export function makeNotePlaces([scope]: readonly PinnedDirectory[], { bundles }: Pick<Settings, "bundles">): void {
  if (scope === undefined || Deno.build.os !== "linux") return;
  if (!toolGroups(bundles).some((group) => WRITERS.includes(group))) return;
  const calls = new FileCalls(Deno.build.arch);
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
