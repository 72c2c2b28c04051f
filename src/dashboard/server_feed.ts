/** What servers run, as events for a page (V2). A slow page gets only the last state of each operation. */
import { delay } from "../base/time.ts";
import type { FoundServer } from "../control/client/running_servers.ts";
import type { ServerChange } from "../control/client/watched_servers.ts";
import type { ListedOperation } from "../control/protocol/messages.ts";
import type { EventStream } from "../http/event_stream.ts";

/** Time between two events, milliseconds. */
const PAUSE_MS = 100;

export class ServerFeed {
  readonly #stream: EventStream;
  readonly #servers: () => ReadonlyMap<string, FoundServer>;
  readonly #operations = new Map<string, { readonly server: string } & ListedOperation>();
  readonly #gone = new AbortController();
  #isOther = true;
  #woken = Promise.withResolvers<void>();

  /** `servers`: the current servers by key. */
  constructor(stream: EventStream, servers: () => ReadonlyMap<string, FoundServer>) {
    this.#stream = stream;
    this.#servers = servers;
  }

  /** Takes a change. */
  changed({ key, operation }: ServerChange): void {
    if (operation === undefined) this.#isOther = true;
    else this.#operations.set(`${key} ${operation.id}`, { server: key, ...operation });
    this.#woken.resolve();
  }

  /** Must be called when the page closes, or the dashboard ends. */
  end(): void {
    this.#gone.abort();
    this.#woken.resolve();
  }

  /** Sends until the end. */
  async run(): Promise<void> {
    while (!this.#gone.signal.aborted) {
      this.#woken = Promise.withResolvers();
      const event = this.#next();
      if (event !== undefined) this.#stream.writeOnce(JSON.stringify({ now: Date.now(), ...event }));
      await Promise.all([this.#stream.drained(), delay(PAUSE_MS, this.#gone.signal)]);
      if (!this.#isOther && this.#operations.size === 0) await this.#woken.promise;
    }
  }

  /** Undefined: nothing has changed. */
  #next(): object | undefined {
    const operations = [...this.#operations.values()];
    this.#operations.clear();
    if (this.#isOther) {
      this.#isOther = false;
      return { kind: "state", servers: [...this.#servers()].map(([key, { server }]) => ({ key, ...server })) };
    }
    return operations.length > 0 ? { kind: "operations", operations } : undefined;
  }
}
