/** Chooses the OAuth client of a login: one that a person registered, that of the last login, or a new one (O3). */
import type { OAuthClientMetadata } from "@modelcontextprotocol/client";
import { messageOf, UserError } from "../../../base/errors.ts";
import { shorten } from "../../../base/visible_text.ts";
import type { OAuthConfig } from "../oauth_config.ts";
import type { StoredClient, StoredLogin } from "../store/stored_login.ts";
import type { Fetch } from "../wire/oauth_fetch.ts";
import type { AuthorizationServer } from "./discover.ts";

/** What the choice depends on. */
export interface ClientQuestion {
  readonly config: OAuthConfig;
  readonly server: AuthorizationServer;
  /** The last login to the MCP server. */
  readonly last: StoredLogin | undefined;
  readonly redirectUri: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** @throws {UserError} when there is none, and it cannot be registered */
export async function chooseClient(question: ClientQuestion, fetch: Fetch): Promise<StoredClient> {
  const { config, server: { metadata }, redirectUri } = question;
  if (config.clientId !== undefined) return givenClient(question, config.clientId);
  const known = knownClient(question);
  if (known !== undefined) return known;
  if (config.clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported === true) {
    return { clientId: documentAddress(config.clientMetadataUrl), redirectUri, how: "document" };
  }
  if (metadata.registration_endpoint === undefined) {
    throw new UserError(`Cannot register at ${nameOf(question)}: ` + GIVE);
  }
  return await register(question, fetch);
}

const GIVE = "it does not let programs register. Register a client there, and pass its id: " +
  '--client-id ID, or "clientId" in the oauth part of the server\'s entry';

/** @throws {UserError} if the client's secret would go to another authorization server */
function givenClient({ config, server, last, redirectUri }: ClientQuestion, clientId: string): StoredClient {
  const { issuer } = server.metadata;
  if (last?.client.how === "given" && last.client.clientId === clientId && last.issuer !== issuer) {
    throw new UserError(
      `"${config.url.href}" names another authorization server than before, "${shorten(issuer)}" instead of ` +
        `"${
          shorten(last.issuer)
        }", for which the client id was given. If that is right, run ahma_mcp auth logout first`,
    );
  }
  return { clientId, clientSecret: config.clientSecret, redirectUri, how: "given" };
}

/** The client of the last login, if the same server still knows it. */
function knownClient({ server, last, redirectUri, now }: ClientQuestion): StoredClient | undefined {
  if (last === undefined || last.issuer !== server.metadata.issuer || last.clientIsLost === true) return undefined;
  const { client } = last;
  const isOver = client.secretExpiresAt !== undefined && client.secretExpiresAt * 1000 <= now;
  return client.how === "registered" && client.redirectUri === redirectUri && !isOver ? client : undefined;
}

function documentAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === "https:" && url.pathname !== "/") return address;
  throw new UserError(`Cannot use "${address}" as "clientMetadataUrl": it is not an https address with a path`);
}

async function register(question: ClientQuestion, fetchFn: Fetch): Promise<StoredClient> {
  const { server: { url, metadata, scope }, redirectUri } = question;
  const { registerClient } = await import("@modelcontextprotocol/client");
  try {
    const client = await registerClient(url, {
      metadata,
      clientMetadata: registrationOf(redirectUri, metadata.token_endpoint_auth_methods_supported),
      ...scope !== undefined && { scope },
      fetchFn,
    });
    return {
      clientId: client.client_id,
      clientSecret: client.client_secret,
      // 0 means that it never expires (RFC 7591).
      secretExpiresAt: client.client_secret_expires_at || undefined,
      authMethod: client.token_endpoint_auth_method,
      redirectUri,
      how: "registered",
    };
  } catch (thrown) {
    throw new UserError(
      `${nameOf(question)} refuses to register this program: ${
        reasonOf(thrown)
      }. Register a client there, and give its ` +
        'id: --client-id ID, or "clientId" in the oauth part of the server\'s entry',
      { cause: thrown },
    );
  }
}

function registrationOf(redirectUri: string, methods: readonly string[] = ["none"]): OAuthClientMetadata {
  const method = ["none", "client_secret_basic", "client_secret_post"].find((one) => methods.includes(one)) ?? "none";
  return {
    client_name: "ahma_mcp",
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: method,
    application_type: "native",
  };
}

/** The SDK's error has the status and the body of the answer. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error) || !("status" in thrown) || !("body" in thrown)) return shorten(messageOf(thrown));
  return `status ${thrown.status}: ${shorten(String(thrown.body))}`;
}

function nameOf({ server }: ClientQuestion): string {
  return `"${shorten(server.metadata.issuer)}"`;
}
