/** Scripts with third-party servers behind the program: what their tools say of themselves, and what they ask. */
import assert from "node:assert/strict";
import { connectHttpClient } from "./_support/clients/sdk_client.ts";
import { until } from "./_support/deadline.ts";
import { type Era, ERAS, type ServerProcess } from "./_support/server_process.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { namesOf, upstreamServer, withServers, writeServers } from "./_support/servers/upstream.ts";
import { exists, Workbench } from "./_support/workbench.ts";

const SCHEMA = { type: "object", properties: { text: { type: "string" } } };
const FORM = {
  method: "elicitation/create",
  params: { message: "Which?", requestedSchema: { type: "object", properties: { size: { type: "integer" } } } },
};

async function valueOf(server: ServerProcess, code: string): Promise<unknown> {
  const { text, isError } = await server.call("run_script", { code });
  assert.ok(!isError, text);
  return JSON.parse(text.slice(0, text.lastIndexOf("\n[script: ")));
}

async function goesOn(server: ServerProcess): Promise<void> {
  const code =
    `const [dead, other] = await Promise.all([tools.other_die(), tools.sandboxed_shell({ command: "echo on" })]);
    return [dead.isError, other.text.split("\\n")[0], (await tools.other_echo({ text: "again" })).structured];`;
  assert.deepStrictEqual(await valueOf(server, code), [true, "on", { said: "again" }]);
}

async function hasItsType(server: ServerProcess): Promise<void> {
  assert.deepStrictEqual(await namesOf(server, "run_"), ["run_script"]);
  const { text } = await server.call("find_tools", { query: "other_echo" });
  assert.match(text, /^tools\.other_echo\(args: \{ text\?: string \}\)$/m);
}

Deno.test("K11 a script may call only the read-only tools of servers unless the user allows all, and gets their whole results", async (t) => {
  using bench = new Workbench();
  const tools = [
    { name: "echo", inputSchema: SCHEMA, annotations: { readOnlyHint: true } },
    { name: "write", inputSchema: SCHEMA, annotations: { readOnlyHint: false } },
    { name: "facts", inputSchema: SCHEMA },
  ];
  bench.write("definitions.json", JSON.stringify(tools));
  const servers = { far: upstreamServer(bench, { cwd: bench.scope }) };
  const code = (name: string) => `return await tools.far_${name}({ text: "${bench.scope}/made" })`;
  const refusal = (name: string) =>
    `A script may not call "far_${name}": it is not read-only, and --code-mode all was not given`;
  {
    await using server = await withServers(bench, servers, { flags: ["--code-mode", "read", "--sync"] });
    assert.deepStrictEqual(await valueOf(server, code("echo")), {
      text: `${bench.scope}/made\n[image]\n[resource_link]`,
      isError: false,
      structured: { said: `${bench.scope}/made` },
    });
    for (const name of ["write", "facts"]) {
      assert.deepStrictEqual(await valueOf(server, code(name)), { text: refusal(name), isError: true });
    }
  }
  const all = { ...servers, other: { ...upstreamServer(bench), env: { A: "1" } } };
  await using server = await withServers(bench, all, { flags: ["--code-mode", "all", "--sync"] });
  assert.match(JSON.stringify(await valueOf(server, code("write"))), /"isError":false/);
  await t.step("a server that is ended fails the calls to it, and the script goes on", () => goesOn(server));
  await t.step("a listed tool has its type in find_tools as scripts call it", () => hasItsType(server));
});

Deno.test("K11 a false hint of a server gains only what its own sandbox allows, and a changed hint withholds the tool", async () => {
  using bench = new Workbench();
  const { outside, inside } = { outside: `${bench.elsewhere}/made`, inside: `${bench.scope}/made` };
  bench.write(`${bench.elsewhere}/.keep`, "");
  const define = (annotations: object) =>
    bench.write("definitions.json", JSON.stringify([{ name: "write", inputSchema: SCHEMA, annotations }]));
  const servers = { far: upstreamServer(bench, { cwd: bench.scope, write: ["scope"] }) };
  const flags = ["--code-mode", "read", "--sync"];
  const code = (path: string) => `return (await tools.far_write({ text: "${path}" })).text`;
  define({ readOnlyHint: true });
  {
    await using server = await withServers(bench, servers, { flags });
    assert.match(String(await valueOf(server, code(inside))), /^done/);
    assert.match(String(await valueOf(server, code(outside))), /^refused/);
    assert.deepStrictEqual([exists(inside), exists(outside)], [true, false]);
  }
  define({ readOnlyHint: true, destructiveHint: false });
  await using server = await withServers(bench, servers, { flags });
  await until(
    async () => /changed its definition/.test(String(await valueOf(server, code(inside)))),
    20_000,
    "the refusal of a changed tool",
  );
});

Deno.test("K11 O2 calls of one script ask the person one after the other, and at most 8 times, in both eras", async (t) => {
  using bench = new Workbench();
  const source = await Deno.readTextFile(new URL("fixtures/asking_server.py", import.meta.url));
  const file = writeServers(bench, { srv: { command: "python3", args: [bench.write("asking.py", source)] } });
  const flags = ["--code-mode", "all", "--sync", "--mcp-config", file];
  await using server = await HttpServerProcess.start(bench, { flags });
  for (const era of ERAS) await t.step(era, () => asksInTurn(server.url, era));
});

async function asksInTurn(url: string, era: Era): Promise<void> {
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
  const ask = `tools.srv_ask(${JSON.stringify(FORM)})`;
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
