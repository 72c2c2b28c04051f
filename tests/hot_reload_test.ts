import assert from "node:assert/strict";
import { asUser } from "./attacks/means/as_user.ts";
import { until } from "./_support/deadline.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { exists, Workbench } from "./_support/workbench.ts";

/** A tool that says its own name, as a file. */
function toolFile(name: string, fields: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ name, command: "echo", description: `Says ${name}`, synchronous: true, ...fields });
}

/** The names of tools that come from files, as the client sees them now. */
async function ownTools(server: ServerProcess): Promise<readonly string[]> {
  // The wire format of tools/list.
  const tools = (await server.request("tools/list")).result?.tools as readonly { readonly name: string }[];
  return tools.map(({ name }) => name).filter((name) => name.startsWith("own_"));
}

/** Changes something, waits for the one notification it causes, and gives the tools after it. */
async function afterChange(server: ServerProcess, change: () => void): Promise<readonly string[]> {
  const changed = server.notification("notifications/tools/list_changed");
  change();
  await changed;
  return await ownTools(server);
}

// One server for all: each step begins with the directory that the one before it left.
Deno.test("T12 changes of tool files and of their directory are noticed", async (t) => {
  using bench = new Workbench();
  bench.write(".ahma/tools/a.json", toolFile("own_a"));
  await using server = await ServerProcess.start(bench);
  await t.step(
    "tool files are noticed as they are dropped, edited, broken, repaired, renamed and deleted",
    () => noticesFiles(bench, server),
  );
  await t.step(
    "a tools directory that appears or disappears is noticed, and a file that a command plants becomes a tool sandboxed like any other",
    () => noticesDirectories(bench, server),
  );
  await t.step(
    "pipes among the watched files, and files swapped for pipes, neither stop the watch nor the end",
    () => outlivesPipes(bench, server),
  );
});

async function noticesFiles(bench: Workbench, server: ServerProcess): Promise<void> {
  const directory = `${bench.scope}/.ahma/tools`;
  const write = (name: string, text: string) => () => Deno.writeTextFileSync(`${directory}/${name}`, text);
  assert.deepStrictEqual(await ownTools(server), ["own_a"]);
  assert.deepStrictEqual(await afterChange(server, write("b.json", toolFile("own_b"))), ["own_a", "own_b"]);
  assert.deepStrictEqual(await afterChange(server, write("b.json", toolFile("own_b2"))), ["own_a", "own_b2"]);

  // Broken: nothing is announced, the last good version serves on, and status says what is wrong and where.
  write("b.json", '{"name": "own_b2",\n  "command": ')();
  const next = await afterChange(server, write("c.json", toolFile("own_c")));
  assert.deepStrictEqual(next, ["own_a", "own_b2", "own_c"]);
  assert.match((await server.call("status")).text, /b\.json:2:\d+: error: .*last good version stays in service/);
  assert.match((await server.call("own_b2", { args: ["still here"] })).text, /still here/);

  const repaired = await afterChange(server, write("b.json", toolFile("own_b3")));
  assert.deepStrictEqual(repaired, ["own_a", "own_b3", "own_c"]);
  const renamed = await afterChange(server, () => {
    write(".c.json.swp", toolFile("own_c2"))();
    Deno.renameSync(`${directory}/.c.json.swp`, `${directory}/c.json`);
  });
  assert.deepStrictEqual(renamed, ["own_a", "own_b3", "own_c2"]);
  assert.deepStrictEqual(await afterChange(server, () => Deno.removeSync(`${directory}/b.json`)), ["own_a", "own_c2"]);
  const announced = server.unclaimed.filter(({ method }) => method === "notifications/tools/list_changed");
  assert.deepStrictEqual(announced, [], "one notification for each change");
}

async function noticesDirectories(bench: Workbench, server: ServerProcess): Promise<void> {
  const gone = async () =>
    await afterChange(server, () => Deno.removeSync(`${bench.scope}/.ahma`, { recursive: true }));
  await Deno.remove(`${bench.scope}/.ahma/tools/c.json`);
  await server.notification("notifications/tools/list_changed");
  assert.deepStrictEqual(await gone(), []);
  const made = await afterChange(server, () => bench.write(".ahma/tools/a.json", toolFile("own_a")));
  assert.deepStrictEqual(made, ["own_a"]);
  assert.deepStrictEqual(await gone(), []);
  const evil = toolFile("own_evil", { command: "bash -c" });
  const changed = server.notification("notifications/tools/list_changed");
  await server.shell(`mkdir -p .ahma/tools; printf %s '${evil}' > .ahma/tools/evil.json`);
  await changed;
  const answer = await server.call("own_evil", { args: ["echo planted > ../outside.txt; echo tried"] });
  assert.match(answer.text, /tried/);
  assert.ok(!exists(`${bench.scope}/../outside.txt`));
}

