/** For the tests of what answers without the SDK: a connection with it, without it, and with it from the start. */
import { strict as assert } from "node:assert";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { encodeText } from "../../base/text.ts";
import { success } from "../../base/outcome.ts";
import { delay } from "../../base/time.ts";
import { RequestError } from "../../wire/request_error.ts";
import { DirectAnswers, type SdkConnection } from "../connection/direct_answers.ts";
import { firstAnswer } from "../connection/first_answer.ts";
import { connectSdk } from "../connection/sdk_connection.ts";
import { buildServer, revisionOf } from "../connection/server.ts";
import { InitializeOrder } from "../sdk/initialize_order.ts";
import type { Service, ToolSource } from "../service.ts";
import { makeService, PlayedRunner } from "./connection.ts";

/** What tools of the source give. */
const RESULTS: Readonly<Record<string, () => unknown>> = {
  plain: () => ({ content: [{ type: "text", text: "a" }], isError: true, _meta: { "a/b": 1 } }),
  image: () => ({ content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }),
  structured: () => ({ content: [{ type: "text", text: "{}", annotations: {} }], structuredContent: {}, extra: 1 }),
  without: () => ({}),
  wrong: () => ({ content: [{ type: "text", text: 1 }] }),
  empty: () => ({ content: [] }),
  refused: () => {
    throw new RequestError(-32_001, "No", { why: "not" });
  },
  broken: () => {
    throw new Error("Broken");
  },
};

/** Tools that give what is not a concern of the layer. */
export const SOURCE: ToolSource = {
  list: () => Promise.resolve([]),
  call: async (_, { name }, { sendProgress, client, signal }) => {
    await sendProgress?.(1, "half", 2);
    if (name === "asks") {
      const answer = await client?.ask({ method: "elicitation/create", params: { message: "How large?" } }, signal);
      return success({ content: [{ type: "text", text: JSON.stringify(answer) }] });
    }
    const result = RESULTS[name];
    return result === undefined ? { ok: false, problem: { known: Object.keys(RESULTS) } } : success(result() as never);
  },
};

const PROMPTS = [{ list: () => Promise.resolve([{ name: "a" }]), get: () => Promise.reject(new Error("None")) }];

type Load = (...all: Parameters<typeof connectSdk>) => SdkConnection | Promise<SdkConnection>;

/** Who answers: the SDK alone; the layer, once the SDK has answered `initialize`; the layer, as long as it can. */
type Way = "sdk" | "layer and sdk" | "layer";

export const INITIALIZE: JSONRPCRequest = {
  jsonrpc: "2.0",
  id: "begin",
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

/** A client on raw messages, and what serves it. */
export class RawConnection implements AsyncDisposable {
  /** Whether the SDK was loaded by what the client sent. */
  isLoaded = false;
  readonly runner = new PlayedRunner((command) => {
    if (!("shell" in command.request.run) || command.request.run.shell !== "wait") command.exit(0);
  });
  readonly messages: JSONRPCMessage[] = [];
  /** Who called tools, as servers behind ours tell clients apart. */
  readonly callers = new Set<unknown>();
  readonly #way: Way;
  readonly #client: InMemoryTransport;
  readonly #end: () => Promise<void>;
  #next = Promise.withResolvers<void>();

  constructor(way: Way, { load = connectSdk as Load, listed = [] as readonly object[] } = {}) {
    this.#way = way;
    const own = makeService({ runner: this.runner, rest: { prompts: PROMPTS as never } });
    const source: ToolSource = {
      list: () => Promise.resolve(listed as never),
      call: (...all) => {
        this.callers.add(all[2].client?.owner);
        return SOURCE.call(...all);
      },
    };
    const service: Service = { ...own, sources: [source, ...own.sources] };
    const [client, wire] = InMemoryTransport.createLinkedPair();
    this.#client = client;
    client.onmessage = (message) => {
      this.messages.push(message);
      this.#next.resolve();
      this.#next = Promise.withResolvers<void>();
    };
    if (way === "sdk") {
      const served = serveStdio((context) => buildServer(service, { revision: revisionOf(context) }), {
        transport: new InitializeOrder(wire),
      });
      this.#end = () => served.close();
      return;
    }
    const connect = (session: DirectAnswers) => {
      this.isLoaded = true;
      return Promise.resolve().then(() => load(service, session));
    };
    const answered = way === "layer" ? firstAnswer(service, encodeText(JSON.stringify(INITIALIZE))) : undefined;
    const layer = new DirectAnswers(wire, { service, answered, connect });
    void layer.open();
    this.#end = () => layer.end();
  }

  async send(message: object): Promise<void> {
    await this.#client.send({ jsonrpc: "2.0", ...message } as JSONRPCMessage);
  }

  /** The first message of which `matches` is true. */
  async message(matches: (message: JSONRPCMessage) => boolean): Promise<JSONRPCMessage> {
    for (;;) {
      const found = this.messages.find(matches);
      if (found !== undefined) return found;
      await this.#next.promise;
    }
  }

  answer(id: unknown): Promise<JSONRPCMessage> {
    return this.message((one) => "id" in one && one.id === id && !("method" in one));
  }

  /** Ends it as the transport does. */
  end(): Promise<void> {
    return this.#end();
  }

  async initialize(): Promise<void> {
    await this.send(INITIALIZE);
    if (this.#way !== "layer") await this.answer("begin");
    await this.send({ method: "notifications/initialized" });
    if (this.#way === "layer") assert.ok(!this.isLoaded);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
    await delay(0); // what is told after the answers has its turn
  }
}
