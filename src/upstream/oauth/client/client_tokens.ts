/** The access token of a client that logs in by itself (O8, client credentials), kept in memory and renewed. */
import { messageOf, UserError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { shorten } from "../../../base/visible_text.ts";
import { serverAddress } from "../oauth_config.ts";
import { freshnessOf } from "../refresh.ts";
import type { StoredTokens } from "../store/stored_login.ts";
import type { AccessTokens, Challenge } from "../token_source.ts";
import { OAuthServerError } from "../wire/oauth_fetch.ts";
import { PLACE, requestToken, type TokenRequest } from "./request_token.ts";

/** What a client tells a server that logs in this way. */
export const CLIENT_CREDENTIALS_EXTENSION = "io.modelcontextprotocol/oauth-client-credentials";

/** Pauses after failures, milliseconds: doubled from the first to the longest; the longest after a refusal. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export interface ClientTokensOptions extends TokenRequest {
  readonly log: Logger;
}

export class ClientTokens implements AccessTokens {
  readonly #options: ClientTokensOptions;
  #tokens: StoredTokens | undefined;
  #asking: Promise<StoredTokens> | undefined;
  /** The server's last challenge, which leads to the authorization server. */
  #challenge: Challenge = {};
  /** The token that came after a refusal: if it is refused within the longest pause, another one would not help. */
  #forced: string | undefined;
  #failures = 0;
  #problem = "";
  #nextTry = 0;

  constructor(options: ClientTokensOptions) {
    this.#options = options;
  }

  /** The token to send; undefined: the server has asked for none. @throws {UserError} when it has expired and no new one comes */
  async token(): Promise<string | undefined> {
    const known = this.#tokens;
    if (known === undefined) return undefined;
    const now = this.#options.now();
    const freshness = freshnessOf(known, now);
    if (freshness === "fresh" || freshness === "due" && now < this.#nextTry) return known.accessToken;
    try {
      return (await this.#ask()).accessToken;
    } catch (thrown) {
      if (freshness === "due" && thrown instanceof UserError) return known.accessToken;
      throw thrown;
    }
  }

  /** Gets another token than `refused`; false: another one would not help. @throws {UserError} when none comes */
  async replace(refused: string | undefined, challenge: Challenge): Promise<boolean> {
    const { now } = this.#options;
    const known = this.#tokens;
    if (known !== undefined && known.accessToken !== refused && freshnessOf(known, now()) !== "expired") return true;
    const isRecent = known !== undefined && now() < known.obtainedAt + LONGEST_PAUSE_MS;
    if (isRecent && known.accessToken === this.#forced) return false;
    this.#challenge = challenge;
    const { accessToken } = await this.#ask();
    if (refused !== undefined) this.#forced = accessToken;
    return true;
  }

  /** A client's entry fixes its scopes, so it asks for no more: true only if another token has come. */
  stepUp(refused: string | undefined): Promise<boolean> {
    return Promise.resolve(this.#tokens !== undefined && this.#tokens.accessToken !== refused);
  }

  needsLogin(): UserError {
    const { url, clientId = "" } = this.#options.config;
    return new UserError(
      `"${url.href}" also refuses the second token in a row of client "${shorten(clientId)}". Ask its operator ` +
        `what the client may do there, or check "resource" and "scopes" ${PLACE}`,
    );
  }

  lacksScopes({ scope = "" }: Challenge): UserError {
    const { url, clientId = "" } = this.#options.config;
    return new UserError(
      `The token of client "${shorten(clientId)}" for "${url.href}" lacks a scope for this: "${shorten(scope)}". ` +
        `If the client may have it, add it to "scopes" ${PLACE}`,
    );
  }

  /** One request at a time, and none in a pause. */
  #ask(): Promise<StoredTokens> {
    return this.#asking ??= this.#askAlone().finally(() => this.#asking = undefined);
  }

  async #askAlone(): Promise<StoredTokens> {
    const { config, now, log } = this.#options;
    if (now() < this.#nextTry) throw this.#failed();
    const server = serverAddress(config.url);
    try {
      this.#tokens = await requestToken(this.#challenge, this.#options);
    } catch (thrown) {
      // The answer may echo the secret.
      this.#problem = messageOf(thrown).replaceAll(config.clientSecret || "\0", "[secret]");
      const passing = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LONGEST_PAUSE_MS);
      const pause = thrown instanceof OAuthServerError ? thrown.retryAfterMs ?? passing : LONGEST_PAUSE_MS;
      this.#nextTry = now() + pause;
      log.warn("A client got no access token", { server, problem: this.#problem });
      throw this.#failed();
    }
    this.#failures = this.#nextTry = 0;
    log.info("A client logged in by itself", { server });
    return this.#tokens;
  }

  #failed(): UserError {
    const seconds = Math.max(1, Math.ceil((this.#nextTry - this.#options.now()) / 1000));
    return new UserError(`${this.#problem}. The next try is possible in ${seconds} s`);
  }
}
