/** What a session has (tasks, resources, prompts) reaches its own client over HTTP and no other. */
import assert from "node:assert/strict";
import { EventReader } from "./_support/clients/event_reader.ts";
import { HttpClient } from "./_support/clients/http_client.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { type RpcMessage, toolAnswer } from "./_support/json_rpc.ts";
import { sharing } from "./_support/sharing.ts";

const SHELL = "sandboxed_shell";

/** No process waits for a fourth session. */
const ISOLATED = ["--session-isolation", "--max-sessions", "3"];

const testShared = sharing((bench) => {
  bench.write(".ahma/prompts/a.md", "A");
  return HttpServerProcess.start(bench);
});
const testIsolated = sharing((bench) =>
  HttpServerProcess.start(bench, { flags: [...ISOLATED, "--bundles", "files", "--inline-wait", "60000"] })
);

/** Says a word, and goes on until the file `NAME.go` is there. */
function command(name: string): string {
  return `echo the secret; touch ${name}; until [ -e ${name}.go ]; do sleep 0.05; done`;
}

const INVALID_PARAMS = -32602;
/** Of versions up to 2025-11-25. */
const NO_RESOURCE = -32002;

/** A task of 2025-11-25 that runs until `go` is there. */
async function beginTask(client: HttpClient): Promise<string> {
  const { result } = await client.request("tools/call", {
    name: SHELL,
    arguments: { command: command("task") },
    task: {},
  });
  // The server's own answer, which the test then uses.
  return (result?.["task"] as { readonly taskId: string }).taskId;
}

function outcome({ result, error }: RpcMessage): string {
  return error === undefined ? JSON.stringify(result) : String(error.code);
}

/** Every way to come upon an operation: what it gave, a result as JSON or an error as its code. */
async function search(client: HttpClient, id: string): Promise<Readonly<Record<string, string>>> {
  const ways: readonly (readonly [method: string, params: object])[] = [
    ["tasks/list", {}],
    ["tasks/get", { taskId: id }],
    ["resources/list", {}],
    ["resources/read", { uri: "ahma://operations" }],
    ["resources/read", { uri: `ahma://operations/${id}` }],
    ["resources/read", { uri: `ahma://operations/${id}/output` }],
    ["resources/subscribe", { uri: `ahma://operations/${id}` }],
    ["completion/complete", {
      ref: { type: "ref/resource", uri: "ahma://operations/{operation_id}" },
      argument: { name: "operation_id", value: "op_" },
    }],
  ];
  const seen: Record<string, string> = {};
  for (const [method, params] of ways) {
    const uri = "uri" in params ? ` ${String(params.uri).replace(id, "ID")}` : "";
    seen[`${method}${uri}`] = outcome(await client.request(method, params));
  }
  return seen;
}

for (const [mode, test] of [["shared", testShared], ["isolated", testIsolated]] as const) {
  test(`H2 H3 X5a C4 tasks and resources of one session are found by its client, and in no way by another, ${mode}`, async ({ bench, server }) => {
    await using one = await HttpClient.connect(server, { roots: [bench.scope] });
    await using other = await HttpClient.connect(server, { roots: [bench.scope] });
    const id = await beginTask(one);
    await bench.appears("task");
    for (const [way, found] of Object.entries(await search(one, id))) {
      assert.ok(found.includes(id) || /subscribe|output/.test(way) && found.startsWith("{"), `${way}: ${found}`);
    }
    const strange = await search(other, id);
    assert.deepStrictEqual(Object.entries(strange).filter(([, found]) => /op_|secret/.test(found)), []);
    const refused = Object.entries(strange).filter(([, found]) => /^-\d+$/.test(found)).map((
      [way, code],
    ) => [way, Number(code)]);
    assert.deepStrictEqual(refused, [
      ["tasks/get", INVALID_PARAMS],
      ["resources/read ahma://operations/ID", NO_RESOURCE],
      ["resources/read ahma://operations/ID/output", NO_RESOURCE],
      ["resources/subscribe ahma://operations/ID", NO_RESOURCE],
    ]);
    for (const method of ["tasks/cancel", "tasks/result"]) {
      assert.strictEqual(outcome(await other.request(method, { taskId: id })), String(INVALID_PARAMS), method);
    }
    bench.write("task.go", "");
    assert.match(toolAnswer(await one.request("tasks/result", { taskId: id })).text, /the secret/);
    assert.strictEqual((await one.hears("notifications/resources/updated")).params?.["uri"], `ahma://operations/${id}`);
    await other.shell("true");
    assert.doesNotMatch(JSON.stringify(other.heard), new RegExp(`${id}|secret`));
  });
}

