/** Requests an access token (O8): the server that the entry names gets the secret, or the proof of the key. */
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { UserError } from "../../../base/errors.ts";
import { shorten } from "../../../base/visible_text.ts";
import { type AuthorizationServer, discover } from "../login/discover.ts";
import type { OAuthConfig } from "../oauth_config.ts";
import type { StoredTokens } from "../store/stored_login.ts";
import type { Challenge } from "../token_source.ts";
import { oauthFetch } from "../wire/oauth_fetch.ts";
import { clientAssertion } from "./client_assertion.ts";
import { storedTokens } from "../wire/sdk_shapes.ts";

/** For each request, milliseconds. */
const ANSWER_MS = 10_000;
/** The ways to send a secret; the first is the default if the authorization server names none. */
const SECRET_METHODS: readonly string[] = ["client_secret_basic", "client_secret_post"];
const KEY_METHODS: readonly string[] = ["private_key_jwt"];

/** Where a person can correct the mistake. */
export const PLACE = "in the oauth part of the server's entry";
const ALLOW = `allow it the grant "client_credentials" there, or remove "grant" ${PLACE} and log in as a person`;
/** By the error that an authorization server answers with. */
const ADVICE: Readonly<Record<string, string>> = {
  invalid_client: `check "clientId" and its secret or key ${PLACE}`,
  invalid_scope: `check "scopes" ${PLACE}`,
  unauthorized_client: ALLOW,
  unsupported_grant_type: ALLOW,
};

export interface TokenRequest {
  readonly config: OAuthConfig;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Ends all requests. */
  readonly stop: AbortSignal;
}

/** @throws {UserError} that says why there is none, and what helps; other errors mean there is none too */
export async function requestToken(challenge: Challenge, { config, now, stop }: TokenRequest): Promise<StoredTokens> {
  const fetchFn = oauthFetch({ server: config.url, timeoutMs: ANSWER_MS, signal: stop });
  const server = await discover(config, challenge, fetchFn);
  checkSupport(server, config);
  const { fetchToken, OAuthError } = await import("@modelcontextprotocol/client");
  const { clientId = "" } = config;
  const { metadata, url, resource, scope } = server;
  const provider = await providerFor(config, metadata, now());
  try {
    const tokens = await fetchToken(provider, url, {
      metadata,
      ...resource !== undefined && { resource },
      ...scope !== undefined && { scope },
      fetchFn,
    });
    return storedTokens(tokens, now(), scope);
  } catch (thrown) {
    if (!(thrown instanceof OAuthError)) throw thrown;
    const code = String(thrown.code);
    const why = `"${shorten(metadata.issuer)}" refuses a token to client "${shorten(clientId)}" (${shorten(code, 40)})`;
    throw new UserError(`${why}: ${ADVICE[code] ?? "ask its operator"}`);
  }
}

/** What proves the client. */
async function providerFor(
  { clientId = "", clientSecret = "", privateKeyFile: keyFile, keyId }: OAuthConfig,
  { issuer, ...metadata }: AuthorizationServer["metadata"],
  now: number,
): Promise<OAuthClientProvider> {
  const { ClientCredentialsProvider, StaticPrivateKeyJwtProvider } = await import("@modelcontextprotocol/client");
  const client = { clientId, expectedIssuer: issuer };
  if (keyFile === undefined) return new ClientCredentialsProvider({ ...client, clientSecret });
  const { token_endpoint_auth_signing_alg_values_supported: algorithms } = metadata;
  const jwtBearerAssertion = await clientAssertion({ clientId, keyFile, keyId, issuer, algorithms, now });
  return new StaticPrivateKeyJwtProvider({ ...client, jwtBearerAssertion });
}

/** @throws {UserError} where the secret may not be sent, or would not help */
function checkSupport(
  { metadata }: AuthorizationServer,
  { url, issuer, authServerMetadataUrl, privateKeyFile }: OAuthConfig,
): void {
  const [proof, own] = privateKeyFile === undefined ? ["secret", SECRET_METHODS] : ["proof of a key", KEY_METHODS];
  const named = `"${shorten(metadata.issuer)}"`;
  const isSame = issuer?.replace(/\/$/, "") === metadata.issuer.replace(/\/$/, "");
  if (!isSame && (issuer !== undefined || authServerMetadataUrl === undefined)) {
    const expected = issuer === undefined ? "no issuer is named for it" : `the entry names "${shorten(issuer)}"`;
    throw new UserError(
      `The ${proof} is not sent to ${named}, which "${url.href}" names: ${expected}. If the client is registered ` +
        `there, set "issuer": ${named} ${PLACE}`,
    );
  }
  if (metadata.grant_types_supported?.includes("client_credentials") === false) {
    throw new UserError(
      `${named} does not support the grant "client_credentials". Remove "grant" ${PLACE}, and log in as a person`,
    );
  }
  const methods = metadata.token_endpoint_auth_methods_supported ?? own;
  if (methods.some((method) => own.includes(method))) return;
  throw new UserError(
    `${named} accepts no ${proof} of a client, only ${
      shorten(methods.join(", "))
    }. Register a client there that uses ` +
      own.join(" or "),
  );
}
