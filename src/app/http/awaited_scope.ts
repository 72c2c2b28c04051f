/** The start of a child server that receives its scope from the HTTP bridge on stdin (H3). */
import { readScopeMessage } from "../../bridge/isolated/scope_message.ts";
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";
import { StartMemory } from "../program/start_memory.ts";
import { type Outcome, success } from "../../base/outcome.ts";

/** First word of its command line. Users never type it, so the table of flags does not have it. */
export const AWAIT_SCOPE = "--await-scope";
/** The same for a spare process, which has time until its scope comes. */
export const AWAIT_SCOPE_AHEAD = "--await-scope=ahead";

/** A command line whose scope is known. */
export interface WholeCommandLine {
  readonly words: readonly string[];
  /** Identities of the scopes; their paths may lead elsewhere by the time they are opened (S1). */
  readonly pinned: readonly PinnedDirectory[];
}

/**
 * The whole command line: unchanged, or with the received scope, which becomes the working directory. Undefined: stdin
 * was closed without a scope, and there is nothing to do.
 */
export async function withAwaitedScope(words: readonly string[]): Promise<Outcome<WholeCommandLine> | undefined> {
  const [word] = words;
  if (word !== AWAIT_SCOPE && word !== AWAIT_SCOPE_AHEAD) return success({ words, pinned: [] });
  const memory = new StartMemory();
  if (word === AWAIT_SCOPE_AHEAD) {
    await (await import("./warm_up.ts")).warmUp();
    memory.begin();
  }
  const told = await readScopeMessage(Deno.stdin);
  memory[Symbol.dispose]();
  if (!told.ok) return told;
  if (told.value === undefined) return undefined;
  const pinned = told.value;
  Deno.chdir(pinned[0]?.path ?? "/");
  return success({ words: [...words.slice(1), ...pinned.map(({ path }) => `--sandbox-scope=${path}`)], pinned });
}
