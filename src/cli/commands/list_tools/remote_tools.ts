/** Lists the tools of a third-party server with the official client, which is loaded when it is needed. */
import type { Client, Tool, Transport, VersionNegotiationOptions } from "@modelcontextprotocol/client";
import { messageOf, UserError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { VERSION } from "../../../base/version.ts";
import type { Program } from "../../../app/compose_service.ts";
import { startInSandboxOf } from "../../../app/http/http_services.ts";
import type { TokenSource } from "../../../upstream/oauth/token_source.ts";
import { serverFetch } from "../../../upstream/link/patient_fetch.ts";
import { transportAuth } from "../../../upstream/oauth/transport_auth.ts";
import { ChildTransport } from "./child_transport.ts";

/** A connection to a server; disposing of it ends a server that we started. */
export interface Connection extends AsyncDisposable {
  /** Name of the server for messages. */
  readonly name: string;
  /** Opens a new transport; a server that was started before is ended. */
  transport(): Promise<Transport>;
  /** Why the server ended, as a sentence, and what it wrote to stderr last; undefined and empty: nothing is known. */
  lastWords(): { readonly end: string | undefined; readonly stderr: string };
}

/** The tools of a third-party server. */
interface OtherTools {
  readonly tools: readonly Tool[];
  readonly server: { readonly name: string; readonly version: string } | undefined;
}

/** Lines shown of a failed server's stderr. */
const LAST_LINES = 15;
/** Share of the time for an answer after which a server that ignores `server/discover` is sent `initialize`. */
const DISCOVER_SHARE = 0.3;

/**
 * Connects, lists every page of tools, and disconnects. `timeoutMs`: for each answer.
 * @throws {UserError} when the server does not answer as it should
 */
export async function listOther(connection: Connection, limits: { readonly timeoutMs: number }): Promise<OtherTools> {
  let client: Client | undefined;
  try {
    client = await connect(connection, limits);
    // Asked for what a server does not have, the SDK writes to stdout.
    const hasTools = client.getServerCapabilities()?.tools !== undefined;
    const tools = hasTools ? await everyPage(client, limits.timeoutMs) : [];
    const facts = client.getServerVersion();
    return { tools, server: facts === undefined ? undefined : { name: facts.name, version: facts.version } };
  } catch (thrown) {
    throw new UserError(explained(connection, limits, thrown), { cause: thrown });
  } finally {
    await client?.close();
  }
}

/**
 * Connects as a client of all versions. A server that fails at `server/discover`, as some end there, is started again
 * with `initialize`.
 */
async function connect(connection: Connection, { timeoutMs }: { readonly timeoutMs: number }): Promise<Client> {
  const { Client } = await import("@modelcontextprotocol/client");
  const probe = { timeoutMs: timeoutMs * DISCOVER_SHARE };
  const attempt = async (versionNegotiation: VersionNegotiationOptions) => {
    const client = new Client({ name: "ahma_mcp", version: VERSION }, { versionNegotiation });
    await client.connect(await connection.transport(), { timeout: timeoutMs - probe.timeoutMs });
    return client;
  };
  try {
    return await attempt({ mode: "auto", probe });
  } catch (thrown) {
    // The SDK has no error code for some failures before `initialize`.
    if (!messageOf(thrown).startsWith("Version negotiation")) throw thrown;
    return await attempt({ mode: "legacy" });
  }
}

/** The message with the cause first: the end of the server says more than the missing answer. */
function explained(connection: Connection, { timeoutMs }: { readonly timeoutMs: number }, thrown: unknown): string {
  const { end, stderr } = connection.lastWords();
  const late = `It did not answer within ${timeoutMs / 1000} s. A server that is fetched first may need longer: ` +
    "--timeout SECONDS";
  const cause = end ?? (isTimeout(thrown) ? late : messageOf(thrown));
  const wrote = stderr === "" ? "" : `\nIt wrote:\n${stderr}`;
  return `Cannot list the tools of ${connection.name}: ${cause}${wrote}`;
}

/** Recognizes the SDK's error by its code, because its class would have to be loaded. */
function isTimeout(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "REQUEST_TIMEOUT";
}

async function everyPage(client: Client, timeout: number): Promise<Tool[]> {
  const tools: Tool[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  while (true) {
    const page = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout });
    tools.push(...page.tools);
    cursor = page.nextCursor;
    if (cursor === undefined) return tools;
    if (seen.has(cursor)) throw new Error(`The server repeats the page "${cursor}"`);
    seen.add(cursor);
  }
}

/** The connection to a server at an address, with the token of the user's login there; it asks for no login. */
export function httpConnection(url: URL, tokens: TokenSource): Connection {
  return {
    name: `"${url.href}"`,
    async transport() {
      const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
      return new StreamableHTTPClientTransport(url, transportAuth(tokens, serverFetch));
    },
    lastWords: () => ({ end: undefined, stderr: "" }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** The connection to a command that speaks MCP over stdio, started inside the sandbox. */
export function commandConnection(
  program: Program,
  { argv, stop, log }: { readonly argv: readonly string[]; readonly stop: AbortSignal; readonly log: Logger },
): Connection {
  const start = startInSandboxOf(program, { argv, log });
  let current: ChildTransport | undefined;
  let stderr: string[] = [];
  const onStop = () => current?.end();
  stop.addEventListener("abort", onStop, { once: true });
  return {
    name: `"${argv.join(" ")}"`,
    async transport() {
      await current?.close();
      stderr = [];
      const transport = current = new ChildTransport(log);
      await transport.launch(start, (line) => stderr = [...stderr, line].slice(-LAST_LINES));
      if (stop.aborted) transport.end();
      return transport;
    },
    lastWords: () => ({ end: current?.ended, stderr: stderr.join("\n").trimEnd() }),
    async [Symbol.asyncDispose]() {
      stop.removeEventListener("abort", onStop);
      await current?.close();
    },
  };
}
