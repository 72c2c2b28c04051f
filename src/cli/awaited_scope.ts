/** The start of a server process that the HTTP bridge tells its scope (H3): the rest of its command line comes by stdin. */
import { rehearse } from "./rehearsal.ts";
import { readScopeMessage } from "../bridge/scope_message.ts";
import { type Outcome, success } from "../base/outcome.ts";

/** The first word of such a command line. Not for people, so it is no flag of the table. */
export const AWAIT_SCOPE = "--await-scope";
/** The same for one that has time until then. */
export const AWAIT_SCOPE_AHEAD = "--await-scope=ahead";

/**
 * The whole command line: as it is, or with the scope that came, in whose directory the process is from then on.
 * Undefined: none came, and there is nothing to do.
 */
export async function withAwaitedScope(words: readonly string[]): Promise<Outcome<readonly string[]> | undefined> {
  const [word] = words;
  if (word !== AWAIT_SCOPE && word !== AWAIT_SCOPE_AHEAD) return success(words);
  if (word === AWAIT_SCOPE_AHEAD) await rehearse();
  const told = await readScopeMessage(Deno.stdin);
  if (!told.ok) return told;
  if (told.value === undefined) return undefined;
  const [directory = "/"] = told.value;
  Deno.chdir(directory);
  return success([...words.slice(1), ...told.value.map((path) => `--sandbox-scope=${path}`)]);
}