testShared(
  "H2 H4 a client without a session finds its task and its resource by their id, and no list names them",
  async ({ server }) => {
    await using session = await HttpClient.connect(server);
    const ask = async (method: string, params: Readonly<Record<string, unknown>>) => {
      const response = await server.modern(method, params, { accept: "application/json" });
      return await response.json() as RpcMessage;
    };
    const started = toolAnswer(
      await ask("tools/call", {
        name: SHELL,
        arguments: { command: "echo the secret", execution_mode: "AsyncResultPush" },
      }),
    );
    const id = started.operation?.operation_id ?? "";
    await ask("tools/call", { name: "await", arguments: { operation_id: id } });
    assert.match(outcome(await ask("resources/read", { uri: `ahma://operations/${id}/output` })), /the secret/);
    for (
      const [method, params] of [["resources/list", {}], ["resources/read", { uri: "ahma://operations" }]] as const
    ) {
      assert.doesNotMatch(outcome(await ask(method, params)), new RegExp(id), method);
    }
    // Nor do the eras meet.
    const own = (await session.start("echo mine")).operation?.operation_id ?? "";
    assert.strictEqual(
      outcome(await ask("resources/read", { uri: `ahma://operations/${own}` })),
      outcome(await ask("resources/read", { uri: "ahma://operations/op_00000000000000000000000000" })),
    );
    assert.strictEqual(
      outcome(await session.request("resources/read", { uri: `ahma://operations/${id}` })),
      String(NO_RESOURCE),
    );
  },
);

const CHANGED = "notifications/prompts/list_changed";

/** Names of the prompts in an answer. */
function namesIn({ result }: RpcMessage): readonly string[] {
  // The answer to prompts/list.
  return ((result?.["prompts"] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);
}

testShared(
  "Q2 Q3 H4 sessions and stateless requests get prompts, and each hears once of a change",
  async ({ bench, server }) => {
    await using one = await HttpClient.connect(server);
    await using other = await HttpClient.connect(server);
    const listed = await server.modern("prompts/list", {}, { accept: "application/json" });
    assert.deepStrictEqual(namesIn(await listed.json()), ["a"]);
    assert.deepStrictEqual(namesIn(await one.request("prompts/list")), ["a"]);
    await using stream = new EventReader(
      await server.modern("subscriptions/listen", { notifications: { promptsListChanged: true } }, { id: "sub" }),
    );
    await stream.message(({ method }) => method === "notifications/subscriptions/acknowledged");
    bench.write(".ahma/prompts/b.md", "B");
    await stream.message(({ method }) => method === CHANGED);
    for (const client of [one, other]) {
      await client.hears(CHANGED);
      assert.deepStrictEqual(namesIn(await client.request("prompts/list")), ["a", "b"]);
      assert.deepStrictEqual(client.heard.filter(({ method }) => method === CHANGED).length, 1);
    }
  },
);

testIsolated(
  "Q1 H3 K2 an isolated session has the prompts and files of its own project, and no others",
  async ({ bench, server }) => {
    const roots = ["first", "second"].map((name) => {
      bench.write(`${name}/.ahma/prompts/${name}.md`, `Prompt of ${name}`);
      bench.write(`${name}/a.txt`, `File of ${name}`);
      return `${bench.scope}/${name}`;
    });
    await using client = await HttpClient.connect(server, { roots: roots.slice(0, 1) });
    assert.match(JSON.stringify(client.initialized.result?.capabilities), /"prompts":\{"listChanged":true\}/);
    assert.deepStrictEqual(namesIn(await client.request("prompts/list")), ["first"]);
    const { result } = await client.request("prompts/get", { name: "first" });
    const content = { type: "text", text: "Prompt of first" };
    assert.deepStrictEqual(result?.messages, [{ role: "user", content }]);
    const read = async (path: string) => {
      const answer = await client.request("tools/call", { name: "files_read", arguments: { path } });
      return JSON.stringify(answer.result?.content);
    };
    assert.match(await read("a.txt"), /1\\tFile of first/);
    assert.match(await read(`${roots[1]}/a.txt`), /it is outside the scope/);
  },
);
