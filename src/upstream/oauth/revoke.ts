/** Ends a login at the authorization server (RFC 7009). */
import { messageOf, UserError } from "../../base/errors.ts";
import type { StoredLogin } from "./store/stored_login.ts";
import { oauthFetch } from "./wire/oauth_fetch.ts";
import { metadataOf, sdkClientOf } from "./wire/sdk_shapes.ts";

const ANSWER_MS = 5_000;

/** The outcome; `unsupported`: the server cannot revoke tokens. */
export type Revoked =
  | { readonly kind: "revoked" | "unsupported" }
  | { readonly kind: "failed"; readonly problem: string };

/** Revokes the refresh token, which also ends tokens derived from it; else the access token. Tries once. */
export async function revoke(login: StoredLogin): Promise<Revoked> {
  const { server, tokens, client, serverUrl } = login;
  if (server.revocationEndpoint === undefined) return { kind: "unsupported" };
  const { selectClientAuthMethod } = await import("@modelcontextprotocol/client");
  const method = selectClientAuthMethod(sdkClientOf(client), [
    ...metadataOf(login).token_endpoint_auth_methods_supported ?? [],
  ]);
  const headers = new Headers({ accept: "application/json" });
  const body = new URLSearchParams({
    token: tokens.refreshToken ?? tokens.accessToken,
    token_type_hint: tokens.refreshToken === undefined ? "access_token" : "refresh_token",
  });
  if (method === "client_secret_basic") {
    const pair = [client.clientId, client.clientSecret ?? ""].map(encodeURIComponent).join(":");
    headers.set("authorization", `Basic ${btoa(pair)}`);
  } else {
    body.set("client_id", client.clientId);
    if (method === "client_secret_post") body.set("client_secret", client.clientSecret ?? "");
  }
  try {
    const fetch = oauthFetch({ server: new URL(serverUrl), timeoutMs: ANSWER_MS, emptyIsFine: true });
    const { ok, status } = await fetch(server.revocationEndpoint, { method: "POST", headers, body });
    return ok ? { kind: "revoked" } : { kind: "failed", problem: `status ${status}` };
  } catch (thrown) {
    if (thrown instanceof UserError) return { kind: "failed", problem: messageOf(thrown) };
    throw thrown;
  }
}
