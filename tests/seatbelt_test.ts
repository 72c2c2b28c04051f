/** The back end of macOS, composed whole, with a stand-in for sandbox-exec: what it is given, and how commands run. */
import type { CommandEnd } from "../src/base/command/command_end.ts";
import assert from "node:assert/strict";
import type { NetworkReach } from "../src/base/network/network_bound.ts";
import { UserError } from "../src/base/errors.ts";
import { SILENT } from "../src/base/log.ts";
import type { Program } from "../src/app/compose_service.ts";
import type { CommandRequest } from "../src/process/command_runner.ts";
import { SeatbeltEvaluator } from "../src/sandbox/seatbelt/_support/sbpl_evaluator.ts";
import { until, withDeadline } from "./_support/deadline.ts";
import { processesWith } from "./_support/processes.ts";
import { composeForMac, type MacOptions, StandIn } from "./_support/kernel/sandbox_exec.ts";
import { Workbench } from "./_support/workbench.ts";

interface Ran {
  readonly end: CommandEnd;
  readonly output: string;
}

interface RunOptions extends Partial<Omit<CommandRequest, "run">> {
  readonly signal?: AbortSignal;
  readonly onText?: (text: string) => void;
}

/** Composes, does something, and closes; checks that nothing of the session is left. */
async function onMac(
  use: (program: Program, bench: Workbench, standIn: StandIn) => Promise<void>,
  options: Omit<MacOptions, "log"> = {},
): Promise<void> {
  using bench = new Workbench();
  const standIn = StandIn.make(bench);
  {
    await using program = await composeForMac(bench, { sandboxExec: standIn.path, ...options, log: SILENT });
    await use(program, bench, standIn);
  }
  assert.deepStrictEqual(await namesIn(bench.elsewhere), []);
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name);
}

async function run(program: Program, what: CommandRequest["run"], options: RunOptions = {}): Promise<Ran> {
  const { signal = new AbortController().signal, onText = () => {}, ...request } = options;
  const decoder = new TextDecoder();
  let output = "";
  const end = await program.runner.run(
    { run: what, directory: program.sandbox.scopes[0]?.path ?? "/", environment: {}, stdin: undefined, ...request },
    {
      signal,
      onOutput: (chunk) => {
        const text = decoder.decode(chunk, { stream: true });
        output += text;
        onText(text);
      },
    },
  );
  return { end, output };
}

function exited(code: number): CommandEnd {
  return { kind: "exited", code };
}

Deno.test("S11 on macOS a command starts under a profile that holds this very session", () =>
  onMac(async (program, bench, standIn) => {
    assert.deepStrictEqual(await run(program, { argv: ["printf", "%s", 'a "b"'] }), {
      end: exited(0),
      output: 'a "b"',
    });
    const { profile, parameters, command } = await standIn.lastStart();
    assert.deepStrictEqual([command[0], command[1], ...command.slice(4)], [
      "/bin/sh",
      "-c",
      "/usr/bin/printf",
      "%s",
      'a "b"',
    ]);
    const sandbox = new SeatbeltEvaluator(profile, parameters);
    const { directories, environment } = program.sandbox;
    const writes = {
      [`${bench.scope}/a`]: true,
      [`${environment["TMPDIR"]}/a`]: true,
      [`${environment["CARGO_HOME"]}/a`]: true,
      [`${bench.scope}/.mcp.json`]: false,
      [`${bench.scope}x/a`]: false,
      [`${directories.files}/profile.sb`]: false,
      [`${directories.root}/owner`]: false,
      [`${bench.home}/.bashrc`]: false,
      [`${bench.elsewhere}/a`]: false,
    };
    const allows = (operation: string) => (path: string) => sandbox.allows({ operation, path });
    assert.deepStrictEqual(Object.keys(writes).map(allows("file-write-data")), Object.values(writes));
    const reads = {
      [`${bench.home}/.ssh/id`]: false,
      [`${bench.home}/Library/Keychains/login`]: false,
      "/etc/hosts": true,
    };
    assert.deepStrictEqual(Object.keys(reads).map(allows("file-read-data")), Object.values(reads));
  }));

