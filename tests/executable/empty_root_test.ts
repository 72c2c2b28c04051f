/** The executable where there is nothing but glibc and a shell: clients, sessions, the sandbox. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { HttpClient } from "../_support/clients/http_client.ts";
import { HttpServerProcess } from "../_support/servers/http_server.ts";
import { VERSION } from "../../src/base/version.ts";
import { ownExecutable } from "../_support/packages/own_executable.ts";
import { testRuntime } from "../_support/runtime.ts";
import { connectClient } from "../_support/clients/sdk_client.ts";
import { ServerProcess } from "../_support/server_process.ts";
import { runProgram } from "../_support/terminal.ts";
import { type User, usersAtHand, Workbench } from "../_support/workbench.ts";
import { CAN_ENTER, CANNOT_ENTER, emptyRoot } from "./empty_root.ts";

const root = CAN_ENTER ? await emptyRoot(ownExecutable()) : undefined;
globalThis.addEventListener("unload", () => root?.[Symbol.dispose]());

interface Inside extends Disposable {
  readonly bench: Workbench;
  /** Runs a program in the root. */
  readonly prefix: readonly string[];
  readonly executable: string;
}

function inside(user: User, { proc } = { proc: true }): Inside {
  assert.ok(root !== undefined);
  const bench = new Workbench(user);
  const { executable, cache } = testRuntime(user);
  assert.ok(executable !== undefined, "these tests need AHMA_TEST_FORM=executable (deno task test:executable)");
  const prefix = root.enter([...proc ? ["/proc"] : [], bench.parent, bench.elsewhere, executable, cache]);
  return { bench, prefix, executable, [Symbol.dispose]: () => bench[Symbol.dispose]() };
}

function test(name: string, fn: (user: User) => Promise<void>, users: readonly User[] = usersAtHand()): void {
  for (const user of users) {
    Deno.test({ name: `D1 ${name} (${user})${CANNOT_ENTER}`, ignore: !CAN_ENTER, fn: () => fn(user) });
  }
}

/** Where the user decides nothing. */
const ONE_USER: readonly User[] = ["ordinary"];

const PATH = { PATH: "/usr/bin:/bin" };
/** Variables by which a runtime or we ourselves could show. */
const OURS = /^(AHMA|DENO|NODE|OTEL|LD)_.*?(?==)/gm;

test("in an empty root the official client runs commands in the sandbox, which reach nothing outside the scope", async (user) => {
  using place = inside(user);
  const { bench, prefix } = place;
  await using server = await ServerProcess.start(bench, { era: "none", prefix, environment: PATH });
  const client = await connectClient(server, "2025-11-25");
  const { tools } = await client.listTools();
  assert.deepStrictEqual(tools.map(({ name }) => name).toSorted(), [
    "await",
    "cancel",
    "sandboxed_shell",
    "send",
    "status",
  ]);
  const shell = async (command: string) => {
    const { content } = await client.callTool({ name: "sandboxed_shell", arguments: { command } });
    return JSON.stringify(content);
  };
  assert.match(await shell("echo made > file; cat file; ls /usr/bin"), /made\\ncat\\nchmod\\nenv\\nls\\nrm\\nsh/);
  assert.strictEqual(await Deno.readTextFile(`${bench.scope}/file`), "made\n");
  const lines = JSON.parse(await shell("env; :"))[0].text;
  assert.deepStrictEqual(lines.match(OURS).toSorted(), ["DENO_DIR", "DENO_NO_PROMPT", "DENO_NO_UPDATE_CHECK"]);
  const secret = bench.write(`${bench.home}/.ssh/key`, "a-secret\n");
  const attacks = [`cat ${secret}`, `echo x > ${bench.elsewhere}/new`, `chmod 777 ${secret}`, `rm ${secret}`];
  const before = bench.outside();
  const tried = (text: string) => [text.includes("a-secret"), isDeepStrictEqual(bench.outside(), before)];
  assert.deepStrictEqual(tried(await shell(`${attacks.join("; ")}; true`)), [false, true]);
  await client.close();
  // The control: outside the sandbox the same user does all of it.
  const { stdout } = await runProgram(bench, [], { prefix: [...prefix, "/bin/sh", "-c", attacks.join("; "), "sh"] });
  assert.deepStrictEqual(tried(stdout), [true, false]);
});

