/** Other servers behind ours: started at their first use, each in its own sandbox, their tools beside ours. */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { processesWith } from "./_support/processes.ts";
import type { ServerProcess } from "./_support/server_process.ts";
import { type Shared, sharing } from "./_support/sharing.ts";
import { namesOf, upstreamServer, withServers } from "./_support/servers/upstream.ts";
import { Workbench } from "./_support/workbench.ts";

/** A server that runs shell lines. */
const LINES = await Deno.readTextFile(new URL("./attacks/servers/hostile_server.py", import.meta.url));

async function processes(bench: Workbench): Promise<number> {
  return (await processesWith(bench.marker)).filter(({ command }) => /^\S*python3? .*upstream\.py/.test(command))
    .length;
}

function auditLog({ elsewhere }: Workbench): string {
  return `${elsewhere}/audit.jsonl`;
}

/**
 * One with a secret, one that is narrowed, under a key that is no name, one that is not waited for, and one that runs
 * lines.
 */
const test = sharing((bench) =>
  withServers(bench, {
    "srv": upstreamServer(bench, { env: { SECRET: "${env:TOKEN}" } }),
    "my.server:1": { ...upstreamServer(bench), cwd: bench.scope, network: "none", write: ["scope"] },
    "slow": upstreamServer(bench, { waitMs: 1_000 }),
    "lines": {
      command: "python3",
      args: [bench.write(`${bench.parent}/lines.py`, LINES), "shell"],
      read: [bench.parent],
      cwd: bench.scope,
      write: ["scope"],
    },
  }, { flags: ["--log-to-stderr", "--debug", "--audit-log", auditLog(bench)], environment: { TOKEN: "s3cret-of-srv" } })
);

interface Facts {
  readonly born: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

async function facts(server: ServerProcess, name: string): Promise<Facts> {
  return JSON.parse((await server.call(`${name}_facts`)).text);
}

/** What a server may and may not do with files. */
async function tryFiles({ bench, server }: Shared<ServerProcess>): Promise<void> {
  const { cwd, env: { HOME: home = "" } } = await facts(server, "srv");
  assert.deepStrictEqual([cwd, home.startsWith(`${bench.home}/.local/share/ahma/servers/`)], [bench.scope, true]);
  const file = bench.write("inside.txt", "text of the scope");
  const secret = bench.write(`${bench.home}/.ssh/id`, "key");
  const records = `${bench.home}/.local/state/ahma/servers`;
  const [record] = await Array.fromAsync(Deno.readDir(records));
  const attempts = [
    ["read", file, "done text of the scope"],
    ["write", `${home}/.remembered`, "done 1"],
    ["read", `${home}/.remembered`, "done x"],
    ["write", `${bench.scope}/outside.txt`, "refused OSError"],
    ["write", `${bench.elsewhere}/x`, "refused FileNotFoundError"],
    ["read", secret, "refused FileNotFoundError"],
    ["read", `${records}/${record?.name}`, "refused FileNotFoundError"],
  ] as const;
  for (const [tool, text, expected] of attempts) {
    const said = (await server.call(`srv_${tool}`, { text })).text;
    assert.deepStrictEqual([tool, text, said.replace("OSError", "PermissionError")], [
      tool,
      text,
      expected.replace("OSError", "PermissionError"),
    ]);
  }
}

test("O6 S3 a server reads the scope and writes to its own home, and nothing of the user's", tryFiles);

sharing((bench) => withServers(bench, { srv: upstreamServer(bench) }), "ordinary")(
  "O6 S3 a server reads the scope and writes to its own home, and nothing of the user's, as ordinary",
  tryFiles,
);

test("O6 S8 a server that may write to the scope cannot change what is protected in it", async ({ bench, server }) => {
  bench.write(".envrc", "");
  const write = async (path: string) => (await server.call("my_server_1_write", { text: path })).text.split(" ")[0];
  assert.deepStrictEqual(await write(`${bench.scope}/made.txt`), "done");
  assert.deepStrictEqual(await write(`${bench.scope}/.envrc`), "refused");
});

test("O6 S24 what a server makes in the scope is told with its call: paths that programs obey, and repositories set aside", async ({ bench, server }) => {
  await namesOf(server, "lines_");
  const call = async (line: string) => (await server.call("lines_run", { line })).text;
  assert.match(await call("touch .exrc"), /\[Protected paths changed while this ran: ".*\/\.exrc" created\. /);
  assert.strictEqual(await call("git init -q plain"), "");
  const told = await call("git init -q made && echo touch ran > made/.git/hooks/post-checkout && ls -d made/.git");
  assert.match(
    told,
    /^made\/\.git\n\n?\[Set aside: ".*\/made\/\.git" \(hooks\/post-checkout\)\. .*ahma_mcp accept \S+\/made\/\.git\]$/,
  );
  const isDirectory = (name: string) => Deno.lstatSync(`${bench.scope}/${name}/.git`).isDirectory;
  assert.deepStrictEqual(["plain", "made"].map(isDirectory), [true, false]);
  // The server uses it as before.
  assert.strictEqual(await call("git -C made rev-parse --git-dir"), ".git\n");
});

test("O6 servers do not reach each other's homes, nor do commands", async ({ server }) => {
  const { env: { HOME: home = "" } } = await facts(server, "srv");
  await server.call("srv_write", { text: `${home}/own` });
  assert.match((await server.call("my_server_1_read", { text: `${home}/own` })).text, /^refused/);
  const command = await server.shell(`cat '${home}/own'`);
  assert.deepStrictEqual([command.failed, command.text.includes("No such file or directory")], [true, true]);
});

test("O6 S6 a server without network reaches no listener that another reaches", async ({ server }) => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const text = String(listener.addr.transport === "tcp" && listener.addr.port);
  assert.deepStrictEqual((await server.call("srv_connect", { text })).text, "done None");
  assert.match((await server.call("my_server_1_connect", { text })).text, /^refused/);
});

test("O6 S9 S18 a secret reaches the server that names it, and nothing else; its calls are in the audit log", async ({ bench, server }) => {
  assert.deepStrictEqual((await facts(server, "srv")).env["SECRET"], "s3cret-of-srv");
  const other = await facts(server, "my_server_1");
  const { text } = await server.shell("env");
  const status = (await server.call("status")).text;
  const audit = await Deno.readTextFile(auditLog(bench));
  const places = [JSON.stringify(other.env), text, status, server.stderr, audit];
  assert.deepStrictEqual(places.map((one) => one.includes("s3cret")), [false, false, false, false, false]);
  const called = audit.trimEnd().split("\n").map((line) => JSON.parse(line)).filter(({ called }) => called === "facts");
  assert.deepStrictEqual([called.length > 1, called[0]?.server], [true, "srv"], JSON.stringify(called));
});

test("O2 progress of a server's call reaches the client with its own token", async ({ server }) => {
  const heard: unknown[] = [];
  server.listen(({ method, params }) => method === "notifications/progress" && heard.push(params));
  const answer = await server.call("srv_steps", {}, { progressToken: "mine" });
  assert.deepStrictEqual(
    [answer.text, heard],
    ["stepped", [1, 2, 3, 4].map((progress) => ({ progressToken: "mine", progress, total: 4, message: "step" }))],
  );
});

test("O2 B6 a cancelled request is cancelled at the server, under its own id", async ({ bench, server }) => {
  const before = Number((await server.call("srv_cancelled")).text);
  const params = { name: "srv_wait", arguments: { text: `${bench.scope}/never` }, _meta: { progressToken: "begun" } };
  await server.send({ jsonrpc: "2.0", id: "gone", method: "tools/call", params });
  await server.notification("notifications/progress", ({ progressToken }) => progressToken === "begun");
  await server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "gone" } });
  const count = async () => Number((await server.call("srv_cancelled")).text) === before + 1;
  await until(count, 10_000, "the cancel at the server");
  assert.deepStrictEqual(server.unclaimed.filter(({ id }) => id === "gone"), []);
});