Deno.test("S11 on macOS denied paths are denied by their real paths too, and so are git's own files in a repository", async () => {
  using bench = new Workbench();
  bench.write(".git/HEAD", "");
  bench.write(`${bench.elsewhere}/keys/id`, "");
  await Deno.remove(`${bench.home}/.ssh`);
  await Deno.symlink(`${bench.elsewhere}/keys`, `${bench.home}/.ssh`);
  const standIn = StandIn.make(bench);
  await using _program = await composeForMac(bench, { sandboxExec: standIn.path, log: SILENT });
  const { profile, parameters } = await standIn.lastStart(); // the trial
  const sandbox = new SeatbeltEvaluator(profile, parameters);
  const read = (path: string) => sandbox.allows({ operation: "file-read-data", path });
  const make = (path: string) =>
    sandbox.allows({ operation: "file-write-create", path: `${bench.scope}/.git/${path}` });
  assert.deepStrictEqual([read(`${bench.elsewhere}/keys/id`), read(`${bench.elsewhere}/other`)], [false, true]);
  assert.deepStrictEqual([make("hooks/pre-commit"), make("config"), make("index")], [false, false, true]);
});

Deno.test("T11 on macOS a check runs under a profile without network, and other commands under the session's", () =>
  onMac(async (program, _bench, standIn) => {
    const hasNetwork = async (options: RunOptions) => {
      await run(program, { argv: ["true"] }, options);
      const { profile } = await standIn.lastStart();
      return profile.includes("(allow network* (local ip) (remote ip))");
    };
    assert.deepStrictEqual([await hasNetwork({}), await hasNetwork({ offline: true })], [true, false]);
  }));

for (const network of ["full", "localhost", "none"] as const) {
  Deno.test(`S43 on macOS a tool file narrows the network to one that Seatbelt knows, with --network ${network}`, () =>
    onMac(async (program, _bench, standIn) => {
      const reachOf = async (bound: NetworkReach["network"]) => {
        const { end } = await run(program, { argv: ["true"] }, { network: { network: bound, names: [] } });
        if (end.kind === "not_started") return end.message;
        const { profile } = await standIn.lastStart();
        if (profile.includes("(allow network* (local ip) (remote ip))")) return "full";
        return profile.includes('(allow network-outbound (remote ip "localhost:*"))') ? "localhost" : "none";
      };
      const refused =
        'Cannot restrict commands to the hosts of "network" in their tool file on macOS: Seatbelt cannot filter by ' +
        'name. Write "none" or "localhost" there, or leave it out';
      assert.deepStrictEqual([await reachOf("none"), await reachOf("localhost"), await reachOf("names")], [
        "none",
        network === "none" ? "none" : "localhost",
        network === "full" ? refused : network,
      ]);
    }, { flags: ["--network", network] }));
}

Deno.test("X7 on macOS stdout and stderr come joined in the order written, with exit codes, signals, stdin and variables", () =>
  onMac(async (program) => {
    const shell = (line: string, options: RunOptions = {}) => run(program, { shell: line }, options);
    assert.deepStrictEqual(await shell("echo a; echo b >&2; echo c; (echo d >&2); exit 3"), {
      end: exited(3),
      output: "a\nb\nc\nd\n",
    });
    assert.deepStrictEqual(await shell("kill -9 $$"), { end: { kind: "signalled", signal: "SIGKILL" }, output: "" });
    assert.deepStrictEqual(await shell("cat; echo $A/$SECRET", { stdin: "text\n", environment: { A: "b" } }), {
      end: exited(0),
      output: "text\nb/\n",
    });
    assert.deepStrictEqual(await shell("cat"), { end: exited(0), output: "" });
    // What sandbox-exec says before a start is no matter once a command runs.
    assert.deepStrictEqual(await shell("echo sandbox_apply; exit 71"), { end: exited(71), output: "sandbox_apply\n" });
  }));

Deno.test("T7 on macOS argv arrives byte for byte", () =>
  onMac(async (program) => {
    const words = ["a b", "$(id)", "*", "'\"\\", "-x", "two\nlines", "é€😀", "", "--", "-D", "A=b"];
    const { end, output } = await run(program, { argv: ["printf", "%s\\0", ...words] });
    assert.deepStrictEqual([end, output.split("\0").slice(0, -1)], [exited(0), words]);
  }));

