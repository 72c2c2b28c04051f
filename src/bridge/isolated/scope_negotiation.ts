/**
 * Settles the scope of a session (H3): asks the client for its roots after `notifications/initialized`, and makes the
 * first root the scope for good. Later roots never change it (H5, S1).
 *
 *   initialized → asked → scope
 *             ↘       ↘ refused        (no usable root, or no answer in time)
 */
import { failure, type Outcome } from "../../base/outcome.ts";
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";
import type { Answer } from "../../child_server/pending_calls.ts";
import { firstRootPath } from "./roots.ts";

interface ScopeNegotiationOptions {
  /** Whether the client declared roots. */
  readonly hasRoots: boolean;
  /** `--sandbox-scope`, for clients without roots; undefined: not given. */
  readonly fallback: readonly PinnedDirectory[] | undefined;
  /** Time until the scope is settled, milliseconds. */
  readonly timeoutMs: number;
  /** The real directory that a root names, if a session may have it; the problem is worded for the user. */
  readonly settle: (path: string) => Outcome<PinnedDirectory>;
  /** Sends the client a request; absent `timeoutMs`: no limit. */
  readonly ask: (method: string, params: undefined, timeoutMs?: number) => Promise<Answer>;
  /** Called at most once. */
  readonly onLocked: (scopes: readonly PinnedDirectory[]) => void;
  /** Called when there will be no scope, with the reason. */
  readonly onRefused: (problem: string) => void;
}

/** Time that a client has to name its roots a second time, milliseconds. */
const ROOTS_AGAIN_MS = 10_000;

const WAY_OUT = "In this mode (--session-isolation) the directory a session may use is the client's first root; " +
  "a client without roots needs a server started with --sandbox-scope DIR";

export class ScopeNegotiation {
  readonly #options: ScopeNegotiationOptions;
  readonly #timer: ReturnType<typeof setTimeout>;
  #isInitialized = false;
  /** Nothing settles a scope any more: there is one, it was refused, or the session ends. */
  #isOver = false;
  #scopes: readonly PinnedDirectory[] | undefined;
  #problem: string | undefined;
  /** Whether the client changed its roots after it was asked, so that its answer may be outdated. */
  #rootsAreOld = false;

  /** Starts the client's time. */
  constructor(options: ScopeNegotiationOptions) {
    this.#options = options;
    this.#timer = setTimeout(() => this.#refuse(this.#missing()), options.timeoutMs);
  }

  /** Why there will be no scope; undefined: there is one, or it may come. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Notes that the client may be asked. */
  initialized(): void {
    if (this.#isInitialized || this.#isOver) return;
    this.#isInitialized = true;
    if (this.#options.hasRoots) void this.#askRoots();
    else this.#takeFallback("This client declares no roots");
  }

  /** Refuses the scope that was settled, because it cannot be used. */
  fail(problem: string): void {
    this.#scopes = undefined;
    this.#problem = problem;
    this.#options.onRefused(problem);
  }

  /** Asks a client again after its roots changed; true: its first root is no longer the scope. */
  async rootsChanged(): Promise<boolean> {
    const scopes = this.#scopes;
    this.#rootsAreOld = this.#isInitialized && !this.#isOver;
    if (scopes === undefined || !this.#options.hasRoots) return false;
    const answer = await this.#options.ask("roots/list", undefined, ROOTS_AGAIN_MS);
    return !("error" in answer) && !this.#isScopeOf(rootIn(answer), scopes);
  }

  /** Stops the negotiation. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  async #askRoots(): Promise<void> {
    const answer = await this.#options.ask("roots/list", undefined);
    if (this.#rootsAreOld) {
      this.#rootsAreOld = false;
      return await this.#askRoots();
    }
    const path = rootIn(answer);
    if (!path.ok) return this.#refuse(path.problem);
    if (path.value === undefined) return this.#takeFallback("The client's list of roots is empty");
    const settled = this.#options.settle(path.value);
    if (settled.ok) this.#lock([settled.value]);
    else this.#refuse(settled.problem);
  }

  #takeFallback(problem: string): void {
    const { fallback } = this.#options;
    if (fallback === undefined) this.#refuse(problem);
    else this.#lock(fallback);
  }

  #lock(scopes: readonly PinnedDirectory[]): void {
    if (this.#isOver) return;
    this.close();
    this.#scopes = scopes;
    this.#options.onLocked(scopes);
  }

  #refuse(problem: string): void {
    if (this.#isOver) return;
    this.close();
    this.fail(`${problem}. ${WAY_OUT}`);
  }

  #missing(): string {
    const time = `after ${this.#options.timeoutMs / 1000} s`;
    return this.#isInitialized
      ? `The client has not answered roots/list ${time} (--handshake-timeout): it must open the event stream (GET) or ` +
        "accept text/event-stream on a request, and answer with a POST"
      : `The client has not sent notifications/initialized ${time} (--handshake-timeout)`;
  }

  #isScopeOf(root: Outcome<string | undefined>, scopes: readonly PinnedDirectory[]): boolean {
    if (!root.ok) return false;
    // A client without roots has the fallback, then and now.
    if (root.value === undefined) return scopes === this.#options.fallback;
    const settled = this.#options.settle(root.value);
    const [locked] = scopes;
    return settled.ok && settled.value.path === locked?.path && settled.value.device === locked.device &&
      settled.value.inode === locked.inode;
  }
}

function rootIn(answer: Answer): Outcome<string | undefined> {
  if ("error" in answer) return failure(`The client refused roots/list: ${answer.error.message}`);
  return firstRootPath(answer.result);
}
