/** What servers behind ours ask: forms and addresses for the user, completions of the client's model. */
import assert from "node:assert/strict";
import { createMcpHandler, inputRequired, Server } from "@modelcontextprotocol/server";
import type { Client } from "@modelcontextprotocol/client";
import { until } from "./_support/deadline.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { EVERYTHING, MISSING } from "./_support/servers/everything.ts";
import { testCache } from "./_support/packages/npm_tools.ts";
import { type Asked, connectClient, connectHttpClient } from "./_support/clients/sdk_client.ts";
import { type Era, ERAS, type ServerProcess } from "./_support/server_process.ts";
import { withServers, writeServers } from "./_support/servers/upstream.ts";
import { Workbench } from "./_support/workbench.ts";

const ALL_MODES = { elicitation: { form: {}, url: {} }, sampling: {} };

type Params = Readonly<Record<string, unknown>>;

/** A client that answers `answer`, or what it makes of a form, to all forms, notes what it is asked, and says `sky` to its model's prompts. */
function answering(answer: object | ((params: Params) => object) = {}): Asked & { readonly heard: Params[] } {
  const heard: Params[] = [];
  return {
    heard,
    capabilities: ALL_MODES,
    onElicit(params) {
      heard.push(params);
      return {
        action: "accept",
        ...params["mode"] !== "url" && { content: { ...typeof answer === "function" ? answer(params) : answer } },
      };
    },
    onSample(params) {
      heard.push(params);
      return "sky";
    },
  };
}

/** The texts of a call's result, and whether it is an error. */
async function said(client: Client, name: string, args: Params = {}): Promise<readonly [string, boolean]> {
  const { content, isError } = await client.callTool({ name, arguments: args });
  return [content.map((part) => part.type === "text" ? part.text : part.type).join("\n"), isError === true];
}

/** The server of the fixture, which asks what its argument says. */
function asking(bench: Workbench, fields: object = {}): object {
  const script = Deno.readTextFileSync(new URL("fixtures/asking_server.py", import.meta.url));
  return { command: "python3", args: [bench.write("asking.py", script)], ...fields };
}

function elicitation(params: Params): Params {
  const requestedSchema = { type: "object", properties: { size: { type: "integer" } } };
  return { method: "elicitation/create", params: { message: "How large?", requestedSchema, ...params } };
}

Deno.test("O2 what a client does not take is not declared to a server, and refused in a result that says so", async () => {
  using bench = new Workbench();
  await using server: ServerProcess = await withServers(bench, { srv: asking(bench) }, { era: "none" });
  const client = await connectClient(server, "2025-11-25", { capabilities: { elicitation: {} }, ...silent() });
  const declared = JSON.parse((await said(client, "srv_declared"))[0]);
  assert.deepStrictEqual(declared, { elicitation: { form: {} }, roots: {} });
  const url = { mode: "url", url: "https://example.com/", elicitationId: "1", message: "Go" };
  for (
    const [question, answer, reason] of [
      [elicitation(url), { result: { action: "decline" } }, "the client does not take such questions"],
      [elicitation({ requestedSchema: { type: "object", properties: { api_key: { type: "string" } } } }), {
        result: { action: "decline" },
      }, "its form asks for a secret (api_key)"],
      [elicitation({ ...url, url: "http://example.com/" }), {
        result: { action: "decline" },
      }, "its address is not an https:// address"],
    ] as const
  ) {
    const [text, isError] = await said(client, "srv_ask", question);
    const [told = "", note = ""] = text.split("\n");
    assert.deepStrictEqual([JSON.parse(told), isError, note.includes(reason)], [answer, true, true], text);
    assert.match(note, /^Server "srv" asked the user something, which was refused: /);
  }
  const [text, isError] = await said(client, "srv_ask", { method: "sampling/createMessage", params: {} });
  assert.deepStrictEqual([isError, text.includes('its entry does not have "sampling": true')], [true, true], text);
  await client.close();
});

/** A client that must not be asked. */
function silent(): Asked {
  return {
    onElicit() {
      throw new Error("It was asked");
    },
  };
}