Deno.test("X4 on macOS the answer says why a program could not be started", () =>
  onMac(async (program, bench) => {
    bench.write("data", "");
    const messages = await Promise.all(["no-such-program-here", "./data", "-c"].map(async (name) => {
      const { end } = await run(program, { argv: [name] });
      return end.kind === "not_started" ? end.message : end.kind;
    }));
    assert.deepStrictEqual(messages, [
      'Cannot start "no-such-program-here": no such program on the PATH of commands. Install it, or give its path inside the scope',
      'Cannot start "./data": permission denied: not executable, or not readable inside the sandbox',
      'Cannot start "-c": no such program on the PATH of commands. Install it, or give its path inside the scope',
    ]);
  }));

Deno.test("X10 on macOS nothing of a cancelled tree is left, and what runs on in the background ends after its grace", () =>
  onMac(async (program, bench) => {
    const sleeping = async () => {
      return (await processesWith(bench.marker)).filter(({ command }) => command.startsWith("sleep 7"));
    };
    const [abort, up] = [new AbortController(), Promise.withResolvers<void>()];
    const stubborn =
      `trap "" TERM; setsid sh -c 'trap "" TERM; sleep 71 & sleep 72 & echo up; wait' & sleep 73; sleep 74`;
    const running = run(program, { shell: stubborn }, { signal: abort.signal, onText: () => up.resolve() });
    await withDeadline(up.promise, 5_000, "the command's first word");
    await until(async () => (await sleeping()).length === 3, 5_000, "three processes that sleep");
    abort.abort();
    const { end } = await withDeadline(running, 10_000, "the end of the command");
    assert.deepStrictEqual([end, await sleeping()], [{ kind: "signalled", signal: "SIGKILL" }, []]);
    const background = await run(program, { shell: "sleep 76 & echo done" });
    assert.deepStrictEqual(background, { end: exited(0), output: "done\n" });
    await withDeadline(program.runner.settled(), 5_000, "the end of the background");
    assert.deepStrictEqual(await sleeping(), []);
  }));

Deno.test("S3 on macOS an opened command keeps its stdin, and its stderr goes to a file", () =>
  onMac(async (program, bench) => {
    const stderrFile = bench.write("stderr", "old\n");
    let output = "";
    const { stdin, end } = await program.runner.open({
      run: { shell: "echo ready; echo careful >&2; read -r line; echo got $line" },
      directory: bench.scope,
      environment: {},
      stderrFile,
    }, { signal: new AbortController().signal, onOutput: (chunk) => output += new TextDecoder().decode(chunk) });
    const writer = stdin.getWriter();
    await writer.write(new TextEncoder().encode("it\n"));
    await writer.close();
    assert.deepStrictEqual([await end, output], [exited(0), "ready\ngot it\n"]);
    assert.strictEqual(await Deno.readTextFile(stderrFile), "old\ncareful\n");
    const missing = { run: { argv: ["no-such-program-here"] }, directory: bench.scope, environment: {}, stderrFile };
    await assert.rejects(
      program.runner.open(missing, { signal: new AbortController().signal, onOutput: () => {} }),
      /no such program on the PATH/,
    );
  }));

Deno.test("S11 on macOS a client's call runs under the profile and is answered", () =>
  onMac(async (program, bench, standIn) => {
    const messages = [
      {
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
      },
      { method: "notifications/initialized" },
      {
        id: 2,
        method: "tools/call",
        params: { name: "sandboxed_shell", arguments: { command: "pwd; exit 3", execution_mode: "Synchronous" } },
      },
    ];
    const text = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
    const chunks = [new TextEncoder().encode(text)];
    let written = "";
    const answered = Promise.withResolvers<void>();
    await withDeadline(
      program.serve({
        input: {
          async read(buffer) {
            const chunk = chunks.shift();
            if (chunk === undefined) await answered.promise;
            else buffer.set(chunk);
            return chunk?.length ?? null;
          },
        },
        output: {
          write: (bytes) => {
            written += new TextDecoder().decode(bytes);
            if (written.includes('"id":2')) answered.resolve();
            return Promise.resolve(bytes.length);
          },
        },
      }),
      10_000,
      "the end of the session",
    );
    const answers = written.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.match(JSON.stringify(answers.find(({ id }) => id === 1)), /Seatbelt/);
    const { result } = answers.find(({ id }) => id === 2);
    assert.match(JSON.stringify(result.content), /exit code 3/);
    assert.ok(JSON.stringify(result.content).includes(bench.scope), JSON.stringify(result));
    assert.deepStrictEqual((await standIn.lastStart()).command.slice(-2), ["-c", "pwd; exit 3"]);
  }));

