/** Renews an access token once for all processes: many servers end a login if a refresh token is reused. */
import { messageOf, UserError } from "../../base/errors.ts";
import { shorten } from "../../base/visible_text.ts";
import type { LoginFiles } from "./store/login_files.ts";
import type { StoredLogin, StoredTokens } from "./store/stored_login.ts";
import { oauthFetch, OAuthServerError } from "./wire/oauth_fetch.ts";
import { metadataOf, sdkClientOf, storedTokens } from "./wire/sdk_shapes.ts";

/** How long another process may hold the lock, and the server may take to answer, milliseconds. */
const LOCK_MS = 30_000;
const ANSWER_MS = 15_000;

/** The functions that a refresh needs. */
export interface RefreshTools {
  readonly files: LoginFiles;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** `over`: a person must log in again. `failed`: it may work later, after `retryAfterMs` if the server says so. */
export type Refreshed =
  | { readonly kind: "renewed"; readonly login: StoredLogin }
  | { readonly kind: "over"; readonly reason: string }
  | { readonly kind: "failed"; readonly problem: string; readonly retryAfterMs: number | undefined };

/** Replaces the access token `known`, unless another process has done so. */
export async function refreshLogin(serverUrl: string, known: string, tools: RefreshTools): Promise<Refreshed> {
  const done = await tools.files.underLock(serverUrl, LOCK_MS, () => refreshAlone(serverUrl, known, tools));
  return done?.value ?? failed(`another process has been refreshing it for ${LOCK_MS / 1000} s`);
}

async function refreshAlone(serverUrl: string, known: string, tools: RefreshTools): Promise<Refreshed> {
  const { files, now } = tools;
  const login = (await files.read(serverUrl))?.login;
  if (login === undefined) return { kind: "over", reason: "the login no longer exists" };
  const isAnother = login.tokens.accessToken !== known;
  if (isAnother && freshnessOf(login.tokens, now()) !== "expired") return { kind: "renewed", login };
  if (login.needsLogin !== undefined) return { kind: "over", reason: login.needsLogin };
  return await ask(login, tools);
}

/** The lock is held. */
async function ask(login: StoredLogin, { files, now }: RefreshTools): Promise<Refreshed> {
  const { refreshToken } = login.tokens;
  if (refreshToken === undefined) return await over(login, "the server gave no refresh token", files);
  const { OAuthError, refreshAuthorization } = await import("@modelcontextprotocol/client");
  try {
    const tokens = await refreshAuthorization(login.server.url, {
      metadata: metadataOf(login),
      clientInformation: sdkClientOf(login.client),
      refreshToken,
      ...login.resource !== undefined && { resource: login.resource },
      fetchFn: oauthFetch({ server: new URL(login.serverUrl), timeoutMs: ANSWER_MS }),
    });
    const renewed = { ...login, tokens: storedTokens(tokens, now(), login.tokens.scope) };
    await files.write(renewed);
    return { kind: "renewed", login: renewed };
  } catch (thrown) {
    if (thrown instanceof OAuthServerError) return failed(thrown.message, thrown.retryAfterMs);
    if (thrown instanceof UserError) return failed(thrown.message);
    if (!(thrown instanceof OAuthError)) return failed(shorten(messageOf(thrown)));
    return await refusedWith(String(thrown.code), login, files);
  }
}

/** Errors that name the client, after which it is registered again with the next login. */
const CLIENT_ERRORS: readonly string[] = ["invalid_client", "unauthorized_client"];

async function refusedWith(code: string, login: StoredLogin, files: LoginFiles): Promise<Refreshed> {
  const isOver = code === "invalid_grant" || CLIENT_ERRORS.includes(code);
  const why = `the authorization server refuses the refresh token (${shorten(code, 40)})`;
  if (!isOver) return failed(why);
  return await over({ ...login, clientIsLost: CLIENT_ERRORS.includes(code) }, why, files);
}

async function over(login: StoredLogin, reason: string, files: LoginFiles): Promise<Refreshed> {
  await files.write({ ...login, needsLogin: reason });
  return { kind: "over", reason };
}

function failed(problem: string, retryAfterMs?: number): Refreshed {
  return { kind: "failed", problem, retryAfterMs };
}

/** A token is refreshed after this share of its life, or this long before its end, whichever is later. */
const SHARE = 0.8;
const LEAD_MS = 60_000;

/** `due`: still accepted, and time to refresh. */
type Freshness = "fresh" | "due" | "expired";

/** `now`: milliseconds since 1970. A token without an end is fresh until a server refuses it. */
export function freshnessOf({ obtainedAt, expiresAt }: StoredTokens, now: number): Freshness {
  if (expiresAt === undefined) return "fresh";
  if (now >= expiresAt) return "expired";
  const dueAt = Math.max(obtainedAt + SHARE * (expiresAt - obtainedAt), expiresAt - LEAD_MS);
  return now >= dueAt ? "due" : "fresh";
}
