/** Trusted definitions of tools (O6): one that changed is withheld until a person approves it. Pure. */
import { encodeText } from "../../base/text.ts";
import { canonical, type Definition } from "./definition.ts";
import type { Item, ItemKind } from "./items.ts";
import type { PinMode } from "../config/server_spec.ts";

/** The stored data of one server between starts. */
export interface ServerRecord {
  /** As the server gave them last, in its order. */
  readonly seen: readonly Definition[];
  /** As first seen, or as approved. */
  readonly pinned: readonly Definition[];
  /** Names of tools that appeared later and are not approved. */
  readonly added: readonly string[];
}

/** The tools of a record; undefined: nothing is known. */
export function toolsOf(record: Pick<ServerRecord, "seen"> | undefined): readonly Definition[] {
  return (record?.seen ?? []).filter((one) => !("kind" in one));
}

/** The items of one kind of a record; empty: there is none. */
export function itemsOf(record: Pick<ServerRecord, "seen"> | undefined, kind: ItemKind): readonly Item[] {
  return (record?.seen ?? []).filter((one): one is Item => "kind" in one && one.kind === kind);
}

/** Why a known tool is not offered. */
export type Withheld = "changed" | "new" | "beyond";

/** Most bytes of all pinned definitions: a server that shows others at each start must not displace trusted ones. */
const MOST_PINNED = 5 * 1024 * 1024;

/** The record after `seen`. A first record is trusted; new tools without room in the record are not. */
export function recordSeen(record: ServerRecord | undefined, seen: readonly Definition[]): ServerRecord {
  if (record === undefined) return { seen, pinned: seen, added: [] };
  const known = new Set(record.pinned.map(({ name }) => name));
  const present = new Set(seen.map(({ name }) => name));
  const fresh = seen.filter(({ name }) => !known.has(name));
  const kept = record.pinned.filter((one) => !isData(one) || present.has(one.name));
  const added = fresh.length > 0 && sizeOf([...kept, ...fresh]) > MOST_PINNED ? [] : fresh;
  return {
    seen,
    pinned: [...kept, ...added],
    added: [...record.added, ...added.filter((one) => !isData(one)).map(({ name }) => name)],
  };
}

/** The record after a person approved these tools, or all. A full record drops tools that are gone. */
export function approved(record: ServerRecord, names?: readonly string[]): ServerRecord {
  const isMeant = (name: string) => names === undefined || names.includes(name);
  const fresh = record.seen.filter(({ name }) => isMeant(name));
  const kept = record.pinned.filter(({ name }) => !fresh.some((one) => one.name === name));
  const isFull = sizeOf([...kept, ...fresh]) > MOST_PINNED;
  const present = new Set(record.seen.map(({ name }) => name));
  return {
    seen: record.seen,
    pinned: [...isFull ? kept.filter(({ name }) => present.has(name)) : kept, ...fresh],
    added: record.added.filter((name) => !isMeant(name)),
  };
}

/** Why this tool is not offered; undefined: it is. */
export function withheldBecause(record: ServerRecord, definition: Definition, mode: PinMode): Withheld | undefined {
  if (mode === "off") return undefined;
  const pin = record.pinned.find(({ name }) => name === definition.name);
  if (pin === undefined) return "beyond";
  if (canonical(pin) !== canonical(definition)) return "changed";
  return mode === "strict" && record.added.includes(definition.name) ? "new" : undefined;
}

/** Resources come and go with their data, so new ones need no approval and missing ones are forgotten. */
function isData(definition: Definition): boolean {
  return "kind" in definition && definition.kind === "resource";
}

/** Maximum bytes of stored definitions. */
export function sizeOf(definitions: readonly Definition[]): number {
  return encodeText(JSON.stringify(definitions)).length;
}

const BECAUSE: Readonly<Record<Withheld, string>> = {
  changed: "the server changed its definition since it was approved",
  new: "it came after the server was approved",
  beyond: "the server has shown more tools than can be kept",
};

interface RecordedServer {
  readonly record: ServerRecord | undefined;
  readonly spec: { readonly name: string; readonly pin: PinMode };
}

/** Why a person must approve what a server has before it is offered, with the way out; undefined: it is. */
export function withheldReason({ record, spec }: RecordedServer, definition: Definition): string | undefined {
  const withheld = record === undefined ? undefined : withheldBecause(record, definition, spec.pin);
  if (withheld === undefined) return undefined;
  return `${BECAUSE[withheld]}. A person reads "ahma_mcp servers diff ${spec.name}" and then runs ` +
    `"ahma_mcp servers approve ${spec.name}"`;
}