Deno.test("S14 on macOS --no-sandbox starts commands without sandbox-exec, and says so", () =>
  onMac(async (program) => {
    assert.deepStrictEqual(await run(program, { shell: "echo a >&2; exit 2" }), { end: exited(2), output: "a\n" });
    assert.deepStrictEqual(program.service.settings.sandbox, {
      enforced: false,
      summary: "off (--no-sandbox): commands run with all rights of the server's user",
    });
  }, { flags: ["--no-sandbox"], sandboxExec: "/missing/sandbox-exec" }));

/** Why the program refuses to start with this sandbox-exec; nothing of the session may be left but a refused profile. */
async function refusal(failing: string | undefined): Promise<{ message: string; profile: string | undefined }> {
  using bench = new Workbench();
  const sandboxExec = failing === undefined ? "/missing/sandbox-exec" : StandIn.make(bench, failing).path;
  try {
    await using _program = await composeForMac(bench, { sandboxExec, log: SILENT });
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    const left = (await namesIn(bench.elsewhere)).map((name) => `${bench.elsewhere}/${name}`);
    const [kept] = left;
    assert.ok(left.length === 0 || left.length === 1 && kept !== undefined && /ahma_mcp-refused-\w+\.sb$/.test(kept));
    const profile = kept === undefined ? undefined : await Deno.readTextFile(kept);
    return { message: thrown.message.replaceAll(kept ?? "PROFILE", "PROFILE"), profile };
  }
  throw new Error("It started");
}

Deno.test("S12 on macOS the server does not start without sandbox-exec, nor when its profile is refused", async () => {
  const missing = await refusal(undefined);
  assert.deepStrictEqual([missing.message.split("\n")[0], missing.profile], [
    'Cannot enforce the sandbox: "/missing/sandbox-exec" is missing.',
    undefined,
  ]);
  const failures = {
    "kill -ABRT $$": 'Cannot enforce the sandbox: macOS rejects the profile "PROFILE" (SIGABRT).',
    "exit 134": 'Cannot enforce the sandbox: macOS rejects the profile "PROFILE" (SIGABRT).',
    "echo 'sandbox-exec: <input string>:9:0: unbound variable: fiel-read*' >&2; exit 65":
      'Cannot enforce the sandbox: sandbox-exec does not understand the profile "PROFILE" (exit code 65).\n' +
      "It wrote: sandbox-exec: <input string>:9:0: unbound variable: fiel-read*",
    "echo 'sandbox-exec: illegal option -- D' >&2; exit 64":
      "Cannot enforce the sandbox: this sandbox-exec does not take -D, -f and -- (exit code 64).\n" +
      "It wrote: sandbox-exec: illegal option -- D",
    "echo \"sandbox-exec: execvp() of '/bin/sh' failed: Operation not permitted\" >&2; exit 71":
      "Cannot start anything in the sandbox: sandbox-exec cannot run the shell (exit code 71).\n" +
      "It wrote: sandbox-exec: execvp() of '/bin/sh' failed: Operation not permitted",
    "exit 0": "Cannot enforce the sandbox: sandbox-exec ended with exit code 0.",
  };
  for (const [failing, expected] of Object.entries(failures)) {
    const { message, profile } = await refusal(failing);
    assert.strictEqual(message.slice(0, expected.length), expected);
    assert.match(message, /--no-sandbox or AHMA_NO_SANDBOX=1$/);
    assert.match(profile ?? "", /^\(version 1\)\n\(deny default\)\n/);
  }
});

Deno.test("S13 on macOS inside another sandbox the server says so and how to leave enforcement to it", async () => {
  const { message } = await refusal("echo 'sandbox-exec: sandbox_apply: Operation not permitted' >&2; exit 71");
  assert.strictEqual(
    message,
    "Cannot enforce the sandbox: this program is in another sandbox already (an editor's or an agent's), and macOS does " +
      "not nest them.\nIt wrote: sandbox-exec: sandbox_apply: Operation not permitted\n" +
      "Start it outside of that one, or leave enforcement to it with --no-sandbox or AHMA_NO_SANDBOX=1",
  );
});
