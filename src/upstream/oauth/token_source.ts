/** The access token of one server: read from the file of logins, refreshed before its end or when refused. */
import { UserError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { withTimeout } from "../../base/time.ts";
import type { StoredLogin } from "./store/stored_login.ts";
import type { ReadLogin } from "./store/login_files.ts";
import { freshnessOf, type Refreshed, refreshLogin, type RefreshTools } from "./refresh.ts";

/** Pauses after failed refreshes, milliseconds: doubled from the first to the longest. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** How long a request waits for a person to log in, milliseconds; the login continues after that. */
const PATIENCE_MS = 20_000;
/** How many logins for more scopes a process may start. */
const MOST_STEP_UPS = 2;

/** What a server says when it refuses a request. */
export interface Challenge {
  /** Where the metadata of the protected resource is; absent: at its well-known address. */
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
  /** The scope exceeds the login: it is requested, whatever the configuration names. */
  readonly isStepUp?: true;
}

/** Asks a person to log in; false: the login failed. Undefined: there is no person to ask now. */
export type LogInAgain = (challenge: Challenge) => Promise<boolean> | undefined;

export interface TokenSourceOptions extends RefreshTools {
  /** serverAddress() of the server (oauth_config.ts). */
  readonly serverUrl: string;
  /** For messages, as in "ahma_mcp auth login NAME". */
  readonly loginHint: string;
  /** Absent: only a person's own login helps. */
  readonly logIn?: LogInAgain | undefined;
  readonly log: Logger;
}

/** What a connection needs of its access token; TokenSource says what each does. */
export type AccessTokens = Pick<TokenSource, "token" | "replace" | "stepUp"> & {
  readonly needsLogin: () => UserError | Promise<UserError>;
  readonly lacksScopes: (challenge: Challenge) => UserError | Promise<UserError>;
};

/** There is no login, or it has ended. */
export class NeedsLoginError extends UserError {
  override readonly name = "NeedsLoginError";
}

export class TokenSource {
  readonly #options: TokenSourceOptions;
  #read: ReadLogin | undefined;
  #refreshing: Promise<Refreshed> | undefined;
  /** The token from a forced refresh: if it is refused too, another refresh would not help. */
  #forced: string | undefined;
  #failures = 0;
  #lastProblem = "";
  #nextTry = 0;
  #login: Promise<boolean> | undefined;
  #hasLoggedIn = false;
  /** What logins for more scopes asked for. */
  readonly #stepUps = new Set<string>();

  constructor(options: TokenSourceOptions) {
    this.#options = options;
  }

  /** Undefined: none; the server may want one. @throws {UserError} when expired and not refreshed now */
  async token(): Promise<string | undefined> {
    const login = await this.#current();
    if (login === undefined) return undefined;
    const freshness = freshnessOf(login.tokens, this.#options.now());
    if (freshness === "fresh") return login.tokens.accessToken;
    const valid = freshness === "due" ? login.tokens.accessToken : undefined;
    const canRefresh = login.tokens.refreshToken !== undefined && login.needsLogin === undefined;
    if (!canRefresh || valid !== undefined && this.#options.now() < this.#nextTry) return valid;
    const refreshed = await this.#refresh(login.tokens.accessToken);
    if (refreshed.kind === "renewed") return refreshed.login.tokens.accessToken;
    if (refreshed.kind === "failed" && valid === undefined) throw this.#failedError(refreshed.problem);
    return valid;
  }

  /** Gets another token than `refused` (undefined: none); true: repeat. @throws {UserError} after a failure */
  async replace(refused: string | undefined, challenge: Challenge): Promise<boolean> {
    const login = await this.#current();
    if (login !== undefined) {
      const { tokens, needsLogin } = login;
      const isFresh = freshnessOf(tokens, this.#options.now()) !== "expired";
      if (tokens.accessToken !== refused && isFresh) return true;
      if (tokens.refreshToken !== undefined && needsLogin === undefined && tokens.accessToken !== this.#forced) {
        const refreshed = await this.#refresh(tokens.accessToken);
        if (refreshed.kind === "failed") throw this.#failedError(refreshed.problem);
        if (refreshed.kind === "renewed") {
          this.#forced = refreshed.login.tokens.accessToken;
          return true;
        }
      }
    }
    return await this.#logIn(challenge);
  }

  /** Logs in for scopes that `refused` lacks, unless another token has come. True: repeat the request. */
  async stepUp(refused: string | undefined, challenge: Challenge): Promise<boolean> {
    const tokens = (await this.#current())?.tokens;
    if (tokens !== undefined && tokens.accessToken !== refused) return true;
    const scope = unionOf(tokens?.scope, challenge.scope);
    if (this.#login !== undefined) return await this.#waitForLogin(this.#login);
    if (this.#stepUps.size >= MOST_STEP_UPS || this.#stepUps.has(scope)) return false;
    const login = this.#begin({ ...challenge, scope, isStepUp: true });
    if (login === undefined) return false;
    this.#stepUps.add(scope);
    return await this.#waitForLogin(login);
  }

  /** The error for a connection that has no token to try. */
  async needsLogin(): Promise<NeedsLoginError> {
    const reason = (await this.#current())?.needsLogin;
    const why = reason === undefined ? "" : `: ${reason}`;
    return new NeedsLoginError(`"${this.#options.serverUrl}" needs a login${why}. ${this.#remedy("")}`);
  }

  /** The error for a request that needs more scopes than the login has. */
  async lacksScopes(challenge: Challenge): Promise<NeedsLoginError> {
    const { serverUrl } = this.#options;
    const scope = unionOf((await this.#current())?.tokens.scope, challenge.scope);
    const flag = /^[\w:./ -]+$/.test(scope) ? ` --scopes "${scope}"` : "";
    return new NeedsLoginError(`The login to "${serverUrl}" lacks scopes for this. ${this.#remedy(flag)}`);
  }

  #remedy(flags: string): string {
    if (this.#login === undefined) return `Run: ${this.#options.loginHint}${flags}`;
    return "A page was opened in the user's browser: repeat this when the user has logged in there";
  }

  /** The one login that a call may start in this process, for all requests that wait for it. */
  async #logIn(challenge: Challenge): Promise<boolean> {
    if (this.#login === undefined) {
      if (this.#hasLoggedIn || this.#begin(challenge) === undefined) return false;
      this.#hasLoggedIn = true;
    }
    return await this.#waitForLogin(this.#login);
  }

  #begin(challenge: Challenge): Promise<boolean> | undefined {
    this.#login = this.#options.logIn?.(challenge)?.finally(() => this.#login = undefined);
    return this.#login;
  }

  async #waitForLogin(login: Promise<boolean> | undefined): Promise<boolean> {
    return login !== undefined && await withTimeout(login, PATIENCE_MS) === true;
  }

  /** The login as the file has it now; another process may have replaced it. */
  async #current(): Promise<StoredLogin | undefined> {
    const { files, serverUrl } = this.#options;
    if (this.#read === undefined || await files.stamp(serverUrl) !== this.#read.stamp) {
      this.#read = await files.read(serverUrl);
    }
    return this.#read?.login;
  }

  async #refresh(known: string): Promise<Refreshed> {
    const { log, now, serverUrl } = this.#options;
    if (now() < this.#nextTry && this.#refreshing === undefined) {
      return { kind: "failed", problem: this.#lastProblem, retryAfterMs: undefined };
    }
    this.#refreshing ??= refreshLogin(serverUrl, known, this.#options).finally(() => this.#refreshing = undefined);
    const refreshed = await this.#refreshing;
    if (refreshed.kind !== "failed") this.#failures = this.#nextTry = 0;
    else if (now() >= this.#nextTry) {
      const pause = refreshed.retryAfterMs ?? Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LONGEST_PAUSE_MS);
      this.#nextTry = now() + pause;
      this.#lastProblem = refreshed.problem;
      log.warn("Refresh of an access token failed", { server: serverUrl, problem: refreshed.problem });
    }
    return refreshed;
  }

  #failedError(problem: string): UserError {
    const seconds = Math.max(1, Math.ceil((this.#nextTry - this.#options.now()) / 1000));
    return new UserError(
      `Cannot refresh the login to "${this.#options.serverUrl}": ${problem}. The next try is possible in ${seconds} s`,
    );
  }
}

/** Every scope of the lists, once. */
function unionOf(...lists: readonly (string | undefined)[]): string {
  return [...new Set(lists.flatMap((list) => list?.split(" ") ?? []))].sort().join(" ");
}
