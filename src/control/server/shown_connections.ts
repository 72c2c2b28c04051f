/** The connections of a server, as shown to its user. */
import { Emitter, type Unsubscribe } from "../../base/emitter.ts";
import type { OperationRegistry } from "../../operation/registry.ts";

/** The named shells of a connection. */
export interface ShownShells {
  list(): readonly { readonly name: string; readonly directory: string }[];
  /** The queue key of that shell's operations, so that they run one at a time. */
  exclusiveKey(name: string): string;
}

/** A connection with what it runs. */
export interface ShownConnection {
  readonly registry: Pick<OperationRegistry, "everything" | "get" | "subscribe" | "cancel">;
  /** How its client names itself, with its version; absent: it gives no name. */
  readonly client?: string | undefined;
  /** Absent: it cannot have named shells. */
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

  /** It has ended, and so have its operations. */
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