/** A question, and the end of a visit to an address, goes to the connection whose call it is for, and to no other. */
async function reachTheirConnection(server: HttpServerProcess): Promise<void> {
  const [one, other] = [answering({ size: 1 }), answering({ size: 2 })];
  const first = await connectHttpClient(server.url, "2025-11-25", one);
  const second = await connectHttpClient(server.url, "2025-11-25", other);
  const third = await connectHttpClient(server.url, "2026-07-28", answering({ size: 3 }));
  const sizes = [];
  for (const client of [first, second, third]) {
    sizes.push(JSON.parse((await said(client, "srv_ask", elicitation({})))[0]).result.content);
  }
  assert.deepStrictEqual(sizes, [{ size: 1 }, { size: 2 }, { size: 3 }]);
  const waiting = said(first, "srv_wait");
  const note = 'Server "srv" asked the user something, which was refused: calls of several clients are in flight.';
  const declined = JSON.stringify({ result: { action: "decline" } }).replaceAll(":", ": ");
  assert.deepStrictEqual(await said(second, "srv_ask", elicitation({})), [`${declined}\n${note}`, false]);
  await said(second, "srv_release");
  assert.deepStrictEqual(await waiting, [`"released"\n${note}`, false]);
  assert.deepStrictEqual([one.heard.length, other.heard.length], [1, 1]);
  const done: unknown[] = [];
  for (const client of [first, second]) {
    client.setNotificationHandler("notifications/elicitation/complete", ({ params }) => {
      done.push([client === first, params.elicitationId]);
    });
  }
  const address = { mode: "url", url: "https://example.com/", elicitationId: "7", message: "Go" };
  await said(first, "srv_ask", { method: "elicitation/create", params: address });
  assert.deepStrictEqual(one.heard[1]?.["elicitationId"], "srv/7");
  for (const elicitationId of ["8", "7", "7"]) {
    await said(second, "srv_tell", { method: "notifications/elicitation/complete", params: { elicitationId } });
  }
  await until(() => done.length > 0, 10_000, "the end of the visit");
  assert.deepStrictEqual(done, [[true, "srv/7"]]);
  for (const client of [first, second, third]) await client.close();
}

/** server-everything, which asks the user and the model. */
async function everythingAsks(client: Client, era: Era, heard: readonly Params[]): Promise<void> {
  const [form] = await said(client, "all_trigger-elicitation-request");
  assert.match(form, /User inputs:\n- Name: Ada\n/);
  const [page] = await said(client, "all_trigger-url-elicitation", {
    url: "https://example.com/a?b=c",
    message: "Go",
  });
  assert.match(page, /accept/);
  const [model] = await said(client, "all_trigger-sampling-request", { prompt: "What is blue?" });
  assert.match(model, /sky/);
  const [first, second, third] = heard;
  assert.match(String(first?.["message"]), /^\[all\] Please provide/);
  assert.deepStrictEqual([second?.["message"], second?.["url"], second?.["mode"]], [
    "[all] Go",
    "https://example.com/a?b=c",
    "url",
  ]);
  assert.deepStrictEqual([third?.["systemPrompt"], heard.length], ["You are a helpful test server.", 3]);
  const [needed] = await said(client, "all_trigger-url-elicitation", {
    url: `https://example.com/${era}`, // it remembers what it has refused once
    errorPath: true,
  });
  assert.match(needed, /repeat the call when the user is done there/);
}

/** A call that has become an operation. */
async function operationAsks(client: Client, era: Era): Promise<void> {
  const [started] = await said(client, "late_ask", elicitation({}));
  const id = /^op_\w+/.exec(started)?.[0];
  const [text, isError] = await said(client, "await", { operation_id: id });
  const note = 'Server "late" asked the user something, which was refused: The call goes on as an operation, and ' +
    "this version of the protocol asks during a request only.";
  assert.deepStrictEqual(
    [text, isError],
    era === "2025-11-25"
      ? [`{"result": {"action": "accept", "content": {"size": 7}}}`, false]
      : [`{"result": {"action": "cancel"}}\n${note}`, true],
  );
}

/** A server of 2026-07-28, whose tool asks twice and carries its state from one request to the next. */
function modernServer(): Server {
  const server = new Server({ name: "modern", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [{ name: "order", inputSchema: { type: "object" } }] }));
  server.setRequestHandler("tools/call", (_, { mcpReq: { inputResponses, requestState } }) => {
    const state = requestState<string>() ?? "";
    const answer = JSON.stringify(inputResponses?.["size"] ?? inputResponses?.["colour"]);
    if (state.split("|").length === 3) return { content: [{ type: "text", text: `${state}${answer}` }] };
    const requestedSchema = { type: "object", properties: { value: { type: "string" } } } as const;
    const key = state === "" ? "size" : "colour";
    const params = { message: `Which ${key}?`, requestedSchema };
    const before = state === "" ? "begun |" : `${state}${answer}|`;
    return inputRequired({ inputRequests: { [key]: inputRequired.elicit(params) }, requestState: before });
  });
  return server;
}

