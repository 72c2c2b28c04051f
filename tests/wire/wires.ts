/** One client on the wire, over stdio or HTTP: what tests of the protocol send and hear, whatever carries it. */
import assert from "node:assert/strict";
import { EventReader } from "../_support/clients/event_reader.ts";
import { HttpClient } from "../_support/clients/http_client.ts";
import { HttpServerProcess } from "../_support/servers/http_server.ts";
import { type RpcMessage, type ToolAnswer, toolAnswer } from "../_support/json_rpc.ts";
import { ServerProcess } from "../_support/server_process.ts";
import { sharing } from "../_support/sharing.ts";
import type { Workbench } from "../_support/workbench.ts";

export const NEWEST = "2026-07-28";
export const LEGACY_VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
export type LegacyVersion = typeof LEGACY_VERSIONS[number];
export type Version = LegacyVersion | typeof NEWEST;
/** The newest version of each era. */
export const ERAS: readonly Version[] = ["2025-11-25", NEWEST];

/** The arguments of a shell line that is waited for. */
export function shellArguments(command: string, more: object = {}): object {
  return { command, execution_mode: "Synchronous", ...more };
}

export abstract class Wire implements AsyncDisposable {
  /** The result of `initialize`; undefined in 2026-07-28, which has none. */
  abstract readonly initialized: Readonly<Record<string, unknown>> | undefined;

  /** Sends a request and gives its response, an error response included. `id` absent: one of its own. */
  abstract request(method: string, params?: object, id?: string | number): Promise<RpcMessage>;

  /** Sends the bytes of one message in these parts, and gives the answer. */
  abstract exchange(...parts: readonly (string | Uint8Array)[]): Promise<RpcMessage>;

  /** Sends what has no answer. @throws Error when the transport says more than that it came. */
  abstract tell(message: object): Promise<void>;

  /** Sends a request of the first era, hands on what comes before its answer, as it comes, and gives the answer. */
  abstract follow(request: object, onMessage: (message: RpcMessage) => void): Promise<RpcMessage>;

  /** What came without having been asked for, from the beginning. */
  abstract heard(): readonly RpcMessage[];

  abstract [Symbol.asyncDispose](): Promise<void>;

  async call(name: string, args: object): Promise<ToolAnswer> {
    return toolAnswer(await this.request("tools/call", { name, arguments: args }));
  }

  /** Runs a shell line to its end. */
  shell(command: string, more: object = {}): Promise<ToolAnswer> {
    return this.call("sandboxed_shell", shellArguments(command, more));
  }
}

/** A process of its own, with one client. */
export class StdioWire extends Wire {
  readonly initialized: Wire["initialized"];
  readonly server: ServerProcess;

  private constructor(server: ServerProcess, initialized: Wire["initialized"]) {
    super();
    this.server = server;
    this.initialized = initialized;
  }

  /** `version`: what the client asks for. */
  static async start(bench: Workbench, version: string, flags: readonly string[] = []): Promise<StdioWire> {
    const server = await ServerProcess.start(bench, { era: version === NEWEST ? NEWEST : "none", flags });
    const answer = version === NEWEST ? undefined : await server.initialize(version);
    return new StdioWire(server, answer?.result);
  }

  async request(method: string, params?: object, id?: string | number): Promise<RpcMessage> {
    return await this.server.request(method, params ?? {}, id === undefined ? {} : { id });
  }

  async exchange(...parts: readonly (string | Uint8Array)[]): Promise<RpcMessage> {
    const answer = this.server.message(({ method }) => method === undefined, { what: "the answer" });
    for (const part of [...parts, "\r\n"]) await this.server.writeBytes(part);
    return await answer;
  }

  async tell(message: object): Promise<void> {
    await this.server.send(message);
  }

  async follow(request: object, onMessage: (message: RpcMessage) => void): Promise<RpcMessage> {
    const { id } = request as RpcMessage;
    const late: RpcMessage[] = [];
    let over = false;
    this.server.listen((message) => {
      if (message.id === id) over = true;
      else if (!over) onMessage(message);
      else if (message.method === "notifications/progress") late.push(message);
    });
    const answer = this.server.message((message) => message.id === id, { what: "the answer" });
    await this.server.send(request);
    const answered = await answer;
    // Whatever the server says after the answer comes before the answer to a later request.
    await this.server.request("ping");
    assert.deepStrictEqual(late, [], "after the answer");
    return answered;
  }

  heard(): readonly RpcMessage[] {
    return this.server.unclaimed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }
}

/** A session; in 2026-07-28 requests without one. */
export class HttpWire extends Wire {
  readonly server: HttpServerProcess;
  readonly client: HttpClient | undefined;

  private constructor(server: HttpServerProcess, client: HttpClient | undefined) {
    super();
    this.server = server;
    this.client = client;
  }