async function outlivesPipes(bench: Workbench, server: ServerProcess): Promise<void> {
  const directory = `${bench.scope}/.ahma/tools`;
  bench.write(".ahma/tools/a.json", toolFile("own_a"));
  // In the scope's root, which is watched for the coming of `.ahma`, in the tools directory, and in a file's place.
  const args = ["pipe", ".ahma/pipe", ".ahma/tools/pipe.json", ".ahma/tools/other"];
  assert.ok((await new Deno.Command("mkfifo", { args, cwd: bench.scope }).output()).success);
  const swaps = [["a.json", "kept"], ["other", "a.json"], ["a.json", "other"], ["kept", "a.json"]];
  for (let round = 0; round < 100; round++) {
    for (const [from, to] of swaps) {
      await Deno.rename(`${directory}/${from}`, `${directory}/${to}`);
      await server.request("ping");
    }
  }
  // A moment without the file may have been seen, and announced: the tools are right in the end.
  for (const name of ["own_b", "own_c"]) {
    await Deno.writeTextFile(`${directory}/${name}.json`, toolFile(name));
    while (!(await ownTools(server)).includes(name)) await server.notification("notifications/tools/list_changed");
  }
  assert.deepStrictEqual(await ownTools(server), ["own_a", "own_evil", "own_b", "own_c"]);
  await server.closeInput();
  assert.equal((await server.exit()).code, 0);
}

Deno.test("T11 X13 X16 tools whose program or check fails are not listed, and runs of others wait and are tried again as their files say", async (t) => {
  using bench = new Workbench();
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const reach = `exec 3<>/dev/tcp/127.0.0.1/${listener.addr.port}`;
  const tool = (name: string, fields: object) =>
    bench.write(`.ahma/tools/${name}.json`, toolFile(`own_${name}`, { ...fields }));
  const bash = (line: string) => ({ command: "bash", availability_check: { args: ["-c", line] } });
  const steps = [{ tool: "own_build", args: { args: ["echo step >> log"] } }];
  tool("all", { command: "sequence", synchronous: false, sequence: steps });
  tool("build", { command: "bash -c", concurrency: "exclusive", synchronous: false });
  tool("checked", { availability_check: { command: "test", args: ["-e", "there"] } });
  tool("flaky", { command: "bash -c", retry: { max: 3, backoff_ms: 5, on_exit_codes: [75] } });
  tool("hanging", bash("while :; do sleep 1; done"));
  tool("missing", { command: "no-such-program", install_instructions: "Install it with: get no-such-program" });
  // What else it says is for a model and not for a person.
  tool("reaching", bash(`printf 'Gone\\363\\240\\201\\201\\342\\200\\256'; ${reach}`));
  await using server = await ServerProcess.start(bench);
  // The list waits for no check.
  assert.deepStrictEqual(await ownTools(server), ["all", "build", "checked", "flaky", "hanging", "reaching"].map(own));
  await t.step(
    "a check has no network, is told by status while it runs, and cancel ends it",
    () => checksAreConfined(server, reach),
  );
  await t.step(
    "status and a call say why a tool is not listed and how to get it",
    () => saysWhatIsMissing(bench, server),
  );
  await t.step(
    "runs of an exclusive tool, as a step too, wait for each other in one directory",
    () => waitForEachOther(bench, server),
  );
  await t.step("a temporary failure is tried again", async () => {
    const flaky = 'echo x >> tries; [ "$(wc -l < tries)" -ge 3 ] && echo worked || exit 75';
    const answer = await server.call("own_flaky", { args: [flaky] });
    assert.match(answer.text, /try 1 of 4[^]*try 2 of 4[^]*worked\n/);
  });
});

function own(name: string): string {
  return `own_${name}`;
}

async function checksAreConfined(server: ServerProcess, reach: string): Promise<void> {
  const running = async () =>
    /^(check_\d) for .*: bash -c while :; do sleep 1; done$/m.exec((await server.call("status")).text)?.[1];
  const check = await until(running, 20_000, "the check");
  assert.equal((await server.call("cancel", { operation_id: check })).text, `The check ${check} is ended`);
  const unchecked = async () => (await ownTools(server)).join() === "own_all,own_build,own_flaky";
  await server.notification("notifications/tools/list_changed");
  await until(unchecked, 20_000, "the answers of the checks");
  const after = (await server.call("status")).text;
  assert.match(after, /own_reaching: Check "bash -c printf .*" ended with exit code 1: Gonebash.*Permission denied/);
  assert.match(after, /own_hanging: Check .* was ended by SIGTERM/);
  assert.doesNotMatch(after, /Checks of tool files running/);
  // A command of the session has the network.
  assert.match((await server.shell(`${reach} && echo reached`)).text, /^reached$/m);
}

