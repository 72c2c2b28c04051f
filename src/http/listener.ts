/**
 * Accepts connections for as long as the server lives. The runtime stops listening for good when one accept fails, as
 * when too many files are open. This class then listens again at once, because another process that took the port could
 * pose as this server. The descriptor for that is held in reserve.
 */
import { messageOf, UserError } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { refusalResponse } from "./refusal.ts";

/** Where to listen, and the handler of requests. */
export interface ListenerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly serve: (request: Request, peer: Deno.NetAddr) => Promise<Response>;
  readonly log: Logger;
}

/** Time that connections have to close when everything else has ended, milliseconds. */
const LAST_CONNECTIONS_MS = 2_000;
/** Limits the log lines that a client can cause by opening connections without end. */
const MOST_WARNINGS = 10;
/** Pauses between attempts to listen again, milliseconds, when even the reserve was not enough. */
const PAUSES_MS = [20, 50, 100, 250, 500, 1_000, 2_000] as const;

export class Listener {
  readonly #options: ListenerOptions;
  readonly #abort = new AbortController();
  readonly #lost = Promise.withResolvers<UserError>();
  readonly #reserve = new DescriptorReserve();
  #server: Deno.HttpServer<Deno.NetAddr>;
  #nextTry: ReturnType<typeof setTimeout> | undefined;
  #stopping = false;
  #warnings = 0;

  /**
   * Listens.
   * @throws {UserError} when the address is not available
   */
  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#server = this.#listen(options.port);
  }

  get address(): Deno.NetAddr {
    return this.#server.addr;
  }

  /** Resolves when the port is lost for good; otherwise never. */
  get lost(): Promise<UserError> {
    return this.#lost.promise;
  }

  /** Accepts no more connections, and closes the open ones. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#nextTry);
    this.#reserve[Symbol.dispose]();
    const timer = setTimeout(() => this.#abort.abort(), LAST_CONNECTIONS_MS);
    await this.#server.shutdown();
    clearTimeout(timer);
  }

  #listen(port: number): Deno.HttpServer<Deno.NetAddr> {
    const { host, serve, log } = this.#options;
    try {
      const server = Deno.serve({
        hostname: host,
        port,
        signal: this.#abort.signal,
        // The composer prints the address; the runtime would print it a second time.
        onListen() {},
        onError(thrown) {
          log.error("An HTTP request failed", { error: messageOf(thrown) });
          return refusalResponse({ status: 500, code: -32603, message: "Internal error" });
        },
      }, (request, info) => {
        if (!this.#stopping) this.#reserve.refill();
        return serve(request, info.remoteAddr);
      });
      server.finished.catch((thrown: unknown) => this.#gaveUp(thrown));
      return server;
    } catch (thrown) {
      throw new UserError(`Cannot listen on ${host}, port ${port}: ${messageOf(thrown)}`, { cause: thrown });
    }
  }

  #gaveUp(thrown: unknown): void {
    if (this.#stopping) return;
    if (this.#warnings++ < MOST_WARNINGS) {
      this.#options.log.warn("Cannot accept connections; listening again", { error: messageOf(thrown) });
    }
    this.#listenAgain(PAUSES_MS);
  }

  #listenAgain([pause, ...later]: readonly number[]): void {
    this.#reserve.release();
    try {
      this.#server = this.#listen(this.#server.addr.port);
    } catch (thrown) {
      if (!(thrown instanceof UserError)) throw thrown;
      if (pause === undefined) this.#lost.resolve(thrown);
      else this.#nextTry = setTimeout(() => this.#listenAgain(later), pause);
    }
    this.#reserve.refill();
  }
}

/** File descriptors held in reserve for a new listening socket when the process has reached its limit. */
class DescriptorReserve implements Disposable {
  readonly #held: Deno.FsFile[] = [];

  constructor() {
    this.refill();
  }

  /** Closes the reserve; the caller opens its own descriptor in the same turn. */
  release(): void {
    for (const file of this.#held.splice(0)) file.close();
  }

  /** Refills the reserve as far as possible; cheap if it is full. */
  refill(): void {
    while (this.#held.length < SIZE) {
      try {
        this.#held.push(Deno.openSync("/dev/null"));
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        return; // there are still too few; the next refill tries again
      }
    }
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** More than one: the runtime's own threads open files as well. */
const SIZE = 8;
