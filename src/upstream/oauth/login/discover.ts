/** Finds the authorization server of an MCP server, and what a login there needs (O3). */
import type { AuthorizationServerMetadata, OAuthProtectedResourceMetadata } from "@modelcontextprotocol/client";
import { messageOf, UserError } from "../../../base/errors.ts";
import { shorten } from "../../../base/visible_text.ts";
import { type OAuthConfig, serverAddress } from "../oauth_config.ts";
import type { Challenge } from "../token_source.ts";
import { checkedAddress } from "../wire/addresses.ts";
import type { Fetch } from "../wire/oauth_fetch.ts";

/** An authorization server that a login may go to. */
export interface AuthorizationServer {
  /** The address it was found by. */
  readonly url: string;
  readonly metadata: AuthorizationServerMetadata;
  /** The `resource` parameter; undefined: none is sent. */
  readonly resource: string | undefined;
  /** Scopes to ask for; undefined: none. */
  readonly scope: string | undefined;
  /** Something a person should know, as a sentence. */
  readonly warning: string | undefined;
}

/** @throws {UserError} when there is none, or a login there is not safe */
export async function discover(config: OAuthConfig, challenge: Challenge, fetch: Fetch): Promise<AuthorizationServer> {
  const document = await protectedResource(config.url, challenge, fetch);
  const url = document?.authorization_servers?.[0] ?? new URL("/", config.url).href;
  const metadata = config.authServerMetadataUrl === undefined
    ? await serverMetadata(url, fetch)
    : await metadataAt(config.authServerMetadataUrl, fetch);
  if (metadata === undefined) {
    throw new UserError(
      `"${config.url.href}" offers no login: no metadata of an authorization server at "${shorten(url)}". ` +
        "If the server expects a key, put it into the headers of its entry",
    );
  }
  for (const [name, address] of endpointsOf(metadata)) {
    if (address !== undefined) checkedAddress(address, config.url, `The ${name} of "${shorten(metadata.issuer)}"`);
  }
  return {
    url: config.authServerMetadataUrl === undefined ? url : metadata.issuer,
    metadata,
    resource: await resourceOf(config, document),
    scope: scopeOf(config, { challenge, document, metadata }),
    warning: pkceWarning(config, metadata),
  };
}

/** The document at the address in the challenge, else at the well-known addresses; undefined: there is none. */
async function protectedResource(
  server: URL,
  { resourceMetadataUrl }: Challenge,
  fetchFn: Fetch,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  const { discoverOAuthProtectedResourceMetadata } = await import("@modelcontextprotocol/client");
  const places = resourceMetadataUrl === undefined ? [{}] : [{ resourceMetadataUrl }, {}];
  for (const place of places) {
    try {
      return await discoverOAuthProtectedResourceMetadata(server, place, fetchFn);
    } catch (thrown) {
      if (thrown instanceof UserError) throw thrown; // Others say that there is no such document.
    }
  }
  return undefined;
}

async function serverMetadata(url: string, fetchFn: Fetch): Promise<AuthorizationServerMetadata | undefined> {
  const { discoverAuthorizationServerMetadata } = await import("@modelcontextprotocol/client");
  return await explained(url, () => discoverAuthorizationServerMetadata(url, { fetchFn }));
}

/** The document at an address that a person gave; its issuer is the one that it names. */
async function metadataAt(address: string, fetch: Fetch): Promise<AuthorizationServerMetadata | undefined> {
  const { discoverAuthorizationServerMetadata } = await import("@modelcontextprotocol/client");
  const fetchFn = () => fetch(address);
  return await explained(
    address,
    () => discoverAuthorizationServerMetadata(address, { fetchFn, skipIssuerValidation: true }),
  );
}

async function explained<Value>(url: string, ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (thrown) {
    if (thrown instanceof UserError) throw thrown;
    throw new UserError(`Cannot use the authorization server "${shorten(url)}": ${shorten(messageOf(thrown))}`, {
      cause: thrown,
    });
  }
}

function endpointsOf(metadata: AuthorizationServerMetadata): readonly (readonly [string, string | undefined])[] {
  return [
    ["authorization endpoint", metadata.authorization_endpoint],
    ["token endpoint", metadata.token_endpoint],
    ["registration endpoint", metadata.registration_endpoint],
  ];
}

/** Spelled as in the server's document, so that the authorization server finds it equal. */
async function resourceOf(
  { url, resource }: OAuthConfig,
  document: OAuthProtectedResourceMetadata | undefined,
): Promise<string | undefined> {
  if (resource !== undefined) return resource === false ? undefined : resource;
  const own = serverAddress(url);
  if (document === undefined) return url.pathname === "/" && url.search === "" ? url.origin : own;
  const { checkResourceAllowed } = await import("@modelcontextprotocol/client");
  if (checkResourceAllowed({ requestedResource: own, configuredResource: document.resource })) return document.resource;
  throw new UserError(
    `"${own}" names another resource as its own, "${shorten(document.resource)}": a token for it could be misused. ` +
      'If that is right, set "resource" in the oauth part of the server\'s entry',
  );
}

/** The scopes that a person chose, else those that the server asks for now, else all that it names. */
function scopeOf(
  { scopes, grant }: OAuthConfig,
  { challenge, document, metadata }: {
    readonly challenge: Challenge;
    readonly document: OAuthProtectedResourceMetadata | undefined;
    readonly metadata: AuthorizationServerMetadata;
  },
): string | undefined {
  const scope = scopes?.join(" ") || challenge.scope || document?.scopes_supported?.join(" ");
  if (!scope) return undefined;
  // Without it, some servers give no refresh token; a client that logs in by itself needs none.
  const isOffered = grant === undefined && metadata.scopes_supported?.includes("offline_access") === true;
  return isOffered && !scope.split(" ").includes("offline_access") ? `${scope} offline_access` : scope;
}

/** @throws {UserError} where a stolen code could be used */
function pkceWarning(
  { assumePkce, grant, url }: OAuthConfig,
  metadata: AuthorizationServerMetadata,
): string | undefined {
  const methods = metadata.code_challenge_methods_supported;
  if (grant !== undefined || methods?.includes("S256") === true) return undefined;
  const issuer = `"${shorten(metadata.issuer)}"`;
  const says = methods === undefined ? "does not say that it supports PKCE" : "does not support PKCE with S256";
  if (methods === undefined && assumePkce === true) {
    return `Warning: ${issuer} ${says}, and the login goes on because "assumePkce" is set`;
  }
  const remedy = methods === undefined
    ? `. If its operator says that it does, set "assumePkce": true in the oauth part of the entry of "${url.href}"`
    : "";
  throw new UserError(`Login refused: ${issuer} ${says}, so another program could use a stolen code${remedy}`);
}
