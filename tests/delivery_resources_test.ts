/** Resources, their changes and completions, with the SDK's own client in both eras. */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { withDeadline } from "./_support/deadline.ts";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { type Era, ERAS, ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

const TOOL = { name: "say", description: "Says hello.", command: "echo hello", synchronous: true };

interface Session extends AsyncDisposable {
  readonly bench: Workbench;
  readonly server: ServerProcess;
  readonly client: Client;
}

async function open(era: Era, flags: readonly string[] = []): Promise<Session> {
  await using stack = new AsyncDisposableStack();
  const bench = stack.use(new Workbench());
  bench.write(".ahma/tools/say.json", JSON.stringify(TOOL));
  const server = stack.use(await ServerProcess.start(bench, { era: "none", flags }));
  const client = await connectClient(server, era);
  const rest = stack.move();
  const close = async () => {
    await client.close();
    await rest.disposeAsync();
  };
  return { bench, server, client, [Symbol.asyncDispose]: close };
}

/** Runs a line to its end; gives the operation's id. */
async function run(client: Client, command: string): Promise<string> {
  const result = await client.callTool({
    name: "sandboxed_shell",
    arguments: { command, execution_mode: "AsyncResultPush" },
  });
  const id = /op_\w+/.exec(JSON.stringify(result.content))?.[0] ?? "";
  await client.callTool({ name: "await", arguments: { operation_id: id } });
  return id;
}

async function read(client: Client, uri: string) {
  const { contents: [first, ...more] } = await client.readResource({ uri });
  assert.deepStrictEqual(more, []);
  assert.strictEqual(first?.uri, uri);
  // All of ours are texts.
  const { text, mimeType, _meta } = first as { text: string; mimeType: string; _meta?: Record<string, unknown> };
  return { text, mimeType, meta: _meta?.["ahma/output"] as Record<string, unknown> | undefined };
}

/** More than a page of the list of operations has. */
const KEPT = 102;

/** The only operation so far, with everything that is said of it; gives its id. */
async function listsAndReads(client: Client): Promise<string> {
  const id = await run(client, "printf 'one\\ntwo\\n\\033[31mthree\\033[0m\\nfo'; exit 4");
  const { resources } = await client.listResources();
  assert.deepStrictEqual(resources.map(({ uri }) => uri), [
    "ahma://operations",
    "ahma://tools/say",
    `ahma://operations/${id}`,
    `ahma://operations/${id}/output`,
  ]);
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.deepStrictEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate), [
    "ahma://operations/{operation_id}",
    "ahma://operations/{operation_id}/output{?lines,offset,limit}",
    "ahma://tools/{name}",
  ]);
  const list = JSON.parse((await read(client, "ahma://operations")).text);
  assert.deepStrictEqual([list.total, list.operations[0].operation_id, list.operations[0].exit_code], [1, id, 4]);
  const facts = JSON.parse((await read(client, `ahma://operations/${id}`)).text);
  assert.deepStrictEqual([facts.status, facts.output], ["failed", {
    uri: `ahma://operations/${id}/output`,
    bytes: 25,
    lines: 3,
  }]);
  assert.match(facts.result, /^one\ntwo\nthree\nfo\n\[exit code 4, /);
  const output = await read(client, `ahma://operations/${id}/output`);
  assert.deepStrictEqual(output, {
    text: "one\ntwo\nthree\nfo",
    mimeType: "text/plain",
    meta: { offset: 0, next_offset: 25, total_bytes: 25, total_lines: 3, lost_bytes: 0, ended: true },
  });
  const tool = JSON.parse((await read(client, "ahma://tools/say")).text);
  assert.deepStrictEqual([tool.name, tool.command], ["say", "echo hello"]);
  return id;
}

async function readsParts(client: Client): Promise<string> {
  const id = await run(client, "seq 1 1000");
  const uri = `ahma://operations/${id}/output`;
  assert.strictEqual((await read(client, `${uri}?lines=10-12`)).text, "10\n11\n12\n");
  assert.strictEqual((await read(client, `${uri}?lines=1000`)).text, "1000\n");
  const part = await read(client, `${uri}?offset=2&limit=7`);
  assert.deepStrictEqual([part.text, part.meta?.["next"]], ["2\n3\n4\n", `${uri}?offset=8`]);
  const wrong = [
    `${uri}?lines=0`,
    `${uri}?lines=9-3`,
    `${uri}?offset=-1`,
    `${uri}?limit=0`,
    `${uri}?limit=9999999`,
    `${uri}?lines=1&offset=2`,
    `${uri}?bytes=1`,
    `ahma://operations/${id}?lines=1`,
  ];
  for (const uri of wrong) await assert.rejects(client.readResource({ uri }), { code: -32602 }, uri);
  const unknown = ["ahma://operations/op_none", "ahma://tools/none", "ahma://else", "file:///etc/passwd", "nonsense"];
  for (const uri of unknown) await assert.rejects(client.readResource({ uri }), { code: -32602 }, uri);
  return id;
}

/** `before`: the operations so far, the newest first. */
async function completes(client: Client, before: readonly string[]): Promise<void> {
  const older = await run(client, "true");
  const newer = await run(client, "true");
  const complete = async (uri: string, name: string, value: string) => {
    const { completion } = await client.complete({ ref: { type: "ref/resource", uri }, argument: { name, value } });
    return completion;
  };
  const output = "ahma://operations/{operation_id}/output{?lines,offset,limit}";
  assert.deepStrictEqual(await complete("ahma://operations/{operation_id}", "operation_id", "OP_"), {
    values: [newer, older, ...before],
    total: 2 + before.length,
    hasMore: false,
  });
  assert.deepStrictEqual((await complete(output, "operation_id", older.slice(-6))).values, [older]);
  assert.deepStrictEqual((await complete(output, "lines", "")).values, []);
  assert.deepStrictEqual((await complete("ahma://tools/{name}", "name", "s")).values, ["say"]);
  await assert.rejects(complete("ahma://nothing/{x}", "x", ""), { code: -32602 });
  const prompt = client.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "x", value: "" } });
  await assert.rejects(prompt, { code: -32602 });
}

