/** The sessions of one server: found by id, limited in number, ended when they are idle (H4, H8). */
import type { InitializeRequest } from "@modelcontextprotocol/server";
import { type Refusal, refuse } from "../../http/refusal.ts";
import { HttpSession, type SessionOptions } from "./session.ts";

interface SessionStoreOptions extends Omit<SessionOptions, "client" | "onEnd"> {
  /** Sessions at the same time. */
  readonly most: number;
  /** Idle time after which a session is ended, milliseconds. */
  readonly idleMs: number;
}

export class SessionStore {
  readonly #options: SessionStoreOptions;
  readonly #sessions = new Map<string, HttpSession>();
  /** Sessions that are ending. */
  readonly #ending = new Set<Promise<void>>();
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #closing = false;

  constructor(options: SessionStoreOptions) {
    this.#options = options;
  }

  /** Number of sessions. */
  get size(): number {
    return this.#sessions.size;
  }

  get(id: string): HttpSession | undefined {
    return this.#sessions.get(id);
  }

  /** Begins a session for the client that sends these parameters with `initialize`. */
  open(client: InitializeRequest["params"]): HttpSession | Refusal {
    const { most, log } = this.#options;
    if (this.#closing) return unavailable("the server is shutting down");
    if (this.#sessions.size >= most) {
      return unavailable(`there are ${most} sessions already; end one with DELETE, or raise --max-sessions`);
    }
    // Ending sessions count, so that a client that begins and ends them in a loop gets no more processes than others.
    if (this.#sessions.size + this.#ending.size >= 2 * most) {
      return unavailable(`${this.#ending.size} sessions are still ending; wait for them`);
    }
    const onEnd: SessionOptions["onEnd"] = (ended, gone) => this.#forget(ended, gone);
    const session = new HttpSession({ ...this.#options, client, onEnd });
    this.#sessions.set(session.id, session);
    log.info("Session begins", { httpSession: session.id.slice(0, 8), client: client.clientInfo?.name });
    this.#idleTimer ??= setTimeout(() => this.#endIdle(), this.#options.idleMs);
    return session;
  }

  /** Refuses new sessions, ends all, and resolves when nothing of them runs any more (H11). */
  async close(reason: string): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#idleTimer);
    for (const session of [...this.#sessions.values()]) void session.end(reason);
    await Promise.all(this.#ending);
  }

  #forget(session: HttpSession, gone: Promise<void>): void {
    this.#sessions.delete(session.id);
    this.#ending.add(gone);
    void gone.then(() => this.#ending.delete(gone));
    this.#options.log.info("Session ends", { httpSession: session.id.slice(0, 8) });
  }

  /** Ends sessions that are idle for too long, and sets the timer for the next one. */
  #endIdle(): void {
    const { idleMs } = this.#options;
    let next = idleMs;
    for (const session of [...this.#sessions.values()]) {
      const left = idleMs - session.idleMs;
      if (left > 0) next = Math.min(next, left);
      else void session.end("The session was idle for too long");
    }
    this.#idleTimer = this.#sessions.size === 0 ? undefined : setTimeout(() => this.#endIdle(), next);
  }
}

function unavailable(why: string): Refusal {
  return refuse(503, `Service unavailable: ${why}`, { "Retry-After": "10" });
}
