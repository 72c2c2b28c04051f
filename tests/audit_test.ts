/** The audit log: what is written before and after each command, by which user it is readable, and what happens when it cannot be. */
import assert from "node:assert/strict";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { namesOf, upstreamServer, withServers } from "./_support/servers/upstream.ts";
import { exists, usersAtHand, Workbench } from "./_support/workbench.ts";

type Line = Readonly<Record<string, unknown>>;

function linesOf(path: string): readonly Line[] {
  return Deno.readTextFileSync(path).trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** Without what is different in every run. */
function steady({ time, session, ...rest }: Line): Line {
  assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.match(String(session), /^[0-9a-f]{8}$/);
  return rest;
}

const TOOL = {
  name: "say",
  command: "printf",
  description: "Prints.",
  synchronous: true,
  positional_args: [{ name: "text", type: "string", required: true, description: "What." }],
};

/** Its three lines are the last of the log. */
async function typesUnseen(server: ServerProcess, log: string): Promise<void> {
  const asked = await server.call("sandboxed_shell", { command: "read -s word; echo ${#word}", tty: true });
  const operation = /op_\w+/.exec(asked.text)?.[0];
  assert.match((await server.call("send", { operation_id: operation, text: "correct horse\n" })).text, /13/);
  assert.deepStrictEqual(linesOf(log).slice(-3).map(({ event, bytes }) => [event, bytes]), [
    ["start", undefined],
    ["input", 14],
    ["end", undefined],
  ]);
  assert.ok(!(await Deno.readTextFile(log)).includes("correct"));
}

for (const user of usersAtHand()) {
  Deno.test(`S18 X22 every command is in the audit log before and after it, without its secrets and what is typed, and none changes it, as ${user}`, async () => {
    using bench = new Workbench(user);
    const log = `${bench.elsewhere}/audit.jsonl`;
    const outside = bench.write(`${bench.elsewhere}/secret`, "x");
    bench.write(".ahma/tools/say.json", JSON.stringify(TOOL));
    {
      await using server = await ServerProcess.start(bench, { flags: ["--audit-log", log] });
      await server.call("say", { text: "hello" });
      await server.shell(`cat ${outside}; curl --token abcdef 2>&1; exit 4`);
      const running = await server.start("echo up > up; sleep 305");
      await bench.appears("up");
      const begun = linesOf(log).at(-1) ?? {};
      assert.deepStrictEqual([begun["event"], begun["operation"]], ["start", running.operation?.operation_id]);
      await server.call("cancel", { operation_id: running.operation?.operation_id });
      const cwd = bench.scope;
      const shell = { tool: "sandboxed_shell", shell: `cat ${outside}; curl --token [redacted] 2>&1; exit 4`, cwd };
      const say = { tool: "say", argv: ["printf", "hello"], cwd };
      const sleep = { tool: "sandboxed_shell", shell: "echo up > up; sleep 305", cwd };
      const [first, second] = linesOf(log).filter(({ event }) => event === "start").map(({ operation }) => operation);
      const third = running.operation?.operation_id;
      const denials = [{
        path: outside,
        access: ["read", "write"],
        scope: [bench.scope],
        flags: [`--read ${outside}`, `--write ${bench.elsewhere}`],
      }];
      assert.deepStrictEqual(linesOf(log).map(steady), [
        { event: "start", operation: first, ...say },
        { event: "end", operation: first, ...say, exit_code: 0 },
        { event: "start", operation: second, ...shell },
        { event: "end", operation: second, ...shell, exit_code: 4, denials },
        { event: "start", operation: third, ...sleep },
        { event: "end", operation: third, ...sleep, signal: "SIGTERM" },
      ]);
      const written = await Deno.readTextFile(log);
      const { failed } = await server.shell(`: > ${log}; rm -f ${log}; mv ${log} gone; echo forged >> ${log}`);
      assert.deepStrictEqual([failed, (await Deno.readTextFile(log)).startsWith(written)], [true, true]);
      assert.deepStrictEqual(linesOf(log).slice(6).map(({ event }) => event), ["start", "end"]);
      await typesUnseen(server, log);
    }
    assert.strictEqual(((await Deno.stat(log)).mode ?? 0) & 0o777, 0o600);
    if (user !== "ordinary") return;
    const again = await runProgram(bench, ["call", "--audit-log", log, "--quiet", "sandboxed_shell", "--", "true"]);
    assert.deepStrictEqual([again.code, linesOf(log).length], [0, 13], again.stderr);
  });
}

Deno.test("S18 checks of programs and servers that a person names are in the audit log", async () => {
  using bench = new Workbench("ordinary");
  const log = `${bench.elsewhere}/audit.jsonl`;
  const facts = (line: Line) => {
    const { operation, ...rest } = steady(line);
    assert.match(String(operation), /^op_/);
    return rest;
  };
  const check = { command: "sh", args: ["-c", "exit 3"], skip_subcommand_args: true };
  bench.write(".ahma/tools/say.json", JSON.stringify({ ...TOOL, availability_check: check }));
  const cwd = bench.scope;
  const asked = { tool: "(check)", argv: [check.command, ...check.args], cwd };
  await runProgram(bench, ["list-tools", "--audit-log", log]);
  assert.deepStrictEqual(linesOf(log).map(facts), [
    { event: "start", ...asked },
    { event: "end", ...asked, exit_code: 3 },
  ]);
  const server = { tool: "(server)", argv: ["sh", "-c", "exit 4 # --token [redacted]"], cwd };
  const line = ["sh", "-c", "exit 4 # --token abcdef"];
  await runProgram(bench, ["list-tools", "--audit-log", log, "--", ...line]);
  const words = line.slice(1).map((word) => `--server-args=${word}`);
  const flags = ["--audit-log", log, "--server-command", "sh", ...words];
  await assert.rejects(HttpServerProcess.start(bench, { flags }), /It ended with exit code 4/);
  const ends = [{ event: "start", ...server }, { event: "end", ...server, exit_code: 4 }];
  const told = linesOf(log).slice(2).map(facts);
  assert.ok(told.length >= 2 * ends.length, "both, and the second is tried again");
  assert.deepStrictEqual(told, told.flatMap((_, index) => index % 2 === 0 ? ends : []));
});

Deno.test("S18 the server does not start with an unusable audit log", async () => {
  using bench = new Workbench("ordinary");
  await Deno.symlink(bench.scope, `${bench.elsewhere}/into`);
  // src/app/runner/audit_log_test.ts has the other reasons.
  const { code, stdout, stderr } = await runProgram(bench, ["--audit-log", `${bench.elsewhere}/into/audit`]);
  assert.deepStrictEqual([code, stdout], [1, ""]);
  assert.match(stderr, /commands can write there/);
  assert.ok(!exists(`${bench.scope}/audit`));
});

Deno.test({
  name: "S18 a command that cannot be written down is not run" +
    (Deno.uid() === 0 ? "" : " (ignored: only root can make a small file system)"),
  ignore: Deno.uid() !== 0,
  fn: async () => {
    using bench = new Workbench("root");
    // A file system of one page in a mount namespace of the server's own: the first lines fill it.
    const small = `${bench.parent}/small`;
    await Deno.mkdir(small);
    const prefix = ["unshare", "-m", "sh", "-c", `mount -t tmpfs -o size=4k none ${small} && exec "$@"`, "sh"];
    const servers = { srv: upstreamServer(bench) };
    await using server = await withServers(bench, servers, { prefix, flags: ["--audit-log", `${small}/audit`] });
    await namesOf(server, "srv_");
    const long = `: ${"x".repeat(3000)}; echo ran >> ran`;
    const first = await server.shell(long);
    assert.ok(!first.failed, first.text);
    await Deno.remove(`${bench.scope}/ran`);
    const second = await server.shell(long);
    assert.match(second.text, /Cannot run the command: it cannot be written to the audit log/);
    assert.deepStrictEqual([second.isError, exists(`${bench.scope}/ran`)], [true, false]);
    const called = await server.call("srv_write", { text: `${bench.home}/called` });
    assert.match(called.text, /Cannot run the call: it cannot be written to the audit log/);
  },
});

/** A native tool has its two lines, with the file that it was given and nothing of its content. */
async function logsNativeTools(server: ServerProcess, log: string): Promise<void> {
  await server.call("p_files_write", { path: "a.txt", content: "content-42" });
  await server.call("p_files_read", { path: "none.txt" });
  await server.call("p_await");
  const lines = linesOf(log).filter(({ tool }) => String(tool).startsWith("files_"))
    .map(({ event, tool, path, outcome }) => [event, tool, path, outcome]);
  assert.deepStrictEqual(lines, [
    ["start", "files_write", "a.txt", undefined],
    ["end", "files_write", "a.txt", "completed"],
    ["start", "files_read", "none.txt", undefined],
    ["end", "files_read", "none.txt", "failed"],
  ]);
  assert.ok(!(await Deno.readTextFile(log)).includes("content-42"));
}

Deno.test("S18 O6 K2 every call of another server's tool and of a native tool is in the audit log, with its outcome and without its arguments", async () => {
  using bench = new Workbench();
  const log = `${bench.elsewhere}/audit.jsonl`;
  const servers = { srv: upstreamServer(bench, { waitMs: 0 }) };
  await using server = await withServers(bench, servers, {
    flags: ["--audit-log", log, "--tool-prefix", "p_", "--bundles", "files"],
  });
  await namesOf(server, "p_srv_");
  const ids: unknown[] = [];
  const call = async (name: string) => {
    const { operation } = await server.call(`p_srv_${name}`, { text: "argument-42" });
    ids.push(operation?.operation_id);
    if (name === "wait") await server.call("p_cancel", { operation_id: operation?.operation_id });
    else await server.call("p_await", { operation_id: operation?.operation_id });
  };
  for (const name of ["echo", "steps", "die", "wait"]) await call(name);
  const names = (called: string, place: number) => ({
    operation: ids[place],
    tool: `srv_${called}`,
    server: "srv",
    called,
  });
  const lines = linesOf(log).map(steady).filter(({ called }) => called !== undefined);
  assert.deepStrictEqual(lines, [
    { event: "start", ...names("echo", 0) },
    { event: "end", ...names("echo", 0), outcome: "completed" },
    { event: "start", ...names("steps", 1) },
    { event: "end", ...names("steps", 1), outcome: "completed" },
    { event: "start", ...names("die", 2) },
    { event: "end", ...names("die", 2), outcome: "failed" },
    { event: "start", ...names("wait", 3) },
    { event: "end", ...names("wait", 3), outcome: "cancelled" },
  ]);
  assert.ok(!(await Deno.readTextFile(log)).includes("argument-42"));
  await logsNativeTools(server, log);
});

Deno.test("S18 L7 two servers share one audit log, line by line, and a project cannot choose another", async () => {
  using bench = new Workbench();
  bench.write(".ahma/settings.json", JSON.stringify({ audit_log: `${bench.elsewhere}/chosen` }));
  const flags = ["--audit-log", `${bench.elsewhere}/audit.jsonl`, "--sync"];
  await using one = await ServerProcess.start(bench, { flags });
  using beside = new Workbench();
  await using other = await ServerProcess.start(beside, { flags });
  const padding = "x".repeat(3_000);
  const calls = Array.from({ length: 40 }, (_, index) => [one, other][index % 2]?.shell(`: ${index} ${padding}`));
  await Promise.all(calls);
  const lines = linesOf(`${bench.elsewhere}/audit.jsonl`);
  const told = lines.map(({ event, shell }) => `${event} ${/^: (\d+) x{3000}$/.exec(String(shell))?.[1]}`);
  assert.deepStrictEqual(
    told.sort(),
    ["end", "start"].flatMap((event) => calls.map((_, index) => `${event} ${index}`)).sort(),
  );
  assert.strictEqual(new Set(lines.map(({ session }) => session)).size, 2);
  assert.ok(!exists(`${bench.elsewhere}/chosen`));
  assert.match(one.stderr, /"audit_log".* is ignored: a project may not set "audit-log"/);
});
