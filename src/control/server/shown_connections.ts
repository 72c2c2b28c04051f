/** The connections of a server that people of its user see. */
import { Emitter, type Unsubscribe } from "../../base/emitter.ts";
import type { OperationRegistry } from "../../operation/registry.ts";

/** The named shells of a connection. */
export interface ShownShells {
  list(): readonly { readonly name: string; readonly directory: string }[];
  /** What an operation of that shell has as its key, so that it runs alone there. */
  exclusiveKey(name: string): string;
}

/** A connection with what it runs. */
export interface ShownConnection {
  readonly registry: Pick<OperationRegistry, "everything" | "get" | "subscribe" | "cancel">;
  /** How its client names itself, with its version; absent: it does not say. */
  readonly client?: string | undefined;
  /** Absent: it can have none. */
  readonly shells?: ShownShells;
}

/** The current connections. */
export class ShownConnections implements Iterable<ShownConnection> {
  readonly #connections = new Set<ShownConnection>();
  readonly #changes = new Emitter<void>(() => {});

  /** It has begun. */
  add(connection: ShownConnection): void {
    this.#connections.add(connection);
    this.#changes.emit();
  }

  /** It has ended, with what ran there. */
  delete(connection: ShownConnection): void {
    this.#connections.delete(connection);
    this.#changes.emit();
  }

  /** Calls the listener when one has begun or ended. */
  subscribe(listener: () => void): Unsubscribe {
    return this.#changes.subscribe(listener);
  }

  [Symbol.iterator](): Iterator<ShownConnection> {
    return this.#connections.values();
  }
}