async function hasPages(client: Client): Promise<void> {
  const ids = await Promise.all(Array.from({ length: KEPT + 3 }, () => run(client, "true")));
  const uris: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.request({ method: "resources/list", params: cursor === undefined ? {} : { cursor } });
    uris.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assert.strictEqual(uris.length, 2 + 2 * KEPT);
  assert.strictEqual(new Set(uris).size, uris.length);
  for (const id of uris.slice(2).filter((uri) => !uri.endsWith("/output"))) {
    assert.ok(ids.includes(id.replace("ahma://operations/", "")), id);
  }
  await assert.rejects(client.request({ method: "resources/list", params: { cursor: "x" } }), { code: -32602 });
  const first = JSON.parse((await read(client, "ahma://operations")).text);
  const rest = JSON.parse((await read(client, first.next)).text);
  assert.deepStrictEqual([first.operations.length, rest.operations.length, rest.next], [100, KEPT - 100, undefined]);
}

async function hearsOfChanges(client: Client): Promise<void> {
  const changed = Promise.withResolvers<void>();
  client.setNotificationHandler("notifications/resources/list_changed", () => changed.resolve());
  await client.listResources();
  await run(client, "true");
  await withDeadline(changed.promise, 20_000, "the change");
}

async function listsAndCallsTools(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  for (const name of ["await", "cancel", "sandboxed_shell", "status"]) assert.ok(names.includes(name), name);
  const result = await client.callTool({
    name: "sandboxed_shell",
    arguments: { command: "echo over the sdk", execution_mode: "Synchronous" },
  });
  assert.match(JSON.stringify(result.content), /over the sdk/);
}

for (const era of ERAS) {
  Deno.test(`C1 C3 C4 C5 X3 X8 resources and tools with the SDK's client in ${era}`, async (t) => {
    await using session = await open(era, ["--keep-results", String(KEPT)]);
    const { client } = session;
    const ids: string[] = [];
    await t.step("C4 operations, their output and tool files are listed and read", async () => {
      ids.unshift(await listsAndReads(client));
    });
    await t.step("C4 X8 a part of an output is read by lines or by bytes, and nonsense is refused", async () => {
      ids.unshift(await readsParts(client));
    });
    await t.step("C4 X8 output is clean text, whatever the command wrote", async () => {
      ids.unshift(await cleans(client, "bold", "y"));
    });
    await t.step("C5 ids of operations and names of tool files are completed", () => completes(client, ids));
    await t.step("C1 X3 tools are listed and called", () => listsAndCallsTools(client));
    // In 2026-07-28 changes come to subscriptions, and pages are those of the same list.
    if (era === "2026-07-28") return;
    await t.step("C4 a client that has the list of resources is notified of changes", () => hearsOfChanges(client));
    await t.step("C4 C3 the list of resources has pages", () => hasPages(client));
  });
}

/** What a resource shows of output with control characters, its bold word and the letter that was struck over. */
async function cleans(client: Client, bold: string, struck: string): Promise<string> {
  const command = "printf '10 %%\\r100 %%\\n\\033[1mbold\\033[0m\\n\\377\\376 caf\\303\\251 x\\by\\n'";
  const id = await run(client, command);
  const { text } = await read(client, `ahma://operations/${id}/output`);
  assert.strictEqual(text, `100 %\n${bold}\n\ufffd\ufffd café ${struck}\n`);
  return id;
}

Deno.test("X5d X8 C4 2025-11-25: subscribers hear of an operation's end and of its output, others do not; with --keep-ansi output is as it is", async () => {
  await using session = await open("2025-11-25", ["--keep-ansi"]);
  const { client, server } = session;
  const started = await client.callTool({
    name: "sandboxed_shell",
    arguments: { command: "until [ -e go ]; do sleep 0.02; done; echo out", execution_mode: "AsyncResultPush" },
  });
  const id = /op_\w+/.exec(JSON.stringify(started.content))?.[0] ?? "";
  const wanted = [`ahma://operations/${id}`, `ahma://operations/${id}/output`];
  for (const uri of wanted) await client.subscribeResource({ uri });
  await client.subscribeResource({ uri: "ahma://operations" });
  await client.unsubscribeResource({ uri: "ahma://operations" });
  await assert.rejects(client.subscribeResource({ uri: "ahma://operations/op_none" }), { code: -32602 });
  const heard: unknown[] = [];
  const both = Promise.withResolvers<void>();
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    heard.push(params.uri);
    if (wanted.every((uri) => heard.includes(uri))) both.resolve();
  });
  session.bench.write("go", "");
  await withDeadline(both.promise, 20_000, "both changes");
  await run(client, "true");
  assert.deepStrictEqual(new Set(heard), new Set(wanted));
  const [{ text }] = [await read(client, `ahma://operations/${id}/output`)];
  assert.strictEqual(text, "out\n");
  assert.ok(server.unclaimed.every(({ method }) => method !== "notifications/resources/list_changed"));
  await cleans(client, "\x1b[1mbold\x1b[0m", "x\by");
});
