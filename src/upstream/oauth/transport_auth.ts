/** Joins a token source to the SDK's HTTP transports: their options, which keep the SDK from logging in itself. */
import type { AuthProvider, FetchLike } from "@modelcontextprotocol/client";
import type { AccessTokens, Challenge } from "./token_source.ts";

/** Options of StreamableHTTPClientTransport and SSEClientTransport. */
export interface TransportAuth {
  readonly authProvider: AuthProvider;
  readonly fetch: FetchLike;
  /** The SDK asks for no more scopes by itself. */
  readonly onInsufficientScope: "throw";
}

/** Options of a connection. A refused request is repeated once with another token, or after a step-up. */
export function transportAuth(source: AccessTokens, fetch: FetchLike): TransportAuth {
  const sent = new WeakMap<Response, string>();
  const send: FetchLike = async (url, init) => {
    const response = await fetch(url, init);
    const token = bearerOf(init?.headers);
    if (token !== undefined) sent.set(response, token);
    return response;
  };
  return {
    onInsufficientScope: "throw",
    authProvider: {
      token: () => source.token(),
      async onUnauthorized({ response }) {
        if (!await source.replace(sent.get(response), await challengeOf(response))) throw await source.needsLogin();
      },
    },
    async fetch(url, init) {
      const response = await send(url, init);
      if (response.status !== 403) return response;
      const challenge = await challengeOf(response);
      if (challenge.error !== "insufficient_scope") return response;
      await response.body?.cancel();
      if (!await source.stepUp(sent.get(response), challenge)) throw await source.lacksScopes(challenge);
      const headers = new Headers(init?.headers);
      headers.set("Authorization", `Bearer ${await source.token()}`);
      return await send(url, { ...init, headers });
    },
  };
}

/** What a refused response asks for. */
export async function challengeOf(response: Response): Promise<Challenge & { readonly error: string | undefined }> {
  const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
  const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response);
  return { resourceMetadataUrl, scope, error };
}

function bearerOf(headers: HeadersInit | undefined): string | undefined {
  return /^Bearer (.+)$/i.exec(new Headers(headers).get("authorization") ?? "")?.[1];
}