test("O6 X1 a slow call becomes an operation, and await gives its whole result", async ({ bench, server }) => {
  const file = `${bench.scope}/go`;
  const started = await server.call("slow_wait", { text: file });
  const id = started.operation?.operation_id ?? "";
  assert.match(started.text, /^\S+ still runs after \d+(?:\.\d+)? m?s\. `await` returns its result\.$/);
  bench.write("go", "");
  const { result } = await server.call("await", { operation_id: id });
  assert.deepStrictEqual(result["content"], [
    { type: "text", text: "waited" },
    { type: "image", data: "aGk=", mimeType: "image/png" },
  ]);
});

test("O6 B2 await without an id gives the images of a slow call too", async ({ bench, server }) => {
  await server.call("slow_wait", { text: `${bench.scope}/all` });
  bench.write("all", "");
  const { result } = await server.call("await");
  const [first, ...others] = result["content"] as readonly { readonly text?: string }[]; // of a result
  assert.match(
    first?.text ?? "",
    /^\[\S+ completed, exit code 0, .*\] slow_wait: slow wait .*\nwaited\n\[image image\/png\]$/,
  );
  assert.deepStrictEqual(others, [{ type: "image", data: "aGk=", mimeType: "image/png" }]);
});

test("O6 X5a a call of a server's tool becomes a task, whose result is the server's", async ({ bench, server }) => {
  const params = { name: "srv_wait", arguments: { text: `${bench.scope}/task` }, task: { ttl: 60_000 } };
  const { result } = await server.request("tools/call", params);
  const { taskId } = result?.["task"] as { readonly taskId: string }; // the answer to a call as a task
  bench.write("task", "");
  const done = await server.request("tasks/result", { taskId });
  assert.deepStrictEqual(done.result?.["content"], [
    { type: "text", text: "waited" },
    { type: "image", data: "aGk=", mimeType: "image/png" },
  ]);
});

test("O6 B4 cancel ends a slow call at the server", async ({ bench, server }) => {
  const cancelled = async () => {
    const { text, operation } = await server.call("slow_cancelled");
    const id = operation?.operation_id;
    return Number(id === undefined ? text : (await server.call("await", { operation_id: id })).text);
  };
  const before = await cancelled();
  const started = await server.call("slow_wait", { text: `${bench.scope}/never` });
  const { text } = await server.call("cancel", { operation_id: started.operation?.operation_id });
  assert.match(text, /cancelled/);
  assert.deepStrictEqual(await cancelled(), before + 1);
});

test("O2 a server that ends in a call is reported, and the next call works in another process", async ({ bench, server }) => {
  const { born } = await facts(server, "srv");
  const died = await server.call("srv_die");
  assert.deepStrictEqual([died.isError, /exit code 3.*I was asked to die.*check before you repeat/s.test(died.text)], [
    true,
    true,
  ], died.text);
  assert.notDeepStrictEqual((await facts(server, "srv")).born, born);
  assert.deepStrictEqual(await processes(bench), 3);
});
