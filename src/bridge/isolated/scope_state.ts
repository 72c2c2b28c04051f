/**
 * The state machine of an isolated session's scope (H3), without effects. A settled scope never changes, whatever the
 * client sends (S1).
 *
 *   handshaking → asking → locked
 *             ↘        ↘ refused        (no usable root, or no answer in time)
 */
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";

export type ScopeState =
  /** `initialize` was answered, `notifications/initialized` has not come. */
  | { readonly kind: "handshaking" }
  /** The client was asked for its roots. */
  | { readonly kind: "asking" }
  | { readonly kind: "locked"; readonly scopes: readonly PinnedDirectory[] }
  /** Final; `problem` answers every request. */
  | { readonly kind: "refused"; readonly problem: string };

export type ScopeEvent =
  | { readonly kind: "initialized" }
  | { readonly kind: "settled"; readonly directory: PinnedDirectory }
  /** The client's list of roots is empty. */
  | { readonly kind: "no_root" }
  | { readonly kind: "unusable"; readonly problem: string }
  | { readonly kind: "too_late" };

export interface ScopeFacts {
  /** Whether the client declared roots. */
  readonly hasRoots: boolean;
  /** `--sandbox-scope`, for clients without roots; undefined: not given. */
  readonly fallback: readonly PinnedDirectory[] | undefined;
  readonly timeoutMs: number;
}

export const HANDSHAKING: ScopeState = { kind: "handshaking" };

/** The next state; the same object when the event changes nothing. */
export function nextScopeState(state: ScopeState, event: ScopeEvent, facts: ScopeFacts): ScopeState {
  if (state.kind === "locked" || state.kind === "refused") return state;
  switch (event.kind) {
    case "initialized":
      if (state.kind !== "handshaking") return state;
      return facts.hasRoots ? { kind: "asking" } : withoutRoot("This client declares no roots", facts);
    case "settled":
      return { kind: "locked", scopes: [event.directory] };
    case "no_root":
      return withoutRoot("The client's list of roots is empty", facts);
    case "unusable":
      return refused(event.problem);
    case "too_late":
      return refused(missing(state, facts));
  }
}

const WAY_OUT = "In this mode (--session-isolation) the directory a session may use is the client's first root; " +
  "a client without roots needs a server started with --sandbox-scope DIR";

function withoutRoot(problem: string, { fallback }: ScopeFacts): ScopeState {
  return fallback === undefined ? refused(problem) : { kind: "locked", scopes: fallback };
}

function refused(problem: string): ScopeState {
  return { kind: "refused", problem: `${problem}. ${WAY_OUT}` };
}

function missing(state: ScopeState, { timeoutMs }: ScopeFacts): string {
  const time = `after ${timeoutMs / 1000} s`;
  return state.kind === "handshaking"
    ? `The client has not sent notifications/initialized ${time} (--handshake-timeout)`
    : `The client has not answered roots/list ${time} (--handshake-timeout): it must open the event stream (GET) or ` +
      "accept text/event-stream on a request, and answer with a POST";
}
