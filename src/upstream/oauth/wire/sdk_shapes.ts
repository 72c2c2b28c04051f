/** Converts stored logins to and from the SDK's types. Pure. */
import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  OAuthTokens,
} from "@modelcontextprotocol/client";
import { UserError } from "../../../base/errors.ts";
import { shorten } from "../../../base/visible_text.ts";
import type { StoredClient, StoredLogin, StoredServer, StoredTokens } from "../store/stored_login.ts";

/** The part of the server's metadata that a token request needs. */
export function metadataOf({ issuer, server }: Pick<StoredLogin, "issuer" | "server">): AuthorizationServerMetadata {
  return {
    issuer,
    authorization_endpoint: server.authorizationEndpoint,
    token_endpoint: server.tokenEndpoint,
    response_types_supported: ["code"],
    ...server.authMethods !== undefined && { token_endpoint_auth_methods_supported: [...server.authMethods] },
  };
}

/** The stored part of the server's metadata. */
export function storedServer(url: string, metadata: AuthorizationServerMetadata): StoredServer {
  const revocation: unknown = "revocation_endpoint" in metadata ? metadata.revocation_endpoint : undefined;
  return {
    url,
    authorizationEndpoint: metadata.authorization_endpoint,
    tokenEndpoint: metadata.token_endpoint,
    revocationEndpoint: typeof revocation === "string" ? revocation : undefined,
    authMethods: metadata.token_endpoint_auth_methods_supported,
  };
}

/** A client as the SDK takes it. */
export function sdkClientOf({ clientId, clientSecret, authMethod }: StoredClient): OAuthClientInformationMixed {
  return {
    client_id: clientId,
    ...clientSecret !== undefined && { client_secret: clientSecret },
    ...authMethod !== undefined && { token_endpoint_auth_method: authMethod },
  };
}

/** Tokens with their times; `scope`: if the answer names none. @throws {UserError} when they are not Bearer */
export function storedTokens(tokens: OAuthTokens, now: number, scope: string | undefined): StoredTokens {
  if (tokens.token_type.toLowerCase() !== "bearer") {
    throw new UserError(
      `The authorization server issues tokens of type "${shorten(tokens.token_type, 40)}", not Bearer`,
    );
  }
  return {
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
    scope: tokens.scope ?? scope,
    obtainedAt: now,
    expiresAt: tokens.expires_in === undefined ? undefined : now + tokens.expires_in * 1000,
  };
}
