/**
 * The entries of servers in a private directory: a socket, and a file with the token that the server requires. A server
 * locks that file while it runs, and names are never reused, so an entry that can be locked belongs to a dead server.
 */
import { undefinedFor } from "../../base/errors.ts";
import { encodeText } from "../../base/text.ts";
import { writeAll } from "../../base/write_all.ts";
import { freeLock } from "../../system/replace/file_lock.ts";

const TOKEN = ".token";
const SOCKET = ".sock";
/** The prefix of an entry that is being created. */
const UNFINISHED = ".";
/** An unfinished entry older than this is from a killed server, milliseconds. */
const UNFINISHED_MS = 60_000;
const TOKEN_BYTES = 32;
const NAME_BYTES = 8;
const EXCLUSIVE = true;

/** The paths of one server. */
export interface Entry {
  readonly socket: string;
  readonly tokenFile: string;
}

/** The entry of this server. */
export interface OwnEntry extends Entry {
  readonly token: string;
  /** Makes it visible to others. @throws {Error} When the system refuses. */
  publish(): Promise<void>;
  /** Removes it. */
  remove(): Promise<void>;
}

/** An entry that is not published. @throws {Error} When the system refuses. */
export async function makeEntry(directory: string): Promise<OwnEntry> {
  const name = `${Deno.pid}-${crypto.getRandomValues(new Uint8Array(NAME_BYTES)).toHex()}`;
  const token = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)).toHex();
  const entry = entryOf(directory, name);
  const draft = `${directory}/${UNFINISHED}${name}${TOKEN}`;
  const file = await Deno.open(draft, { write: true, createNew: true, mode: 0o600 });
  const remove = async () => {
    for (const path of [entry.socket, entry.tokenFile, draft]) await Deno.remove(path).catch(undefinedFor(Error));
    freeLock(file);
  };
  try {
    await file.lock(EXCLUSIVE);
    await writeAll(file, encodeText(token));
  } catch (thrown) {
    await remove();
    throw thrown;
  }
  return { ...entry, token, publish: () => Deno.rename(draft, entry.tokenFile), remove };
}

/** The existing entries, those of dead servers too; empty if there is no directory. */
export async function entriesIn(directory: string): Promise<readonly Entry[]> {
  const names = await namesIn(directory);
  return names.filter((name) => !name.startsWith(UNFINISHED)).map((name) => entryOf(directory, name));
}

/** Removes what dead servers left. */
export async function removeDeadEntries(directory: string): Promise<void> {
  for (const name of await namesIn(directory)) {
    const isUnfinished = name.startsWith(UNFINISHED);
    const { socket, tokenFile } = entryOf(directory, name);
    const ofDraft = entryOf(directory, name.slice(UNFINISHED.length)).socket;
    await removeIfDead({ socket: isUnfinished ? ofDraft : socket, tokenFile }, isUnfinished ? UNFINISHED_MS : 0);
  }
}

/** Removes the entry if its server is dead and it is as old as this; whether it was. */
export async function removeIfDead({ socket, tokenFile }: Entry, olderThanMs = 0): Promise<boolean> {
  const file = await Deno.open(tokenFile, { read: true, write: true }).catch(undefinedFor(Error));
  if (file === undefined) return false;
  const { mtime } = await file.stat();
  const isOld = Date.now() - (mtime?.getTime() ?? 0) >= olderThanMs;
  if (!isOld || !await file.tryLock(EXCLUSIVE)) {
    file.close();
    return false;
  }
  // The token is removed last, because the entry is found by it.
  for (const path of [socket, tokenFile]) await Deno.remove(path).catch(undefinedFor(Error));
  freeLock(file);
  return true;
}

function entryOf(directory: string, name: string): Entry {
  return { socket: `${directory}/${name}${SOCKET}`, tokenFile: `${directory}/${name}${TOKEN}` };
}

/** Names of token files without their extension. */
async function namesIn(directory: string): Promise<readonly string[]> {
  const found = await Array.fromAsync(Deno.readDir(directory)).catch(undefinedFor(Error)) ?? [];
  return found.filter(({ name, isFile }) => isFile && name.endsWith(TOKEN)).map(({ name }) =>
    name.slice(0, -TOKEN.length)
  );
}
