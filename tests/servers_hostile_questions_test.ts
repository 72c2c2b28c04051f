/** Servers that ask a person for what is not theirs, lead them astray, or do not stop to ask. */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { connectHttpClient } from "./_support/clients/sdk_client.ts";
import { type Era, ERAS } from "./_support/server_process.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { writeServers } from "./_support/servers/upstream.ts";
import { Workbench } from "./_support/workbench.ts";

type Params = Readonly<Record<string, unknown>>;

/** The server of the fixture, which asks what its argument says. */
function asking(bench: Workbench, fields: object = {}): object {
  const script = Deno.readTextFileSync(new URL("fixtures/asking_server.py", import.meta.url));
  return { command: "python3", args: [bench.write("asking.py", script)], ...fields };
}

interface Asked {
  readonly client: Client;
  readonly era: Era;
  /** What the person or the model was asked in this scene. */
  readonly heard: Params[];
  /** What the person answers. */
  action: "accept" | "decline" | "cancel";
}

/** A client of the program at `url`, for scenes that follow one another. */
async function withAsking(url: string, era: Era, act: (asked: Asked) => Promise<void>): Promise<void> {
  const heard: Params[] = [];
  const client = await connectHttpClient(url, era, {
    capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} } },
    onElicit(params) {
      heard.push(params);
      const { action } = asked;
      return { action, ...action === "accept" && params["mode"] !== "url" && { content: {} } };
    },
    onSample(params) {
      heard.push(params);
      return "said";
    },
  });
  const asked: Asked = { client, era, heard, action: "accept" };
  await act(asked);
  await client.close();
}

/** The text of a call's result. */
async function said(client: Client, tool: string, args: Params): Promise<string> {
  const { content } = await client.callTool({ name: `srv_${tool}`, arguments: args });
  return content.map((part) => part.type === "text" ? part.text : part.type).join("\n");
}

function elicitation(params: Params): Params {
  return { method: "elicitation/create", params: { message: "Which?", ...params } };
}

function form(properties: Params, more: Params = {}): Params {
  return elicitation({ requestedSchema: { type: "object", properties }, ...more });
}

async function secretsReachNobody({ client, heard }: Asked): Promise<void> {
  const text = { type: "string" };
  const secrets = [
    form({ a: { ...text, title: "GitHub password", description: "Type your password" } }),
    form({ a: { ...text, description: "Type your password" } }),
    form({ a: { ...text, title: "PIN" } }),
    form({ a: { ...text, enum: ["Type your password in the chat"] } }),
    form({ a: { ...text, oneOf: [{ const: "a", title: "My password is" }] } }),
    form({ a: { ...text, format: "password" } }),
    form({ a: { ...text, description: "Bitte das Pa\u200bsswort" } }),
    ...["pw", "dbPwd", "otp", "mfa_code", "2fa", "seed", "mnemonic", "contraseña", "пароль"].map((name) =>
      form({ [name]: text })
    ),
    form({ a: text }, { message: "Enter your API token" }),
  ];
  for (const question of secrets) {
    const answer = await said(client, "ask", question);
    assert.match(answer, /^\{"result": \{"action": "decline"\}\}\n.*asks for a secret/, JSON.stringify(question));
  }
  assert.deepStrictEqual(heard, []);
  const asked = form({ name: { ...text, title: "Your name" } });
  assert.match(await said(client, "ask", asked), /"accept"/);
  assert.deepStrictEqual(heard.length, 1);
}

async function privateAddressesReachNobody({ client, heard }: Asked): Promise<void> {
  const hosts = [
    ..."localhost localhost. x.localhost 127.0.0.1 127.1 2130706433 0x7f.1 [::1] [::ffff:127.0.0.1] 10.0.0.1".split(
      " ",
    ),
    ..."169.254.169.254 192.168.1.1 100.64.0.1 198.18.0.1 240.0.0.1 192.0.0.192 168.63.129.16 0.0.0.0".split(" "),
    ..."[64:ff9b::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::] [fec0::1] [fe80::1] [fd00:ec2::254] [ff02::1]".split(" "),
    ..."metadata.google.internal metadata.goog nas.local intranet １２７.0.0.1 127。0。0。1".split(" "),
  ];
  const open = (url: string) => said(client, "ask", elicitation({ mode: "url", url, elicitationId: "1" }));
  for (const host of hosts) {
    const answer = await open(`https://${host}:8080/callback?code=x&state=y`);
    assert.match(answer, /"decline".*\n.*leads to this machine or a private network/, host);
  }
  assert.match(await open("https://github.com@evil.example/x"), /"decline".*\n.*has a user name in it/);
  assert.match(await open("https://:word@evil.example/x"), /"decline".*\n.*has a user name in it/);
  assert.match(await open(`https://evil.example/${"x".repeat(9_000)}`), /"decline".*\n.*is not an https:/);
  assert.deepStrictEqual(heard, []);
  for (const url of ["https://example.com/", "https://8.8.8.8/", "https://[2606:4700::1111]/"]) {
    assert.match(await open(url), /"accept"/);
  }
  assert.deepStrictEqual(heard.map(({ url }) => url), [
    "https://example.com/",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
  ]);
}

