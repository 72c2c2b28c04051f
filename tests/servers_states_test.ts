/** Names that meet, servers that cannot start, files that nothing names, and servers that serve each other. */
import assert from "node:assert/strict";
import { HTTP_PERMISSIONS } from "../scripts/permissions.ts";
import { programStart } from "./_support/program.ts";
import { until } from "./_support/deadline.ts";
import { answerMcp } from "./_support/login/oauth_server.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { namesNow, namesOf, upstreamServer, withServers } from "./_support/servers/upstream.ts";
import { Workbench } from "./_support/workbench.ts";

/** How each server that cannot start is reported, at once or later. */
const REPORTED = [
  /^missing: (failed|starting)/,
  /^fails: (failed|starting)/,
  /^unset: failed: Variable NOPE is not set/,
  /^nowhere: failed: Cannot connect to "127.0.0.1:1": this runtime was started without network permission/,
  /^nodir: failed: Cannot start in "cwd" ".*none": it does not exist/,
];

function cannotStart(bench: Workbench): Readonly<Record<string, object>> {
  return {
    missing: { command: "no-such-program-here" },
    fails: { command: "sh", args: ["-c", "echo it is broken >&2; exit 7"] },
    unset: { command: "sh", env: { K: "${env:NOPE}" } },
    nowhere: { url: "http://127.0.0.1:1/mcp" },
    nodir: upstreamServer(bench, { cwd: `${bench.parent}/none` }),
  };
}

Deno.test("O2 O6 S12 names are unique, short and the same in each start; tool files keep theirs, and each call arrives; servers that cannot start delay nothing and are reported with their reasons", async (t) => {
  using bench = new Workbench();
  const long = "a".repeat(70);
  const schema = { type: "object" };
  bench.write(
    "definitions.json",
    JSON.stringify([long, "echo", "status"].map((name) => ({ name, inputSchema: schema }))),
  );
  bench.write(
    ".ahma/tools/git.json",
    JSON.stringify({
      name: "git",
      description: "Git",
      command: "git",
      subcommand: [{ name: "status", description: "Shows the state of files" }],
    }),
  );
  const servers = {
    "my.server:1": upstreamServer(bench),
    "my_server_1": upstreamServer(bench, { env: { A: "1" }, args: [`${bench.scope}/upstream.py`, "2"] }),
    "git": upstreamServer(bench, { includeTools: ["status"], args: [`${bench.scope}/upstream.py`, "3"] }),
  };
  const listed = async (server: ServerProcess) => {
    const mine = [...await namesOf(server, "my_", 3), ...await namesOf(server, "my-server-1_", 3)];
    return [...mine, ...await namesOf(server, "git_", 2)];
  };
  const names: (readonly string[])[] = [];
  const { command, args } = programStart(bench, []);
  const program = (args.at(-1) ?? "").replace(/\/[^/]*$/, "");
  {
    const all = { ...servers, ...cannotStart(bench), inner: { command, args } };
    await using server = await withServers(bench, all, { flags: ["--read", program] });
    names.push(await listed(server));
    const [cut = "", plain = "", , , renamed = ""] = names[0] ?? [];
    assert.deepStrictEqual((await server.call(cut)).text, `no tool ${long}`);
    assert.deepStrictEqual([plain, (await server.call(plain, { text: "one" })).text], ["my_server_1_echo", "one\n\n"]);
    assert.deepStrictEqual((await server.call(renamed, { text: "two" })).text, "two\n\n");
    await saysWhatCannotStart(server);
    await t.step(
      "this program works as a server behind another of it, in that one's sandbox and in its own",
      async () => {
        const outside = bench.write(`${bench.elsewhere}/secret`, "told words");
        await namesOf(server, "inner_");
        const { text } = await server.call("inner_sandboxed_shell", { command: `echo said; cat ${outside}` });
        assert.deepStrictEqual([text.startsWith("said\n"), text.includes("told words")], [true, false], text);
      },
    );
  }
  {
    await using server = await withServers(bench, servers);
    names.push(await listed(server));
  }
  const [first = [], second] = names;
  assert.deepStrictEqual(second, first);
  assert.deepStrictEqual([first.length, new Set(first).size, first.filter((name) => name.length > 64)], [8, 8, []]);
  assert.match(first.at(-1) ?? "", /^git_status_[0-9a-f]{6}$/);
  assert.deepStrictEqual(first.at(-2), "git_status");
});

