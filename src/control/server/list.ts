/** `list`: what a server runs and has run, once or as it changes (V1). */
import type { Unsubscribe } from "../../base/emitter.ts";
import { delay } from "../../base/time.ts";
import type { Operation } from "../../operation/operation_record.ts";
import type { Answer } from "./control_server.ts";
import type { Peer } from "./peer.ts";
import type { ShownConnection } from "./shown_connections.ts";
import { describedServer, listedOperation, listedServer, type ShownServer } from "./shown_server.ts";

/** Time between two reports of changes, milliseconds: frequent changes are reported as their latest state. */
const PAUSE_MS = 50;
/** Time between measurements of processes, milliseconds: the kernel announces no change. */
const USAGE_MS = 2_000;

/** The answer of a server. */
export function listAnswer(server: ShownServer): Answer {
  return async ({ members: { beginning, usage, follow } }, peer) => {
    const options = {
      beginning: typeof beginning === "string" ? beginning : undefined,
      usage: usage === true,
    };
    if (follow !== true) return await peer.send({ event: "server", server: listedServer(server, options) });
    const changes = new Changes(server);
    try {
      const taken = peer.drain();
      await peer.send({ event: "server", server: await describedServer(server, options) });
      await tell(changes, { server, peer, withUsage: options.usage });
      await taken;
    } finally {
      changes[Symbol.dispose]();
    }
  };
}

interface Telling {
  readonly server: ShownServer;
  readonly peer: Peer;
  readonly withUsage: boolean;
}

/** Reports changes until the peer is gone. */
async function tell(changes: Changes, { server, peer, withUsage }: Telling): Promise<void> {
  peer.gone.addEventListener("abort", () => changes.wake(), { once: true });
  let measuredAt = Date.now();
  while (!peer.gone.aborted) {
    const isBusy = withUsage && running(server).length > 0;
    const pause = Math.max(0, measuredAt + USAGE_MS - Date.now());
    const timer = isBusy ? setTimeout(() => changes.wake(), pause) : undefined;
    await changes.next();
    clearTimeout(timer);
    const { isOther, operations } = changes.take();
    const isDue = withUsage && Date.now() - measuredAt >= USAGE_MS;
    if (isDue) measuredAt = Date.now();
    if (isOther) await peer.send({ event: "server", server: await describedServer(server, { usage: withUsage }) });
    const told = new Map([...isOther ? [] : operations, ...isDue && !isOther ? running(server) : []]);
    for (const [operation, connection] of told) {
      const listed = listedOperation(operation, connection, { ...server, usage: withUsage });
      await peer.send({ event: "operation", operation: listed });
    }
    await delay(PAUSE_MS, peer.gone);
  }
}

/** The operations that have processes now. */
function running({ connections }: ShownServer): readonly (readonly [Operation, ShownConnection])[] {
  return [...connections].flatMap((connection) =>
    connection.registry.everything().filter(({ command }) => command !== undefined)
      .map((operation) => [operation, connection] as const)
  );
}

/** What has changed since the last call. */
class Changes implements Disposable {
  readonly #operations = new Map<Operation, ShownConnection>();
  readonly #server: ShownServer;
  readonly #connections = new Map<ShownConnection, Unsubscribe>();
  readonly #unsubscribe: readonly (Unsubscribe | undefined)[];
  #isOther = false;
  #woken = Promise.withResolvers<void>();

  constructor(server: ShownServer) {
    this.#server = server;
    const changed = () => {
      this.#isOther = true;
      this.wake();
    };
    const connected = () => {
      this.#subscribe();
      changed();
    };
    this.#unsubscribe = [server.connections.subscribe(connected), server.questions?.subscribe(changed)];
    this.#subscribe();
  }

  /** Settles when something has changed, or `wake` was called. */
  next(): Promise<void> {
    return this.#woken.promise;
  }

  wake(): void {
    this.#woken.resolve();
  }

  /** `isOther`: connections began or ended, so everything must be reported. */
  take(): { readonly isOther: boolean; readonly operations: readonly (readonly [Operation, ShownConnection])[] } {
    const taken = { isOther: this.#isOther, operations: [...this.#operations] };
    this.#isOther = false;
    this.#operations.clear();
    this.#woken = Promise.withResolvers();
    return taken;
  }

  [Symbol.dispose](): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe?.();
    for (const unsubscribe of this.#connections.values()) unsubscribe();
  }

  #subscribe(): void {
    const current = new Set(this.#server.connections);
    for (const [connection, unsubscribe] of this.#connections) {
      if (current.has(connection)) continue;
      unsubscribe();
      this.#connections.delete(connection);
    }
    for (const connection of current) {
      if (this.#connections.has(connection)) continue;
      const changed = (operation: Operation) => {
        this.#operations.set(operation, connection);
        this.wake();
      };
      const unsubscribe = connection.registry.subscribe(({ operation, to }) => {
        changed(operation);
        // Only now is it known whether it accepts input.
        if (to === "running") void operation.began.then(() => changed(operation));
      });
      this.#connections.set(connection, unsubscribe);
    }
  }
}
