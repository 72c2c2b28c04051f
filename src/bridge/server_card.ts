/**
 * The server card (H1), `GET <streamable-http-url>/server-card`: what a client learns before it connects, without a
 * list of tools. See https://modelcontextprotocol.io/seps/2127-mcp-server-cards and the schema in
 * `modelcontextprotocol/experimental-ext-server-card`. Pure.
 */
import { VERSION } from "../base/version.ts";

export interface ServerCardFacts {
  /** The value of `Host` in the request, which the guard allows. */
  readonly host: string;
  /** Whether this server listens there itself: other names are those of proxies that speak TLS. */
  readonly isOwn: boolean;
  /** Whether requests must carry the bearer token. */
  readonly needsToken: boolean;
  readonly versions: readonly string[];
}

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
const AUTHORIZATION = {
  name: "Authorization",
  description: 'The word "Bearer" and the token of the file that the server names at its start',
  isRequired: true,
  isSecret: true,
} as const;
export const CARD_HEADERS = {
  "Content-Type": "application/mcp-server-card+json",
  "Cache-Control": "public, max-age=3600",
} as const;

/** Only facts that are the same for every user and machine. */
export function serverCard({ host, isOwn, needsToken, versions }: ServerCardFacts): object {
  return {
    $schema: SCHEMA,
    name: `${namespaceOf(host)}/ahma_mcp`,
    version: VERSION,
    description: "Runs command-line programs as tools, each in a kernel sandbox",
    remotes: [{
      type: "streamable-http",
      url: `${isOwn ? "http" : "https"}://${host}/mcp`,
      ...needsToken && { headers: [AUTHORIZATION] },
      supportedProtocolVersions: versions,
    }],
  };
}

/** The name of the host from its end; an address has none. */
function namespaceOf(host: string): string {
  const name = host.replace(/:\d+$/, "");
  return /^[a-z-][a-z0-9.-]*$/i.test(name) ? name.toLowerCase().split(".").reverse().join(".") : "localhost";
}