async function saysWhatCannotStart(server: ServerProcess): Promise<void> {
  const { text } = await server.call("status");
  assert.match(text, /^ {2}renamed, because another tool or server has the name: git_status_[0-9a-f]{6}$/m);
  const lines = text.split("\n");
  for (const pattern of REPORTED) assert.ok(lines.some((line) => pattern.test(line)), `${pattern} in\n${text}`);
  const refused = await server.request("tools/call", { name: "fails_x", arguments: {} });
  const why =
    'Tool "fails_x" is not available: Server "fails" cannot be used: It ended with exit code 7.\nit is broken';
  assert.deepStrictEqual(refused.error?.message, why);
  assert.match(
    (await server.call("status")).text,
    /^fails: failed: It ended with exit code 7\.( \(next try in \d+ s\))?\n {2}it is broken$/m,
  );
}

Deno.test("O1 O2 O6 a project's own .mcp.json is not read, and --lean without servers changes nothing; the file that is named is held shut, a server without calls is stopped, and what a server started starts neither that server nor a long chain", async () => {
  using bench = new Workbench();
  const marker = `${bench.scope}/started`;
  bench.write(".mcp.json", JSON.stringify({ mcpServers: { bad: { command: "touch", args: [marker] } } }));
  bench.write(".vscode/mcp.json", JSON.stringify({ servers: { bad: { command: "touch", args: [marker] } } }));
  bench.write(".ahma/settings.json", JSON.stringify({ mcp_config: [".mcp.json"] }));
  {
    await using server = await ServerProcess.start(bench, { flags: ["--lean", "--log-to-stderr"] });
    assert.deepStrictEqual(await namesNow(server, ""), ["await", "cancel", "sandboxed_shell", "send", "status"]);
    await until(() => server.stderr.includes('Flag "--lean" changes nothing'), 10_000, "the warning");
    assert.doesNotMatch((await server.call("status")).text, /Servers:/);
  }
  const srv = upstreamServer(bench, { idleSeconds: 0.2 });
  const file = bench.write("servers.json", JSON.stringify({ mcpServers: { srv } }));
  {
    await using server = await ServerProcess.start(bench, { flags: ["--mcp-config", file] });
    const write = await server.shell(`echo '{}' > servers.json`);
    assert.deepStrictEqual([write.failed, /Read-only|denied/i.test(write.text)], [true, true], write.text);
    assert.deepStrictEqual((await namesOf(server, "srv_")).length, 10);
    await bench.processesGone("upstream.py");
    assert.match((await server.call("status")).text, /^srv: stopped, 10 tools$/m);
    const { env } = JSON.parse((await server.call("srv_facts")).text);
    assert.deepStrictEqual(`${env["AHMA_SERVER_CHAIN"]}.json`, await onlyRecord(bench));
  }
  await startsNoServerAgain(bench, { srv });
});

/** The name of the file about the only server so far. */
async function onlyRecord(bench: Workbench): Promise<string> {
  const [record, ...more] = await Array.fromAsync(Deno.readDir(`${bench.home}/.local/state/ahma/servers`));
  assert.deepStrictEqual(more, []);
  return record?.name ?? assert.fail("There is no record");
}

/** What a server started does not start that server, and no long chain of servers. */
async function startsNoServerAgain(bench: Workbench, servers: Readonly<Record<string, object>>): Promise<void> {
  const chain = `one,two,three,${(await onlyRecord(bench)).replace(".json", "")}`;
  const both = { ...servers, other: upstreamServer(bench, { args: [`${bench.scope}/upstream.py`, "2"] }) };
  await using server = await withServers(bench, both, { environment: { AHMA_SERVER_CHAIN: chain } });
  assert.deepStrictEqual([...await namesNow(server, "srv_"), ...await namesNow(server, "other_")], []);
  const { text } = await server.call("status");
  const reasons = {
    srv: "it started this program: servers may not serve each other",
    other: "this program is started by 4 servers, one behind the other",
  };
  for (const [name, why] of Object.entries(reasons)) {
    assert.ok(text.includes(`${name}: failed: it is refused, because ${why}`), text);
  }
}

