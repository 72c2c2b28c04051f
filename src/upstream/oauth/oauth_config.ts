/** How one HTTP server is logged in to, as its entry in a configuration says. Pure. */

/** All but the address is optional; what is absent is discovered or takes its default. */
export interface OAuthConfig {
  /** Address of the MCP server. */
  readonly url: URL;
  /** How a token is obtained; absent: a person logs in. */
  readonly grant?: "client_credentials" | undefined;
  /** The only authorization server that gets the secret, or the proof of its key, of a client that logs in by itself. */
  readonly issuer?: string | undefined;
  /** A client that a person registered before; absent: a metadata document or a registration of our own. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** The file of the private key of a client that logs in by itself, absolute; in place of a secret. */
  readonly privateKeyFile?: string | undefined;
  /** What the authorization server calls that key; absent: as the file says. */
  readonly keyId?: string | undefined;
  /** Scopes to ask for, instead of those that the server names. */
  readonly scopes?: readonly string[] | undefined;
  /** Port that the browser comes back to (default: 8080). */
  readonly callbackPort?: number | undefined;
  /** The whole registered redirect address (default: http://localhost:PORT/callback). */
  readonly redirectUri?: string | undefined;
  /** The `resource` parameter; false: none is sent. Absent: as the server names itself. */
  readonly resource?: string | false | undefined;
  /** Where the metadata of the authorization server is; absent: it is discovered. */
  readonly authServerMetadataUrl?: string | undefined;
  /** A public https address of the client's own metadata document; it serves as the client id. */
  readonly clientMetadataUrl?: string | undefined;
  /** Continues even if the authorization server does not say that it supports PKCE. */
  readonly assumePkce?: boolean | undefined;
}

/** The address that identifies a server, without a fragment. */
export function serverAddress(url: URL): string {
  const plain = new URL(url);
  plain.hash = "";
  return plain.href;
}

/** What a configuration says in addition to the address. */
export type OAuthFields = Omit<OAuthConfig, "url">;
