/** Everything known about a server's offers (O2): its stored record, and the answers of the connected server. */
import { lazy } from "../../base/lazy.ts";
import type { Logger } from "../../base/log.ts";
import { member } from "../../wire/json_value.ts";
import { canonical, type Definition, definitionsIn } from "../definitions/definition.ts";
import { instructionsItem, ITEM_LISTS, itemsIn } from "../definitions/items.ts";
import { itemsOf, recordSeen, type ServerRecord, sizeOf, toolsOf } from "../definitions/pins.ts";
import type { RecordStore } from "../definitions/record_store.ts";
import type { Link } from "../link/link.ts";

const TOOLS_TIMEOUT_MS = 30_000;
/** How long the tools wait for the other lists, milliseconds. */
const REST_TIMEOUT_MS = 10_000;
/** The protocol does not limit the number of pages. */
const MOST_PAGES = 64;
/** Of one kind. */
const MOST = 500;
/** Bytes of all definitions together, so that their record can always be read again. */
const MOST_BYTES = 4 * 1024 * 1024;

export class KnownDefinitions {
  readonly #store: RecordStore;
  readonly #id: string;
  // Read at the first use, because it would delay the answer to initialize.
  readonly #recorded: () => ServerRecord | undefined;
  readonly #recordedInstructions: () => ServerRecord | undefined;
  /** Newer than what was recorded at the first use; undefined: nothing is. */
  #newest: ServerRecord | undefined;

  /** `id`: the name of the record. */
  constructor(store: RecordStore, id: string) {
    this.#store = store;
    this.#id = id;
    this.#recorded = lazy(() => store.read(id));
    this.#recordedInstructions = lazy(() => store.readInstructions(id));
  }

  /** Undefined: nothing is known yet. */
  get record(): ServerRecord | undefined {
    return this.#newest ?? this.#recorded();
  }

  /** The part of it that says how the server is used; undefined: nothing is known. */
  get instructions(): ServerRecord | undefined {
    return this.#newest ?? this.#recordedInstructions();
  }

  /** Reads approvals again; true: it changed. What a connected server said stays: the file may be older. */
  reload({ isConnected }: { readonly isConnected: boolean }): boolean {
    const read = this.#store.read(this.#id);
    if (read === undefined) return false;
    const seen = isConnected ? this.record?.seen : undefined;
    const record = seen === undefined ? read : recordSeen(read, seen);
    if (canonical(record) === canonical(this.record)) return false;
    this.#newest = record;
    return true;
  }

  /** Asks the server, and records the answer; true: it differs from what was known. Rejects when the server refuses. */
  async learnFrom(link: Link, how: { readonly signal: AbortSignal; readonly log: Logger }): Promise<boolean> {
    const before = this.#store.read(this.#id) ?? this.record;
    const record = recordSeen(before, await learnedFrom(link, { before, ...how }));
    const isNew = before === undefined || canonical(record) !== canonical(this.record);
    this.#newest = record;
    if (isNew) await this.#store.write(this.#id, record);
    return isNew;
  }

  /** Whether the server says that a tool is read-only, or idempotent. */
  isReadOnly(name: string): boolean {
    const annotations = toolsOf(this.record).find((tool) => tool.name === name)?.annotations;
    return member(annotations, "readOnlyHint") === true || member(annotations, "idempotentHint") === true;
  }
}

interface LearnOptions {
  /** What is known of the server; undefined: nothing. */
  readonly before: ServerRecord | undefined;
  /** Cancels its requests. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** All that a server offers: tools, then the rest, each once. @throws {Error} When a server that has tools refuses their list, or has too much. */
export async function learnedFrom(link: Link, options: LearnOptions): Promise<readonly Definition[]> {
  const { before, signal, log } = options;
  const tools = await allPages(link, "tools/list", { read: definitionsIn, timeoutMs: TOOLS_TIMEOUT_MS, signal });
  if (typeof tools === "string" && "tools" in link.hello.capabilities) {
    throw new Error(`It refuses to list its tools: ${tools}`);
  }
  const found = [...typeof tools === "string" ? [] : tools];
  const lists = ITEM_LISTS.filter(({ capability }) => capability in link.hello.capabilities);
  const rest = await Promise.all(lists.map(async (list) => {
    const read = (result: unknown) => itemsIn(list, result);
    const items = await allPages(link, list.method, { read, timeoutMs: REST_TIMEOUT_MS, signal });
    if (typeof items === "string") log.debug("A server refuses a list", { method: list.method, reason: items });
    return typeof items === "string" ? itemsOf(before, list.kind) : items;
  }));
  const instructions = instructionsItem(link.hello.instructions);
  const all = [...found, ...rest.flat(), ...instructions === undefined ? [] : [instructions]];
  return within(all, "What it offers");
}

/** Each once, at most 500; a text: why the server refuses. @throws {Error} When there is too much. */
async function allPages<Kind extends Definition>(
  link: Link,
  method: string,
  { read, timeoutMs, signal }: {
    readonly read: (result: unknown) => readonly Kind[];
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  },
): Promise<readonly Kind[] | string> {
  const found: Kind[] = [];
  let cursor: unknown;
  for (let page = 0; page < MOST_PAGES && found.length < MOST; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await link.request({ method, params, timeoutMs, signal });
    if ("error" in answer) return answer.error.message;
    found.push(...read(answer.result));
    within(found, `Its answer to ${method}`);
    cursor = answer.result["nextCursor"];
    if (typeof cursor !== "string") break;
  }
  return [...new Map(found.map((one) => [one.name, one])).values()].slice(0, MOST);
}

/** @throws {Error} When there is more of it than a record holds. */
function within<Kind extends Definition>(definitions: readonly Kind[], what: string): readonly Kind[] {
  if (sizeOf(definitions) <= MOST_BYTES) return definitions;
  throw new Error(`${what} has more than 4 MiB: filter it at the server`);
}