  /** `version`: what the client asks for. */
  static async connect(server: HttpServerProcess, version: string): Promise<HttpWire> {
    const client = version === NEWEST ? undefined : await HttpClient.connect(server, { protocolVersion: version });
    return new HttpWire(server, client);
  }

  get initialized(): Wire["initialized"] {
    return this.client?.initialized.result;
  }

  async request(method: string, params: object = {}, id: string | number = crypto.randomUUID()): Promise<RpcMessage> {
    if (this.client !== undefined) return await this.client.request(method, params, { id });
    const response = await this.server.modern(method, { ...params }, { id, accept: "application/json" });
    // What the server says is then compared field by field.
    return await response.json() as RpcMessage;
  }

  async exchange(...parts: readonly (string | Uint8Array)[]): Promise<RpcMessage> {
    const headers = { ...this.#headers(), "content-type": "application/json", accept: "application/json" };
    const [whole = "", ...more] = parts;
    const encoder = new TextEncoder();
    const bytes = parts.map((part) => typeof part === "string" ? encoder.encode(part) : part);
    const body = more.length === 0 ? whole as BodyInit : ReadableStream.from(bytes);
    const response = await fetch(this.server.url, { method: "POST", headers, body });
    const answer: RpcMessage = await response.json();
    const isUnreadable = answer.error?.code === -32700 || answer.error?.code === -32600;
    assert.strictEqual(response.status, isUnreadable ? 400 : 200, JSON.stringify(answer.error));
    return answer;
  }

  async tell(message: object): Promise<void> {
    const response = await this.server.post(message, { headers: this.#headers() });
    assert.deepStrictEqual([response.status, await response.text()], [202, ""], JSON.stringify(message));
  }

  async follow(request: object, onMessage: (message: RpcMessage) => void): Promise<RpcMessage> {
    await using reader = new EventReader(await this.server.post(request, { headers: this.#headers() }));
    const { id } = request as RpcMessage;
    const { message } = await reader.message((one) => {
      if (one.id !== id) onMessage(one);
      return one.id === id;
    });
    assert.deepStrictEqual(await reader.rest(), [], "after the answer");
    return message ?? {};
  }

  heard(): readonly RpcMessage[] {
    return this.client?.heard ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client?.[Symbol.asyncDispose]();
  }

  #headers(): Readonly<Record<string, string>> {
    return this.client?.headers ?? { "mcp-protocol-version": NEWEST };
  }
}

/** Registers one test that uses the shared server, as the client of one version. */
export type WireTest = (name: string, run: (bench: Workbench, wire: Wire) => Promise<void>) => void;

/** How a test comes to a wire over one transport. */
export interface Way {
  readonly way: "stdio" | "HTTP";
  readonly tests: Readonly<Record<Version, WireTest>>;
}

/** Every shipped tool over HTTP, where one server lists them in all versions; over stdio each server would try them first. */
const BUNDLES = { stdio: "git", HTTP: "all" };

/** Writes a tool that takes numbers, and gives the flags of the start. */
function prepare(bench: Workbench, way: Way["way"]): readonly string[] {
  const options = [
    { name: "count", type: "integer" },
    { name: "ratio", type: "number" },
    { name: "many", type: "array", items: { type: "integer" } },
  ];
  const subcommand = [{ name: "default", description: "Says.", options }];
  const say = { name: "say", description: "Says.", command: "echo", synchronous: true, subcommand };
  bench.write(".ahma/tools/say.json", JSON.stringify(say));
  return ["--bundles", BUNDLES[way]];
}

/** One server for each version, which starts when a test needs it. */
export const STDIO: Way = {
  way: "stdio",
  tests: forEachVersion((version) => {
    const stdio = sharing((bench) => StdioWire.start(bench, version, prepare(bench, "stdio")));
    return (name, run) => stdio(name, ({ bench, server }) => run(bench, server));
  }),
};

const testOverHttp = sharing((bench) => HttpServerProcess.start(bench, { flags: prepare(bench, "HTTP") }));

/** One server for all clients. */
export const HTTP: Way = {
  way: "HTTP",
  tests: forEachVersion((version) => (name, run) =>
    testOverHttp(name, async ({ bench, server }) => {
      await using wire = await HttpWire.connect(server, version);
      await run(bench, wire);
    })
  ),
};

export const BOTH_WAYS: readonly Way[] = [STDIO, HTTP];

function forEachVersion(make: (version: Version) => WireTest): Way["tests"] {
  return {
    "2024-11-05": make("2024-11-05"),
    "2025-03-26": make("2025-03-26"),
    "2025-06-18": make("2025-06-18"),
    "2025-11-25": make("2025-11-25"),
    [NEWEST]: make(NEWEST),
  };
}