Deno.test("O2 X10 X14 a server that says nothing delays neither the list of the others nor the end of the program, with which all of them end", async () => {
  using bench = new Workbench("ordinary");
  // Takes connections, and never answers.
  using far = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const mute = { command: "sh", args: ["-c", `sleep 1000; : ${bench.marker}`] };
  const web = { url: `http://127.0.0.1:${far.addr.port}/mcp` };
  const answer = {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "x", version: "1" },
  };
  const hello = JSON.stringify({ jsonrpc: "2.0", id: 1, result: answer });
  const half = { command: "sh", args: ["-c", `read line; echo '${hello}'; sleep 1000; : ${bench.marker}`] };
  const lines = `sleep 1000 & setsid sleep 1001 & exec python3 "$0" ${bench.marker}`;
  const [script = ""] = (upstreamServer(bench) as { readonly args: readonly string[] }).args; // made just above
  const srv = { command: "sh", args: ["-c", lines, script] };
  await using server = await withServers(bench, { mute, web, half, srv }, { permissions: HTTP_PERMISSIONS });
  assert.deepStrictEqual((await namesOf(server, "srv_")).length, 10);
  assert.match(
    (await server.call("status")).text,
    /^mute: starting\nweb: starting\nhalf: starting\nsrv: ready, 10 tools$/m,
  );
  const refused = (await server.call("srv_write", { text: `${bench.scope}/x` })).text.split(" ")[0];
  assert.deepStrictEqual(refused, "refused");
  await server.closeInput();
  // An answer that is waited for takes 30 seconds, more than a busy machine is given here.
  assert.deepStrictEqual((await server.exit(1_000)).code, 0);
  await server.nothingLeft();
});

Deno.test("O2 O6 a busy server is given the time it asks for, or the model is told it; find_tools names what is not known", async () => {
  using bench = new Workbench();
  const tries = new Map<string, number>();
  await using far = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const message = await request.json();
    const { pathname } = new URL(request.url);
    const key = `${pathname} ${message.method} ${message.params?.arguments?.text ?? ""}`;
    const times = (tries.get(key) ?? 0) + 1;
    tries.set(key, times);
    const busy = (retryAfter: string) => new Response("later", { status: 503, headers: { "retry-after": retryAfter } });
    if (pathname === "/down" || message.params?.arguments?.text === "long") return busy("3600");
    return times === 1 ? busy("0") : answerMcp(message);
  });
  const origin = `http://127.0.0.1:${far.addr.port}`;
  const servers = { web: { url: `${origin}/web` }, down: { url: `${origin}/down` } };
  await using server = await withServers(bench, servers, { permissions: HTTP_PERMISSIONS, flags: ["--lean"] });
  const found = await until(
    async () => {
      const { text } = await server.call("find_tools", { query: "guarded" });
      return text.includes("web_guarded") && text.includes("down (failed)") ? text : undefined;
    },
    20_000,
    "the tools of the server that answers later",
  );
  assert.deepStrictEqual(found.split("\n").at(-1), "Not known yet: the tools of down (failed). See `status`.");
  const call = async (text: string) => {
    const answer = await server.call("call_tool", { name: "web_guarded", arguments: { text } });
    return [answer.isError, answer.text];
  };
  assert.deepStrictEqual([await call("short"), tries.get("/web tools/call short")], [[false, "called"], 2]);
  const long = "web: The server is busy (HTTP 503) and takes requests again in 3600 s. " +
    "It did not take the request, so repeating it is safe.";
  assert.deepStrictEqual([await call("long"), tries.get("/web tools/call long")], [[true, long], 1]);
  const { text } = await server.call("status");
  assert.match(text, /^down: failed: .*takes requests again in 3600 s.* \(next try in 3[56]\d\d s\)$/m);
  const refused = await server.call("call_tool", { name: "down_guarded", arguments: {} });
  assert.match(refused.text, /"down_guarded" is not available: Server "down" cannot be used: .* again in 3600 s/);
});