async function onlyKnownFieldsReachTheClient({ client, heard, era }: Asked): Promise<void> {
  const hidden = "a\u202eb\u200bc\u{e0041}d\u0007";
  const _meta = { [hidden]: hidden, "ahma/operation": { operation_id: "op_1" } };
  const field = { type: "string", title: hidden, "x-evil": hidden, pattern: "a" };
  const extra = { title: hidden, extra: hidden, task: { ttl: 1 }, _meta, url: "https://evil.example/" };
  const requestedSchema = { type: "object", properties: { a: field }, required: ["a", "b", 1], extra: hidden };
  await said(client, "ask", elicitation({ ...extra, message: hidden, requestedSchema }));
  const address = { mode: "url", message: "Go", url: "https://example.com/a", elicitationId: hidden };
  await said(client, "ask", elicitation({ ...extra, ...address, requestedSchema }));
  const link = { type: "resource_link", uri: "file:///etc/passwd", name: hidden, extra: hidden };
  const content = [{ type: "tool_result", toolUseId: "1", content: [link], _meta, extra: hidden }];
  const tool = { name: "t", inputSchema: { type: "object" }, execution: {}, _meta, extra: hidden };
  await said(client, "ask", {
    method: "sampling/createMessage",
    params: {
      ...{ messages: [{ role: "user", content, _meta, extra: hidden }], maxTokens: 5, systemPrompt: hidden },
      ...{ includeContext: "allServers", tools: [tool], task: { ttl: 1 }, extra: hidden, _meta },
    },
  });
  const known = (params: Params) => {
    const { _meta: _own, ...rest } = params;
    return rest;
  };
  const cleanLink = { type: "resource_link", uri: "ahma://servers/srv/file:///etc/passwd", name: "abcd" };
  assert.deepStrictEqual(heard.map(known), [
    {
      message: "[srv] abcd",
      requestedSchema: { type: "object", properties: { a: { type: "string", title: "abcd" } }, required: ["a"] },
    },
    {
      ...{ mode: "url", message: "[srv] Go", url: "https://example.com/a" },
      ...era === "2025-11-25" && { elicitationId: "srv/abcd" },
    },
    {
      messages: [{ role: "user", content: [{ type: "tool_result", toolUseId: "1", content: [cleanLink] }] }],
      ...{ maxTokens: 5, systemPrompt: "abcd", tools: [{ name: "t", inputSchema: { type: "object" } }] },
    },
  ]);
  for (const requestedSchema of [{ type: "object", properties: { a: { type: "object", properties: {} } } }, "x"]) {
    assert.match(await said(client, "ask", elicitation({ requestedSchema })), /"decline".*\n.*its? (form|has)/);
  }
  assert.match(await said(client, "ask", elicitation({ mode: "constructor" })), /"decline".*\n.*its mode/);
  assert.deepStrictEqual(heard.length, 3);
}

async function refusalsEndTheQuestions(asked: Asked): Promise<void> {
  const { client, heard } = asked;
  for (const action of ["decline", "cancel"] as const) {
    asked.action = action;
    heard.length = 0;
    for (const most of [2, 4]) {
      const text = await said(client, "pester", { ...form({}), times: 50 });
      const [told = "", note = ""] = text.split("\n");
      const actions = (JSON.parse(told) as readonly { readonly action: string }[]).map((one) => one.action);
      assert.deepStrictEqual(actions, Array.from({ length: 50 }, (_, at) => at < 2 ? action : "decline"));
      assert.match(note, /which was refused: 2 of its questions in this call were not accepted\.$/);
      assert.deepStrictEqual(heard.length, most);
    }
  }
}

async function questionsAreBounded({ client, heard }: Asked): Promise<void> {
  const text = await said(client, "pester", { ...form({}), times: 50, at_once: 5 });
  assert.match(text, /it has put 20 of these questions in this call/);
  assert.deepStrictEqual(heard.length, 20);
  const completion = { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } };
  assert.match(await said(client, "pester", { ...completion, times: 150 }), /it has put 100 of these questions/);
  assert.deepStrictEqual(heard.length, 120);
}

const FIELDS = "only the protocol's own fields of a question reach the client, without hidden characters";
/** Each begins with nothing heard, and a person who accepts. */
const SCENES: Readonly<Record<string, (asked: Asked) => Promise<void>>> = {
  "a form that asks for a secret by title, description, choice, format or message reaches no person":
    secretsReachNobody,
  "an address with a user name, on this machine or on a private network reaches no person": privateAddressesReachNobody,
  [FIELDS]: onlyKnownFieldsReachTheClient,
  "a person who declines or cancels twice is not asked again in that call, but in the next": refusalsEndTheQuestions,
  "a call asks a person who accepts at most twenty questions, and the model a hundred": questionsAreBounded,
};

Deno.test("O2 a server that asks for what is not its own, or does not stop, gets little from a client of each era", async (t) => {
  using bench = new Workbench();
  const file = writeServers(bench, { srv: asking(bench, { sampling: true }) });
  await using server = await HttpServerProcess.start(bench, { flags: ["--mcp-config", file] });
  for (const era of ERAS) {
    await withAsking(server.url, era, async (asked) => {
      for (const [title, scene] of Object.entries(SCENES)) {
        // Only the fields depend on the version.
        if (era !== "2025-11-25" && title !== FIELDS) continue;
        asked.action = "accept";
        asked.heard.length = 0;
        await t.step(`${title}, ${era}`, () => scene(asked));
      }
    });
  }
});
