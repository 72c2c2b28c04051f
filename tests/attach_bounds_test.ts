/** Who cannot attach, what a person costs a server, and where its socket is (X24). */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { HttpClient } from "./_support/clients/http_client.ts";
import { Person } from "./_support/person.ts";
import { lowestResident } from "./_support/processes.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { sharing } from "./_support/sharing.ts";
import { runProgram } from "./_support/terminal.ts";
import { exists, ORDINARY_ID, Workbench } from "./_support/workbench.ts";

const FLOOD_BYTES = 120_000_000;
/** More than a server keeps of an output, and a fraction of the flood. */
const MOST_GROWTH = 80 * 1024 * 1024;

async function socketIn(directory: string): Promise<string> {
  const names = () => exists(directory) ? Array.from(Deno.readDirSync(directory), ({ name }) => name) : [];
  const isThere = () => names().find((name) => /^\d.*\.token$/.test(name))?.replace(/token$/, "sock");
  return `${directory}/${await until(isThere, 20_000, `a socket in ${directory}`)}`;
}

function control(bench: Workbench): string {
  return `${bench.home}/.local/state/ahma/control`;
}

const testShared = sharing((bench) => ServerProcess.start(bench), "ordinary");

testShared(
  "X24 a person who does not read delays neither operation nor server, and sees how much was left out",
  async ({ bench, server }) => {
    const line = `until [ -e go ]; do sleep 0.05; done; yes 0123456789 | head -c ${FLOOD_BYTES}; echo; echo over`;
    const id = /op_\w+/.exec((await server.start(line)).text)?.[0] ?? "";
    await socketIn(control(bench));
    await using person = new Person(bench, ["attach", id]);
    await person.sees(/Attached/);
    await person.reads("stop");
    const before = await lowestResident(server.pid, Infinity);
    bench.write("go", "");
    const ended = await server.call("await", { operation_id: id, timeout_seconds: 200 }, { deadline: 220_000 });
    assert.match(ended.text, /\nover\n/);
    assert.ok(await lowestResident(server.pid, before + MOST_GROWTH) < before + MOST_GROWTH);
    await person.reads("go");
    await person.sees(/\[\d+ bytes are left out: they were not read in time\]/);
    await person.sees(/over\r\n[^]*\[op_\w+ completed, exit code 0, /);
    assert.deepStrictEqual(await person.left(), { code: 0, isAsBefore: true });
  },
);

testShared(
  "X24 another user is refused by the directory, and root by the server",
  async ({ bench, server }) => {
    const { operation } = await server.start("echo secret; tail -f /dev/null");
    const socket = await socketIn(control(bench));
    const program = `import json, socket, sys
line = socket.socket(socket.AF_UNIX)
try:
    line.connect(sys.argv[1])
    line.sendall(json.dumps({"ahma": 1, "token": open(sys.argv[1][:-4] + "token").read(), "request": "list"}).encode() + b"\\n")
    print(line.recv(65536).decode()[:27])
except OSError as error:
    print(type(error).__name__)`;
    const asked = async (uid: number) => {
      const as = [
        "setpriv",
        `--reuid=${uid}`,
        `--regid=${uid}`,
        "--clear-groups",
        "/usr/bin/python3",
        "-c",
        program,
        socket,
      ];
      const { stdout } = await new Deno.Command(as[0] ?? "", { args: as.slice(1) }).output();
      return new TextDecoder().decode(stdout).trim();
    };
    assert.strictEqual(await asked(ORDINARY_ID), '{"event":"server","server":');
    assert.strictEqual(await asked(ORDINARY_ID - 1), "PermissionError");
    assert.match(await asked(0), /^(ConnectionResetError|BrokenPipeError)?$/);
    await server.call("cancel", { operation_id: operation?.operation_id });
  },
  { ignore: Deno.uid() !== 0 },
);

Deno.test("X24 the socket lies in a private XDG_RUNTIME_DIR, else in the state directory", async () => {
  using bench = new Workbench();
  const runtime = `${bench.elsewhere}/run`;
  const environment = { XDG_RUNTIME_DIR: runtime };
  await Deno.mkdir(runtime, { mode: 0o755 });
  for (const [mode, directory] of [[0o755, control(bench)], [0o700, `${runtime}/ahma_mcp`]] as const) {
    await Deno.chmod(runtime, mode);
    await using server = await ServerProcess.start(bench, { environment });
    const id = /op_\w+/.exec((await server.start("echo here; sleep 0.5; tail -f /dev/null")).text)?.[0] ?? "";
    const socket = await socketIn(directory);
    assert.strictEqual(((await Deno.stat(directory)).mode ?? 0) & 0o777, 0o700);
    // In the state directory all other tests find it.
    if (directory !== control(bench)) {
      await using person = new Person(bench, ["attach", id], { environment });
      await person.sees(/here/);
      await person.types("\x1d");
      assert.strictEqual((await person.left()).code, 0);
    }
    await server.closeInput();
    await server.exit();
    assert.ok(!exists(socket));
  }
});

Deno.test("X24 a server that cannot have a socket says so in its log, and works", async () => {
  using bench = new Workbench();
  bench.write(control(bench), "no directory");
  await using server = await ServerProcess.start(bench);
  assert.match((await server.shell("echo works")).text, /^works\n/);
  const log = `${bench.home}/.cache/ahma_mcp/logs`;
  const lines = () =>
    Array.from(Deno.readDirSync(log)).flatMap(({ name }) => Deno.readTextFileSync(`${log}/${name}`).split("\n"))
      .filter((line) => line.includes("People cannot attach"));
  await until(() => lines().length > 0, 20_000, "the warning");
  assert.strictEqual(lines().length, 1);
  const { code, stderr } = await runProgram(bench, ["attach", "x"]);
  assert.deepStrictEqual([code, /no server of yours runs on this machine/.test(stderr)], [1, true]);
});

for (const flags of [[], ["--session-isolation"]]) {
  Deno.test(`X24 V1 operations of HTTP sessions are found too, ${flags.join(" ") || "of one process"}`, async () => {
    using bench = new Workbench();
    await using server = await HttpServerProcess.start(bench, {
      flags: [...flags, "--sandbox-scope", bench.scope],
    });
    await using client = await HttpClient.connect(server);
    const started = await client.start("echo here; until [ -e go ]; do sleep 0.05; done; exit 6");
    const id = /op_\w+/.exec(started.text)?.[0] ?? assert.fail(started.text);
    await socketIn(control(bench));
    // Each server has both lists.
    if (flags.length === 0) {
      const { servers } = JSON.parse((await runProgram(bench, ["ps", "--json"])).stdout);
      const clients = servers.flatMap(({ operations }: { operations: { client: string }[] }) => operations);
      assert.deepStrictEqual(clients.map(({ client }: { client: string }) => client), ["wire 1"]);
    } else {
      const listed = await until(
        async () => {
          const { stderr } = await runProgram(bench, ["attach"]);
          return stderr.includes(id) && stderr;
        },
        20_000,
        `${id} in the list`,
      );
      assert.ok(listed.includes(`${id} sandboxed_shell, running for `), listed);
    }
    await using person = new Person(bench, ["attach", id]);
    await person.sees(/here/);
    bench.write("go", "");
    assert.deepStrictEqual(await person.left(), { code: 6, isAsBefore: true });
  });
}
