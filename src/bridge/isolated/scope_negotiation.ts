/**
 * How a session comes to its scope (H3): the client is asked for its roots once it has said that it is ready, and the
 * first one becomes the scope, for good. Other roots later are no scope any more (H5, S1).
 */
import { failure, type Outcome } from "../../base/outcome.ts";
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";
import type { ClientAnswer } from "../backends/client_requests.ts";
import { firstRootPath } from "./roots.ts";
import { HANDSHAKING, nextScopeState, type ScopeEvent, type ScopeFacts, type ScopeState } from "./scope_state.ts";

interface ScopeNegotiationOptions {
  readonly facts: ScopeFacts;
  /** The real directory that a root names, if a session may have it; the problem is worded for the client's user. */
  readonly settle: (path: string) => Outcome<PinnedDirectory>;
  /** Asks the client; absent `timeoutMs`: it has all the time. */
  readonly ask: (method: string, params: undefined, timeoutMs?: number) => Promise<ClientAnswer>;
  /** Called at most once. */
  readonly onLocked: (scopes: readonly PinnedDirectory[]) => void;
  /** There will be no scope, and why. */
  readonly onRefused: (problem: string) => void;
}

/** How long a client may take to name its roots again, milliseconds. */
const ROOTS_AGAIN_MS = 10_000;

export class ScopeNegotiation {
  readonly #options: ScopeNegotiationOptions;
  readonly #timer: ReturnType<typeof setTimeout>;
  #lock: ScopeState = HANDSHAKING;
  #closed = false;
  /** The client has changed its roots after it was asked for them, so its answer may tell the old ones. */
  #rootsAreOld = false;

  /** From now on the client has `facts.timeoutMs`. */
  constructor(options: ScopeNegotiationOptions) {
    this.#options = options;
    this.#timer = setTimeout(() => this.#apply({ kind: "too_late" }), options.facts.timeoutMs);
  }

  /** Why there is no scope, and none will be; undefined: there is one, or it may come. */
  get problem(): string | undefined {
    return this.#lock.kind === "refused" ? this.#lock.problem : undefined;
  }

  /** The client is ready to be asked. */
  initialized(): void {
    this.#apply({ kind: "initialized" });
  }

  /** The scope cannot be used after all. */
  fail(problem: string): void {
    this.#lock = { kind: "refused", problem };
    this.#options.onRefused(problem);
  }

  /** The client's roots are others now; true: the scope is not among what it may be any more. */
  async rootsChanged(): Promise<boolean> {
    const lock = this.#lock;
    this.#rootsAreOld = lock.kind === "asking";
    if (lock.kind !== "locked" || !this.#options.facts.hasRoots) return false;
    const answer = await this.#options.ask("roots/list", undefined, ROOTS_AGAIN_MS);
    return !("error" in answer) && !this.#isScopeOf(rootIn(answer), lock.scopes);
  }

  /** Whatever comes now changes nothing. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #apply(event: ScopeEvent): void {
    const before = this.#lock;
    this.#lock = nextScopeState(before, event, this.#options.facts);
    if (this.#lock === before || this.#closed) return;
    switch (this.#lock.kind) {
      case "asking":
        void this.#askRoots();
        return;
      case "locked":
        clearTimeout(this.#timer);
        return this.#options.onLocked(this.#lock.scopes);
      case "refused":
        clearTimeout(this.#timer);
        return this.#options.onRefused(this.#lock.problem);
      case "handshaking":
        return;
    }
  }

  async #askRoots(): Promise<void> {
    const answer = await this.#options.ask("roots/list", undefined);
    if (this.#rootsAreOld) {
      this.#rootsAreOld = false;
      return await this.#askRoots();
    }
    const path = rootIn(answer);
    if (!path.ok) return this.#apply({ kind: "unusable", problem: path.problem });
    if (path.value === undefined) return this.#apply({ kind: "no_root" });
    const settled = this.#options.settle(path.value);
    if (settled.ok) this.#apply({ kind: "settled", directory: settled.value });
    else this.#apply({ kind: "unusable", problem: settled.problem });
  }

  #isScopeOf(root: Outcome<string | undefined>, scopes: readonly PinnedDirectory[]): boolean {
    if (!root.ok) return false;
    // No root then and no root now: it has what was given for such clients.
    if (root.value === undefined) return scopes === this.#options.facts.fallback;
    const settled = this.#options.settle(root.value);
    const [locked] = scopes;
    return settled.ok && settled.value.path === locked?.path && settled.value.device === locked.device &&
      settled.value.inode === locked.inode;
  }
}

function rootIn(answer: ClientAnswer): Outcome<string | undefined> {
  if ("error" in answer) return failure(`The client refused roots/list: ${answer.error.message}`);
  return firstRootPath(answer.result);
}