test("in an empty root each HTTP session has a process and a scope of its own", async (user) => {
  using place = inside(user);
  const { bench, prefix } = place;
  // From another user namespace, an ordinary user's, a server cannot see which process calls: a token tells instead.
  const flags = ["--session-isolation", "--max-sessions", "2", "--require-token"];
  await using server = await HttpServerProcess.start(bench, { flags, prefix, environment: PATH });
  const token = (await Deno.readTextFile(`${bench.home}/.local/state/ahma/http_token`)).trim();
  const headers = { authorization: `Bearer ${token}` };
  const roots = ["one", "two"].map((name) => {
    bench.write(`${name}/.keep`, "");
    return `${bench.scope}/${name}`;
  });
  const clients = await Promise.all(roots.map((path) => HttpClient.connect(server, { roots: [path], headers })));
  const command = `echo mine > file; for d in ${roots.join(" ")}; do echo x > $d/touched; done; true`;
  const answers = await Promise.all(clients.map((client) => client.shell(command)));
  for (const [index, path] of roots.entries()) {
    const names = (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name).toSorted();
    assert.deepStrictEqual(names, [".keep", "file", "touched"]);
    const other = roots[1 - index] ?? "";
    assert.match(
      answers[index]?.text ?? "",
      new RegExp(`${other}/touched: (Permission denied|Read-only|Directory nonexistent)`),
    );
  }
  for (const client of clients) await client[Symbol.asyncDispose]();
}, ONE_USER);

test("in an empty root doctor finds the sandbox whole, and names the executable", async (user) => {
  using place = inside(user);
  const { bench, prefix, executable } = place;
  const { code, stdout, stderr } = await runProgram(bench, ["doctor", "--json"], { prefix, environment: PATH });
  assert.deepStrictEqual([code, stderr], [0, ""], stdout);
  const { ok, checks }: { ok: boolean; checks: { id: string; status: string; message: string }[] } = JSON.parse(stdout);
  const message = (id: string) => checks.find((check) => check.id === id)?.message;
  assert.strictEqual(message("runtime"), `deno ${Deno.version.deno} in the executable ${executable}`);
  assert.match(message("self_test") ?? "", /^\d+ attacks denied in \d+ ms$/);
  const others = checks.filter(({ status }) => status !== "ok").map(({ id, status }) => `${id} ${status}`);
  assert.deepStrictEqual([ok, others], [true, ["shell_bash warning", "tools warning"]]);
});

test("without /proc the executable says that it needs it", async (user) => {
  using place = inside(user, { proc: false });
  assert.deepStrictEqual(await runProgram(place.bench, ["--version"], { prefix: place.prefix }), {
    code: 126,
    stdout: "",
    stderr: "Cannot start ahma_mcp: /proc/self/exe cannot be opened: mount /proc\n",
  });
});

test("in an empty root the executable starts by any name, from PATH, and without a home to write to", async (user) => {
  using place = inside(user);
  const { bench, prefix } = place;
  const starts = async (line: string, environment: Readonly<Record<string, string>> = {}) => {
    const shell = [...prefix, "/bin/sh", "-c", line, "sh"];
    const { stdout, stderr } = await runProgram(bench, ["--version"], {
      prefix: shell,
      environment: { ...PATH, ...environment },
    });
    assert.deepStrictEqual([stdout, stderr], [`ahma_mcp ${VERSION}\n`, ""], line);
  };
  for (const name of ["node", "a b"]) {
    await Deno.symlink(place.executable, `${bench.parent}/${name}`);
    await starts(`PATH=${bench.parent}; "${name}" --version`);
  }
  await starts('unset HOME; exec "$@"', { DENO_DIR: "" });
  // The rights of root reach further than the mode of a directory.
  await Deno.chmod(bench.home, 0o555);
  // The self-test runs commands in the sandbox.
  const environment = { ...PATH, DENO_DIR: "" };
  const { stdout } = await runProgram(bench, ["doctor", "--json"], { prefix, environment });
  const { checks }: { checks: { id: string; message: string }[] } = JSON.parse(stdout);
  assert.match(checks.find(({ id }) => id === "self_test")?.message ?? "", /^\d+ attacks denied in \d+ ms$/);
  assert.ok(checks.some(({ id }) => id === "compiled_code"), stdout);
  await Deno.chmod(bench.home, 0o755);
}, ONE_USER);
