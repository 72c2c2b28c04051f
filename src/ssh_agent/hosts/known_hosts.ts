/** Files of known hosts (sshd(8)): which names a host key belongs to. Pure. */
import { sameBytes } from "../../base/bytes.ts";
import { attempt } from "../../base/errors.ts";
import { encodeText } from "../../base/text.ts";
import { type HostName, knownName, printHost } from "./host_name.ts";
import { parsePublicKey } from "../wire/public_key.ts";

interface KnownHost {
  readonly line: string;
  readonly isRevoked: boolean;
  /** Patterns and negations, or one hashed name. */
  readonly names: readonly string[];
  readonly key: Uint8Array;
}

const REVOKED = "@revoked";

export class KnownHosts {
  readonly #hosts: readonly KnownHost[];

  /** `text`: of all files. Certificate authorities and malformed lines are left out. */
  constructor(text: string) {
    this.#hosts = text.split("\n").flatMap((line) => parseLine(line) ?? []);
  }

  /** Whether a host has this key; never one that is revoked. */
  async hasKey(host: HostName, key: Uint8Array): Promise<boolean> {
    const lines = this.#of(key);
    if (lines.some(({ isRevoked }) => isRevoked)) return false;
    const matching = await Promise.all(lines.map(({ names }) => matches(names, knownName(host))));
    return matching.some((is) => is);
  }

  /** Whether the key has a name, and one that is readable or, if hashed, among these names. A revoked key has none. */
  async find(
    key: Uint8Array,
    perhaps: readonly HostName[],
  ): Promise<{ readonly isKnown: boolean; readonly name?: string }> {
    const lines = this.#of(key);
    if (lines.length === 0 || lines.some(({ isRevoked }) => isRevoked)) return { isKnown: false };
    const read = lines.flatMap(({ names }) => names).find((one) => !/[|*?!]/.test(one));
    if (read !== undefined) return { isKnown: true, name: read.replace(/^\[(.*)\](:\d+)$/, "$1$2") };
    for (const one of perhaps) if (await this.hasKey(one, key)) return { isKnown: true, name: printHost(one) };
    return { isKnown: true };
  }

  /** The lines about some hosts, for programs that check them too. */
  async linesFor(hosts: readonly HostName[]): Promise<readonly string[]> {
    const wanted = await Promise.all(this.#hosts.map(async ({ names, isRevoked }) => {
      const matching = await Promise.all(hosts.map((host) => matches(names, knownName(host))));
      return isRevoked || matching.some((is) => is);
    }));
    return this.#hosts.filter((_, at) => wanted[at]).map(({ line }) => line);
  }

  #of(key: Uint8Array): readonly KnownHost[] {
    return this.#hosts.filter((one) => sameBytes(one.key, key));
  }
}

function parseLine(line: string): KnownHost | undefined {
  const words = line.trim().split(/\s+/);
  const isRevoked = words[0] === REVOKED;
  const [names = "", ...key] = isRevoked ? words.slice(1) : words;
  const parsed = parsePublicKey(key.slice(0, 2).join(" "));
  if (parsed === undefined || names === "" || /^[@#]/.test(names)) return undefined;
  return { line: line.trim(), isRevoked, names: names.startsWith("|") ? [names] : names.split(","), key: parsed };
}

async function matches(names: readonly string[], name: string): Promise<boolean> {
  const [first = ""] = names;
  if (first.startsWith("|")) return await isHashOf(first, name);
  const matching = names.filter((one) => isPatternOf(one.replace(/^!/, "").toLowerCase(), name));
  return matching.length > 0 && !matching.some((one) => one.startsWith("!"));
}

/** `|1|SALT|HASH`: HMAC-SHA1 of the name. */
async function isHashOf(hashed: string, name: string): Promise<boolean> {
  const [, kind, ...parts] = hashed.split("|");
  const [salt, hash] = parts.map((part) => attempt(SyntaxError, () => Uint8Array.fromBase64(part)));
  if (kind !== "1" || salt === undefined || hash === undefined) return false;
  const algorithm = { name: "HMAC", hash: "SHA-1" };
  const key = await crypto.subtle.importKey("raw", salt, algorithm, NOT_EXTRACTABLE, ["sign"]);
  return sameBytes(new Uint8Array(await crypto.subtle.sign(algorithm, key, encodeText(name))), hash);
}

const NOT_EXTRACTABLE: boolean = false;

/** `*` and `?`, in time that grows with the product of both lengths. */
function isPatternOf(pattern: string, name: string): boolean {
  let places = new Set([0]);
  for (const character of pattern) {
    const next = new Set<number>();
    for (const at of places) {
      if (character === "*") { for (let to = at; to <= name.length; to++) next.add(to); }
      else if (at < name.length && (character === "?" || character === name[at])) next.add(at + 1);
    }
    places = next;
  }
  return places.has(name.length);
}
