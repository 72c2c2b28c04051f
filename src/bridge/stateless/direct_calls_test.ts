import { strict as assert } from "node:assert";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { SILENT } from "../../base/log.ts";
import { success } from "../../base/outcome.ts";
import type { AnswerForm } from "../../http/accept_header.ts";
import { makeService, PlayedRunner } from "../../service/_support/connection.ts";
import { SOURCE } from "../../service/_support/raw_connection.ts";
import { plainCall } from "../../service/connection/plain_calls.ts";
import { buildServer } from "../../service/connection/server.ts";
import type { ToolSource } from "../../service/service.ts";
import { serveStateless } from "./stateless_handler.ts";

const VERSION = "2026-07-28";
const META = "io.modelcontextprotocol/";
const ENVELOPE = {
  [`${META}protocolVersion`]: VERSION,
  [`${META}clientInfo`]: { name: "raw", version: "1" },
  [`${META}clientCapabilities`]: {},
};
const FORMS: readonly AnswerForm[] = ["json", "stream"];

interface Asked {
  readonly params: { readonly name?: unknown; readonly [more: string]: unknown };
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server, with direct calls or without them; the tool "slow" waits for `go`, and `left` resolves when its client leaves. */
function serve(isDirect: boolean) {
  const [go, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const runner = new PlayedRunner((command) => command.exit(0));
  const slow: ToolSource = {
    list: () => Promise.resolve([]),
    async call(service, call, context) {
      if (call.name !== "slow") return await SOURCE.call(service, call, context);
      context.signal.addEventListener("abort", () => left.resolve());
      await go.promise;
      return success({ content: [{ type: call.args["type"] === "wrong" ? "none" : "text", text: "late" }] } as never);
    },
  };
  const own = makeService({ runner });
  const service = { ...own, sources: [slow, ...own.sources] };
  let servers = 0;
  const handler = serveStateless({
    makeServer(outcome) {
      servers++;
      const server = buildServer(service, { revision: VERSION, lifetime: "request" });
      if (outcome !== undefined) server.setRequestHandler("tools/call", () => outcome as Promise<never>);
      return server;
    },
    ...isDirect && { calls: { service, plainCall } },
    keepAliveMs: 60_000,
    echo: undefined,
    log: SILENT,
  });
  const ask = ({ params, headers = {} }: Asked, form: AnswerForm) => {
    const message = { jsonrpc: "2.0", id: 7, method: "tools/call", params } as JSONRPCMessage;
    const all = {
      "mcp-protocol-version": VERSION,
      "mcp-method": "tools/call",
      "mcp-name": String(params.name),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    };
    return handler.handle(new Request("http://localhost/mcp", { method: "POST", headers: all }), message, form);
  };
  return { ask, go, left, close: () => handler.close(), served: () => servers };
}

/** Status, form and message of an answer, without what no two have in common. */
async function seen(response: Response): Promise<unknown> {
  const text = (await response.text()).replaceAll(
    /op_[0-9A-Z]+|\d{4}-[-\d]+T[\d:.]+Z|\d+ ms|[0-9a-f]{8}-[-0-9a-f]{27}/g,
    "ANY",
  );
  const message = /\{.*\}/g.exec(text)?.[0] ?? "";
  return [response.status, response.headers.get("content-type"), JSON.parse(message)];
}

const SHELL = { name: "sandboxed_shell", arguments: { command: "true", execution_mode: "Synchronous" } };
const TASKS = { ...ENVELOPE, [`${META}clientCapabilities`]: { extensions: { [`${META}tasks`]: {} } } };
const ASKS = { ...ENVELOPE, [`${META}clientCapabilities`]: { elicitation: {} } };

/** Calls that need no SDK. */
const PLAIN: readonly Asked[] = [
  ...["plain", "empty"].map((name) => ({ params: { name, _meta: ENVELOPE } })),
  { params: { ...SHELL, _meta: ENVELOPE } },
  { params: { ...SHELL, _meta: { ...ENVELOPE, "a/b": 1 } } },
  { params: { ...SHELL, _meta: ASKS } },
  { params: { ...SHELL, arguments: { command: 7 }, _meta: ENVELOPE } },
];
/** Those that need it: what they give, what they tell meanwhile, or what is wrong with them. */
const OTHER: readonly Asked[] = [
  ...["image", "structured", "without", "wrong", "refused", "broken", "unknown"].map((name) => ({
    params: { name, _meta: ENVELOPE },
  })),
  { params: { name: "asks", _meta: ASKS } },
  { params: { ...SHELL, _meta: { ...ENVELOPE, progressToken: 1 } } },
  { params: { ...SHELL, _meta: { ...ENVELOPE, [`${META}logLevel`]: "debug" } } },
  { params: { ...SHELL, arguments: { command: "true", execution_mode: "AsyncResultPush" }, _meta: TASKS } },
  { params: { ...SHELL, requestState: "no", _meta: ENVELOPE } },
  { params: { ...SHELL, more: 1, _meta: ENVELOPE } },
  { params: { name: 7, _meta: ENVELOPE } },
  { params: { name: "plain", arguments: [], _meta: ENVELOPE } },
  { params: { ...SHELL, _meta: { ...ENVELOPE, [`${META}clientInfo`]: { name: "raw" } } } },
  { params: { ...SHELL, _meta: { ...ENVELOPE, [`${META}clientCapabilities`]: { roots: 1 } } } },
  { params: { ...SHELL, _meta: { ...ENVELOPE, [`${META}protocolVersion`]: "2027-01-01" } } },
  { params: { ...SHELL, _meta: ENVELOPE }, headers: { "mcp-name": "status" } },
  { params: { ...SHELL, _meta: ENVELOPE }, headers: { "mcp-name": "=?base64?c2FuZGJveGVkX3NoZWxs?=" } },
  { params: { ...SHELL, _meta: ENVELOPE }, headers: { "mcp-method": "tools/list" } },
  { params: { ...SHELL, _meta: ENVELOPE }, headers: { "mcp-protocol-version": "2025-11-25" } },
];

const ALL_KINDS = [["no SDK", PLAIN], ["the SDK", OTHER]] as const;
const IS_DIRECT = true;

for (const [needs, rows] of ALL_KINDS) {
  // A call with a question is held for as long as a person may take.
  const isClean = needs === "no SDK";
  const leaves = { sanitizeOps: isClean, sanitizeResources: isClean };
  Deno.test(
    `C1 H4 a call of 2026-07-28 that needs ${needs} has the same answer directly and by the SDK`,
    leaves,
    async () => {
      const [direct, sdk] = [serve(IS_DIRECT), serve(!IS_DIRECT)];
      for (const row of rows) {
        for (const form of FORMS) {
          const [ours, its] = await Promise.all([direct, sdk].map(async ({ ask }) => await seen(await ask(row, form))));
          assert.deepStrictEqual(ours, its, `${form} ${JSON.stringify(row)}`);
        }
      }
      if (isClean) assert.deepStrictEqual([direct.served(), sdk.served()], [0, 2 * rows.length]);
      await Promise.all([direct.close(), sdk.close()]);
    },
  );
}

Deno.test("C1 H4 a call of 2026-07-28 that takes long is answered when it ends, whatever it gives", async () => {
  for (const form of FORMS) {
    for (const type of ["text", "wrong"]) {
      const [direct, sdk] = [serve(IS_DIRECT), serve(!IS_DIRECT)];
      const row = { params: { name: "slow", arguments: { type }, _meta: ENVELOPE } };
      const [ours, its] = await Promise.all([direct, sdk].map(async ({ ask, go }) => {
        const response = await ask(row, form);
        go.resolve();
        return await seen(response);
      }));
      assert.deepStrictEqual(ours, its, `${form} ${type}`);
      await Promise.all([direct.close(), sdk.close()]);
    }
  }
});

Deno.test("H4 who leaves a call of 2026-07-28 cancels it, in either form", async () => {
  for (const form of FORMS) {
    const { ask, go, left, close } = serve(IS_DIRECT);
    const response = await ask({ params: { name: "slow", _meta: ENVELOPE } }, form);
    await response.body?.cancel();
    await left.promise;
    go.resolve();
    await close();
  }
});