async function saysWhatIsMissing(bench: Workbench, server: ServerProcess): Promise<void> {
  const { text } = await server.call("status");
  assert.match(text, /own_missing: "no-such-program" is not on the PATH of commands\. Install it with: get/);
  assert.match(text, /own_checked: Check "test -e there" ended with exit code 1/);
  const refused = await server.request("tools/call", { name: "own_missing", arguments: {} });
  assert.match(refused.error?.message ?? "", /not available: "no-such-program" is not on the PATH/);
  // The next look at the files asks again. The check that has no end is not asked.
  bench.write("there", "");
  await Deno.remove(`${bench.scope}/.ahma/tools/hanging.json`);
  bench.write(".ahma/tools/last.json", toolFile("own_last"));
  const names = ["all", "build", "checked", "flaky", "last"].map(own).join();
  await until(async () => (await ownTools(server)).join() === names, 20_000, `the tools ${names}`);
}

async function waitForEachOther(bench: Workbench, server: ServerProcess): Promise<void> {
  const script = "echo begin $1 >> log; while [ ! -e go ]; do sleep 0.02; done; echo end $1 >> log";
  const start = (name: string) => server.call("own_build", { args: [script, "build", name] });
  const first = await start("one");
  const second = await start("two");
  await server.call("own_all", {});
  assert.match(
    (await server.call("status", { operation_id: second.operation?.operation_id })).text,
    /queued at position 1/,
  );
  bench.write("go", "");
  await server.call("await", {});
  assert.ok(first.operation !== undefined);
  assert.deepStrictEqual((await Deno.readTextFile(`${bench.scope}/log`)).trim().split("\n"), [
    "begin one",
    "end one",
    "begin two",
    "end two",
    "step",
  ]);
}

Deno.test("T11 S4 what checks said is kept between starts, where commands neither read nor write it", async () => {
  using bench = new Workbench("ordinary");
  const tool = (name: string, file: string) => {
    // It waits until the first list was seen.
    const check = { command: "sh", args: ["-c", `until test -e seen; do sleep 0.02; done; test -e ${file}`] };
    bench.write(`.ahma/tools/${name}.json`, toolFile(name, { availability_check: check }));
  };
  tool("own_there", ".ahma");
  tool("own_missing", "missing");
  const kept = `${bench.home}/.cache/ahma_mcp/checks.json`;
  {
    await using server = await ServerProcess.start(bench);
    assert.deepStrictEqual(await ownTools(server), ["own_missing", "own_there"]);
    bench.write("seen", "");
    await server.notification("notifications/tools/list_changed");
    assert.deepStrictEqual(await ownTools(server), ["own_there"]);
    await until(() => exists(kept), 20_000, "the file");
    const line = `cat ${kept}; echo x > ${kept}; rm -f ${kept}; mv ${kept} moved; echo done`;
    const { text } = await server.shell(line);
    assert.match(text, /^done$/m);
    assert.doesNotMatch(text, /"version"/);
  }
  const { mode } = await Deno.stat(kept);
  assert.deepStrictEqual([(mode ?? 0) & 0o777, JSON.parse(await Deno.readTextFile(kept)).version], [0o600, 1]);
  bench.write("missing", "");
  await Deno.remove(`${bench.scope}/seen`);
  {
    await using server = await ServerProcess.start(bench);
    assert.deepStrictEqual(await ownTools(server), ["own_there"]); // as it was, at once
    bench.write("seen", "");
    await server.notification("notifications/tools/list_changed");
    assert.deepStrictEqual(await ownTools(server), ["own_missing", "own_there"]);
  }
  // The control: without a sandbox that line reads the file, and nothing is kept there.
  const [program = "", ...args] = asUser(bench.user, ["cat", kept]);
  const { stdout } = await new Deno.Command(program, { args }).output();
  assert.match(new TextDecoder().decode(stdout), /"version":1/);
});

/** Runs what follows in a user namespace of its own, which may have no inotify instance. */
const WITHOUT_INOTIFY = [
  "unshare",
  "-Ur",
  "sh",
  "-c",
  'echo 0 > /proc/sys/user/max_inotify_instances; exec "$@"',
  "sh",
];

Deno.test("T12 status says that changes go unnoticed where the system has no watches left", async () => {
  using bench = new Workbench();
  bench.write(".ahma/tools/a.json", toolFile("own_a"));
  await using server = await ServerProcess.start(bench, { prefix: WITHOUT_INOTIFY });
  assert.deepStrictEqual(await ownTools(server), ["own_a"]);
  const lines = (await server.call("status")).text.split("\n");
  assert.ok(
    lines.includes(
      `${bench.scope}/.ahma/tools: warning: Changes of tool files are not seen: The system gives no inotify instance ` +
        "(see fs.inotify.max_user_instances). Restart the server to load them",
    ),
    lines.join("\n"),
  );
});
