/** Logins as lines and as JSON: never a token. Pure. */
import { shorten } from "../../../base/visible_text.ts";
import { freshnessOf } from "../../../upstream/oauth/refresh.ts";
import type { StoredLogin } from "../../../upstream/oauth/store/stored_login.ts";

/** `usable`: now, or after a refresh that needs no person. */
type LoginState = "usable" | "needs login";

/** One login for people and machines. */
interface ShownLogin {
  readonly server: string;
  readonly state: LoginState;
  /** Why a login is needed; absent: it is not, or the token is over. */
  readonly reason?: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** When the access token ends, as an ISO time; null: the server does not say. */
  readonly expires: string | null;
  readonly refreshes: boolean;
}

/** Three lines a login. `now`: milliseconds since 1970. */
export function loginLines(logins: readonly StoredLogin[], now: number): string {
  return logins.map((login) => {
    const { server, state, reason, issuer, scopes, expires, refreshes } = shown(login, now);
    const why = reason === undefined ? "" : ` (${reason})`;
    const end = expires === null ? "the server does not say when it ends" : `until ${expires}`;
    return `${server}\n` +
      `  ${state}${why}: ${end}${refreshes ? ", then refreshed" : ""}\n` +
      `  from ${issuer}, scopes: ${scopes.join(" ") || "not named"}\n`;
  }).join("");
}

/** A client of the configuration that logs in by itself, and keeps nothing. */
export interface ShownClient {
  readonly server: string;
  readonly clientId: string;
  readonly issuer: string | undefined;
}

/** Two lines a client. */
export function clientLines(clients: readonly ShownClient[]): string {
  return clients.map(({ server, clientId, issuer }) => {
    const from = issuer === undefined ? "" : `, from ${shorten(issuer)}`;
    return `${server}\n  client ${shorten(clientId)} logs in by itself (client_credentials)${from}\n`;
  }).join("");
}

/** All of them; `clients`: only where there are some. */
export function loginsAsJson(logins: readonly StoredLogin[], now: number, clients: readonly ShownClient[]): string {
  const all = { logins: logins.map((login) => shown(login, now)), ...clients.length > 0 && { clients } };
  return `${JSON.stringify(all, null, 2)}\n`;
}

function shown({ serverUrl, issuer, tokens, needsLogin }: StoredLogin, now: number): ShownLogin {
  const refreshes = tokens.refreshToken !== undefined && needsLogin === undefined;
  const isOver = freshnessOf(tokens, now) === "expired";
  return {
    server: serverUrl,
    state: needsLogin !== undefined || isOver && !refreshes ? "needs login" : "usable",
    ...needsLogin !== undefined && { reason: needsLogin },
    issuer: shorten(issuer),
    scopes: tokens.scope?.split(" ").map((scope) => shorten(scope, 100)) ?? [],
    expires: tokens.expiresAt === undefined ? null : new Date(tokens.expiresAt).toISOString(),
    refreshes,
  };
}
