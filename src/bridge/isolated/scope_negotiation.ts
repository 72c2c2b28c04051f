/**
 * Settles the scope of a session (H3): asks the client for its roots after `notifications/initialized`, and makes the
 * first root the scope for good. Later roots never change it (H5, S1).
 */
import { failure, type Outcome } from "../../base/outcome.ts";
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";
import type { Answer } from "../../child_server/pending_calls.ts";
import { firstRootPath } from "./roots.ts";
import { HANDSHAKING, nextScopeState, type ScopeEvent, type ScopeFacts, type ScopeState } from "./scope_state.ts";

interface ScopeNegotiationOptions {
  readonly facts: ScopeFacts;
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

export class ScopeNegotiation {
  readonly #options: ScopeNegotiationOptions;
  readonly #timer: ReturnType<typeof setTimeout>;
  #state: ScopeState = HANDSHAKING;
  #closed = false;
  /** Whether the client changed its roots after it was asked, so that its answer may be outdated. */
  #rootsAreOld = false;

  /** Starts the client's time, `facts.timeoutMs`. */
  constructor(options: ScopeNegotiationOptions) {
    this.#options = options;
    this.#timer = setTimeout(() => this.#apply({ kind: "too_late" }), options.facts.timeoutMs);
  }

  /** Why there will be no scope; undefined: there is one, or it may come. */
  get problem(): string | undefined {
    return this.#state.kind === "refused" ? this.#state.problem : undefined;
  }

  /** Notes that the client may be asked. */
  initialized(): void {
    this.#apply({ kind: "initialized" });
  }

  /** Refuses the scope that was settled, because it cannot be used. */
  fail(problem: string): void {
    this.#state = { kind: "refused", problem };
    this.#options.onRefused(problem);
  }

  /** Asks a client whose roots changed again; true: its first root is not the scope any more. */
  async rootsChanged(): Promise<boolean> {
    const state = this.#state;
    this.#rootsAreOld = state.kind === "asking";
    if (state.kind !== "locked" || !this.#options.facts.hasRoots) return false;
    const answer = await this.#options.ask("roots/list", undefined, ROOTS_AGAIN_MS);
    return !("error" in answer) && !this.#isScopeOf(rootIn(answer), state.scopes);
  }

  /** Stops the negotiation. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #apply(event: ScopeEvent): void {
    const before = this.#state;
    this.#state = nextScopeState(before, event, this.#options.facts);
    if (this.#state === before || this.#closed) return;
    switch (this.#state.kind) {
      case "asking":
        void this.#askRoots();
        return;
      case "locked":
        clearTimeout(this.#timer);
        return this.#options.onLocked(this.#state.scopes);
      case "refused":
        clearTimeout(this.#timer);
        return this.#options.onRefused(this.#state.problem);
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
    // A client without roots has the fallback, then and now.
    if (root.value === undefined) return scopes === this.#options.facts.fallback;
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
