/** The scope of a child server (H3): the first bytes of its stdin, once. Messages of the client follow as MCP. */
import { concatenate } from "../../base/bytes.ts";
import { encodeText } from "../../base/text.ts";
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";

/** A source of bytes, as `Deno.stdin` is one. */
export interface ByteSource {
  read(buffer: Uint8Array): Promise<number | null>;
}

/** Hexadecimal digits of the length before the JSON, so that the reader takes no later byte. */
const LENGTH_DIGITS = 8;
/** The longest message, bytes; scopes are a handful of paths. */
const LARGEST = 1024 * 1024;

/** The message; `scopes` are canonical, at least one. */
export function scopeMessage(scopes: readonly PinnedDirectory[]): Uint8Array {
  const told = scopes.map(({ path, device, inode }) => ({ path, device: String(device), inode: String(inode) }));
  const json = encodeText(JSON.stringify({ scopes: told }));
  return concatenate([encodeText(json.length.toString(16).padStart(LENGTH_DIGITS, "0")), json]);
}

/** Waits for the message and takes exactly its bytes; undefined inside: the pipe was closed without one. */
export async function readScopeMessage(source: ByteSource): Promise<Outcome<readonly PinnedDirectory[] | undefined>> {
  const header = await readExactly(source, LENGTH_DIGITS);
  if (header === undefined) return success(undefined);
  const length = /^[0-9a-f]{8}$/.test(header) ? Number.parseInt(header, 16) : 0;
  if (length === 0 || length > LARGEST) return failure("Expected a scope from the bridge on stdin, not something else");
  const text = await readExactly(source, length);
  return text === undefined ? success(undefined) : scopesIn(text);
}

function scopesIn(text: string): Outcome<readonly PinnedDirectory[]> {
  // The bridge wrote it; the check is cheap all the same.
  const { scopes } = JSON.parse(text) as { readonly scopes?: unknown };
  const pinned = Array.isArray(scopes) ? scopes.map(pinnedIn) : [];
  const good = pinned.filter((one) => one !== undefined);
  return good.length > 0 && good.length === pinned.length
    ? success(good)
    : failure(`Cannot use ${JSON.stringify(scopes)} as scopes: give absolute paths, each with device and inode`);
}

function pinnedIn(value: unknown): PinnedDirectory | undefined {
  const { path, device, inode } = value as { readonly [Name in keyof PinnedDirectory]?: unknown };
  const whole = [device, inode].every((number) => typeof number === "string" && /^\d{1,20}$/.test(number));
  if (typeof path !== "string" || !path.startsWith("/") || !whole) return undefined;
  return { path, device: BigInt(String(device)), inode: BigInt(String(inode)) };
}

async function readExactly(source: ByteSource, length: number): Promise<string | undefined> {
  const bytes = new Uint8Array(length);
  for (let got = 0; got < length;) {
    const count = await source.read(bytes.subarray(got));
    if (count === null) return undefined;
    got += count;
  }
  return new TextDecoder().decode(bytes);
}
