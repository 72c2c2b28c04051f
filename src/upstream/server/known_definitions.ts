/** All that is known about a server's offers: its stored record, and the connected server's description of itself. */
import { lazy } from "../../base/lazy.ts";
import type { Logger } from "../../base/log.ts";
import { member } from "../../wire/json_value.ts";
import { canonical } from "../definitions/definition.ts";
import { toolsOf } from "../definitions/items.ts";
import { recordSeen, type ServerRecord } from "../definitions/pins.ts";
import type { RecordStore } from "../definitions/record_store.ts";
import type { Link } from "../link/link.ts";
import { learnedFrom } from "./learn.ts";

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

  /**
   * Reads the record again, because a person may have approved changes. True: the record has changed. What a connected
   * server said of itself stays: the file may be older, or of another program whose server says something else.
   */
  reload({ isConnected }: { readonly isConnected: boolean }): boolean {
    const read = this.#store.read(this.#id);
    if (read === undefined) return false;
    const seen = isConnected ? this.record?.seen : undefined;
    const record = seen === undefined ? read : recordSeen(read, seen);
    if (canonical(record) === canonical(this.record)) return false;
    this.#newest = record;
    return true;
  }

  /** Asks the server, and records the answer; true: it is not what was known. Rejects when the server refuses. */
  async learnFrom(link: Link, how: { readonly signal: AbortSignal; readonly log: Logger }): Promise<boolean> {
    const before = this.#store.read(this.#id) ?? this.record;
    const record = recordSeen(before, await learnedFrom(link, { before, ...how }));
    const isNew = before === undefined || canonical(record) !== canonical(this.record);
    this.#newest = record;
    if (isNew) await this.#store.write(this.#id, record);
    return isNew;
  }

  /** Whether the server says that a tool changes nothing, or nothing more when it is called again. */
  isReadOnly(name: string): boolean {
    const annotations = toolsOf(this.record).find((tool) => tool.name === name)?.annotations;
    return member(annotations, "readOnlyHint") === true || member(annotations, "idempotentHint") === true;
  }
}
