/** The start of a server process that the HTTP bridge tells its scope (H3): the rest of its command line comes by stdin. */
import { rehearse } from "./warm_up.ts";
import { readScopeMessage } from "../../bridge/isolated/scope_message.ts";
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";
import { type Outcome, success } from "../../base/outcome.ts";

/** The first word of such a command line. Not for people, so it is no flag of the table. */
export const AWAIT_SCOPE = "--await-scope";
/** The same for one that has time until then. */
export const AWAIT_SCOPE_AHEAD = "--await-scope=ahead";

/** A command line whose scope is known. */
export interface WholeCommandLine {
  readonly words: readonly string[];
  /** What the scopes in it must turn out to be: their paths may lead elsewhere by the time they are opened (S1). */
  readonly pinned: readonly PinnedDirectory[];
}

/**
 * The whole command line: as it is, or with the scope that came, in whose directory the process is from then on.
 * Undefined: none came, and there is nothing to do.
 */
export async function withAwaitedScope(words: readonly string[]): Promise<Outcome<WholeCommandLine> | undefined> {
  const [word] = words;
  if (word !== AWAIT_SCOPE && word !== AWAIT_SCOPE_AHEAD) return success({ words, pinned: [] });
  if (word === AWAIT_SCOPE_AHEAD) await rehearse();
  const told = await readScopeMessage(Deno.stdin);
  if (!told.ok) return told;
  if (told.value === undefined) return undefined;
  const pinned = told.value;
  Deno.chdir(pinned[0]?.path ?? "/");
  return success({ words: [...words.slice(1), ...pinned.map(({ path }) => `--sandbox-scope=${path}`)], pinned });
}