/** A server that asks in rounds; its state goes with them unchanged. */
async function asksInRounds(client: Client, heard: readonly Params[]): Promise<void> {
  const before = heard.length;
  const answer = JSON.stringify({ action: "accept", content: { value: "x" } });
  assert.deepStrictEqual(await said(client, "far_order"), [`begun |${answer}|${answer}`, false]);
  const asked = heard.slice(before).map(({ message }) => message);
  assert.deepStrictEqual(asked, ["[far] Which size?", "[far] Which colour?"]);
}

/** Calls of one script ask the person one after the other, and at most 8 times. */
async function scriptAsksInTurn(url: string, era: Era): Promise<void> {
  let [open, most, asked] = [0, 0, 0];
  const client = await connectHttpClient(url, era, {
    capabilities: { elicitation: { form: {} } },
    async onElicit() {
      most = Math.max(most, ++open);
      // Others that are on their way arrive first.
      await client.ping().catch(() => {});
      open--;
      return { action: "accept", content: { size: ++asked } };
    },
  });
  const ask = `tools.srv_ask(${JSON.stringify(elicitation({}))})`;
  const code = `const texts = [];
    for (let batch = 0; batch < 3; batch++) {
      const answers = await Promise.all([${ask}, ${ask}, ${ask}, ${ask}]);
      texts.push(...answers.map(({ text }) => text));
    }
    const sizes = texts.map((text) => Number(/"size": (\\d+)/.exec(text)?.[1] ?? 0));
    return [sizes.sort(), texts.filter((text) => text.includes("at most 8 questions")).length];`;
  const { content } = await client.callTool({ name: "run_script", arguments: { code } }, { timeout: 60_000 });
  const [first] = content;
  const text = first?.type === "text" ? first.text : "";
  const [sizes, refused] = JSON.parse(text.slice(0, text.lastIndexOf("\n[script: ")));
  assert.deepStrictEqual([sizes, refused, most, asked], [[0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8], 4, 1, 8], text);
  await client.close();
}

Deno.test({
  name:
    `O2 X1 K11 servers ask through our clients of both eras, each that whose call it is: the official one, one in an operation, one in rounds, and one that a script calls${MISSING}`,
  ignore: EVERYTHING.problem !== undefined,
  async fn(t) {
    using bench = new Workbench();
    const handler = createMcpHandler(modernServer);
    const serve = (request: Request) => handler.fetch(request);
    await using far = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, serve);
    const [command, ...args] = EVERYTHING.command;
    const file = writeServers(bench, {
      all: { command, args: [...args, "stdio"], sampling: true },
      late: asking(bench, { waitMs: 0 }),
      far: { url: `http://127.0.0.1:${far.addr.port}/mcp` },
      srv: asking(bench, { env: { A: "1" } }),
    });
    await using server = await HttpServerProcess.start(bench, {
      // A script that waits has its questions asked; an operation of 2026-07-28 cannot ask.
      flags: ["--mcp-config", file, "--read", testCache(), "--code-mode", "all", "--inline-wait", "60000"],
    });
    for (const era of ERAS) {
      const answers = { all: { name: "Ada", color: "blue" }, late: { size: 7 }, far: { value: "x" } };
      const asked = answering(({ message }) => answers[/^\[(all|late|far)\] /.exec(String(message))?.[1] as "all"]);
      const client = await connectHttpClient(server.url, era, asked);
      await t.step(`the user and the model are asked, ${era}`, () => everythingAsks(client, era, asked.heard));
      await t.step(
        `a call that has become an operation asks a client of 2025-11-25 only, ${era}`,
        () => operationAsks(client, era),
      );
      await t.step(`a server of 2026-07-28 asks in rounds, ${era}`, () => asksInRounds(client, asked.heard));
      await client.close();
    }
    await t.step("a question goes to the connection whose call it is for", () => reachTheirConnection(server));
    for (const era of ERAS) {
      await t.step(
        `calls of one script ask the person in turn, and at most 8 times, ${era}`,
        () => scriptAsksInTurn(server.url, era),
      );
    }
    await handler.close();
  },
});
