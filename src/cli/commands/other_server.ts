/** Another MCP server, asked for its tools with the official client. The client is loaded when it is needed. */
import type { Client, Tool, Transport } from "@modelcontextprotocol/client";
import { messageOf, UserError } from "../../base/errors.ts";
import { VERSION } from "../../base/version.ts";
import { describeEnd } from "../../process/command_runner.ts";
import type { Program } from "../compose.ts";
import { CommandTransport } from "./command_transport.ts";

/** A way to a server; disposing of it ends the server where we started it. */
export interface Connection extends AsyncDisposable {
  /** For messages. */
  readonly name: string;
  transport(): Promise<Transport>;
  /** What is known besides when it fails; empty: nothing. */
  explain(): Promise<string>;
}

/** What another server tells. */
export interface OtherTools {
  readonly tools: readonly Tool[];
  readonly server: { readonly name: string; readonly version: string } | undefined;
}

/** How much of a failed server's stderr is shown. */
const LAST_LINES = 15;

/**
 * Connects, lists every page of tools, and disconnects.
 * @throws {UserError} when the server does not answer as it should
 */
export async function listOther(connection: Connection, limits: { readonly timeoutMs: number }): Promise<OtherTools> {
  const { Client } = await import("@modelcontextprotocol/client");
  const client = new Client({ name: "ahma_mcp", version: VERSION }, { versionNegotiation: { mode: "auto" } });
  try {
    await client.connect(await connection.transport(), { timeout: limits.timeoutMs });
    const tools = await everyPage(client, limits.timeoutMs);
    const facts = client.getServerVersion();
    return { tools, server: facts === undefined ? undefined : { name: facts.name, version: facts.version } };
  } catch (thrown) {
    const details = await connection.explain();
    const more = details === "" ? "" : `\n${details}`;
    throw new UserError(`Cannot list the tools of ${connection.name}: ${messageOf(thrown)}${more}`, { cause: thrown });
  } finally {
    await client.close();
  }
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
    if (seen.has(cursor)) throw new Error(`The server gives the page "${cursor}" again and again`);
    seen.add(cursor);
  }
}

/** A server at an address. */
export function httpConnection(url: URL): Connection {
  return {
    name: `"${url.href}"`,
    async transport() {
      const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
      return new StreamableHTTPClientTransport(url);
    },
    explain: () => Promise.resolve(""),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** A command that speaks MCP over stdio, started inside the program's sandbox. */
export async function commandConnection(
  { runner, sandbox, service }: Pick<Program, "runner" | "sandbox" | "service">,
  { argv, stop }: { readonly argv: readonly string[]; readonly stop: AbortSignal },
): Promise<Connection> {
  const stderrFile = `${sandbox.directories.files}/stderr`;
  await Deno.writeTextFile(stderrFile, "", { mode: 0o600 });
  const abort = new AbortController();
  const transport = new CommandTransport(abort);
  const onStop = () => transport.end();
  stop.addEventListener("abort", onStop, { once: true });
  const opened = await runner.open({
    run: { argv },
    directory: service.scope.roots[0] ?? "/",
    environment: {},
    stderrFile,
  }, { signal: abort.signal, onOutput: (chunk) => transport.receive(chunk) });
  transport.attach(opened);
  return {
    name: `"${argv.join(" ")}"`,
    transport: () => Promise.resolve(transport),
    async explain() {
      const end = transport.ended;
      const said = (await Deno.readTextFile(stderrFile)).trimEnd().split("\n").slice(-LAST_LINES).join("\n");
      return [...end === undefined ? [] : [describeEnd(end)], ...said === "" ? [] : [`It wrote:\n${said}`]].join("\n");
    },
    async [Symbol.asyncDispose]() {
      stop.removeEventListener("abort", onStop);
      await transport.close();
    },
  };
}
