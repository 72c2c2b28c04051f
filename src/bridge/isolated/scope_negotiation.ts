/**
 * Settles the scope of a session (H3): asks the client for its roots after `notifications/initialized`, and makes the
 * first root the scope for good. Later roots never change it (H5, S1).
 *
 *   initialized → asked → scope
 *             ↘       ↘ refused        (no usable root, or no answer in time)
 */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";
import type { Answer } from "../../child_server/pending_calls.ts";
import { attempt } from "../../base/errors.ts";
import { truncate } from "../../base/text.ts";
import { member } from "../../wire/json_value.ts";

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

/** Longer lists are refused. */
const MOST_ROOTS = 100;

/** The directory of the first root; undefined: the list is empty. The problem is worded for the user. */
export function firstRootPath(result: unknown): Outcome<string | undefined> {
  const roots = member(result, "roots");
  if (!Array.isArray(roots)) return failure('Cannot use the answer to roots/list: it has no array "roots"');
  if (roots.length > MOST_ROOTS) {
    return failure(`Cannot use the answer to roots/list: ${roots.length} roots are more than ${MOST_ROOTS}`);
  }
  const [first] = roots;
  if (first === undefined) return success(undefined);
  const uri = member(first, "uri");
  if (typeof uri !== "string") return failure('Cannot use the first root: it has no string "uri"');
  const path = pathOfUri(uri);
  return path.ok ? path : failure(`Cannot use the root "${truncate(uri, 200)}": ${path.problem}`);
}

/** The path of a `file:` URI of this machine (RFC 8089), decoded once. */
export function pathOfUri(uri: string): Outcome<string> {
  const parts = /^file:(?:\/\/([^/?#]*))?(\/[^?#]*)?([?#].*)?$/i.exec(uri);
  if (parts === null) return failure("a root is a file: URI, as in file:///home/me/project");
  const [, host = "", encoded, rest] = parts;
  if (host !== "" && host.toLowerCase() !== "localhost") return failure(`it is on another machine, "${host}"`);
  if (rest !== undefined) return failure("it has a query or a fragment, which no path has");
  if (encoded === undefined) return failure("it has no path");
  const path = attempt(URIError, () => decodeURIComponent(encoded));
  if (path === undefined) return failure("its percent-encoding is broken");
  if (path.includes("\0")) return failure("its path holds a NUL character");
  const names = path.split("/").slice(1);
  if (encoded.split("/").length !== path.split("/").length) return failure("a name in its path holds an encoded slash");
  if (names.some((name) => name === "." || name === "..")) return failure('its path holds "." or ".."');
  return success(path);
}
