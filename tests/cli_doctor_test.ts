import assert from "node:assert/strict";
import { clientSettings } from "../src/cli/commands/clients/client_settings.ts";
import { ENTRY_NETWORK } from "../src/cli/commands/clients/entry_network.ts";
import { runningProgram } from "../src/app/program/own_program.ts";
import { testRuntime } from "./_support/runtime.ts";
import { runOnTerminal, runProgram } from "./_support/terminal.ts";
import { exists, Workbench } from "./_support/workbench.ts";

const IN_CONTAINER = Deno.build.os === "linux" && exists("/usr/bin/unshare");
/** As process 1 of a PID namespace, which ends with it. */
const FIRST_PROCESS = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];

interface Check {
  readonly id: string;
  readonly status: string;
  readonly message: string;
}

function statuses(checks: readonly Check[]): Record<string, string> {
  return Object.fromEntries(checks.map(({ id, status }) => [id, status]));
}

/** What is said of a check. */
function messageOf(checks: readonly Check[], wanted: string): string {
  return checks.find(({ id }) => id === wanted)?.message ?? assert.fail(JSON.stringify(checks));
}

// As root it is a plain list below.
Deno.test("L6 S35 doctor tests the sandbox, finds every layer working, and says that no person is asked", async () => {
  using bench = new Workbench("ordinary");
  const before = bench.outside();
  const { code, stdout, stderr } = await runProgram(bench, ["doctor", "--json"]);
  assert.deepStrictEqual([code, stderr], [0, ""], stdout);
  const { ok, checks, clients } = JSON.parse(stdout);
  const { machine, landlock, write_inside, write_outside, read_outside, signal_server } = statuses(checks);
  assert.deepStrictEqual(
    [ok, machine, landlock, write_inside, write_outside, read_outside, signal_server],
    [true, "ok", "ok", "ok", "ok", "ok", "ok"],
  );
  assert.match(messageOf(checks, "ask"), /^off: .*--ask asks you in the client$/);
  const { deno, bundle, executable } = testRuntime("ordinary");
  const program = executable === undefined
    ? runningProgram({ mainModule: `file://${bundle}`, executable: deno, standalone: false, exists })
    : { command: executable, args: [], environment: {} };
  assert.deepStrictEqual(
    clients,
    JSON.parse(JSON.stringify(await clientSettings(program, bench.scope, ENTRY_NETWORK))),
  );
  assert.deepStrictEqual(bench.outside(), before);
  const scopes = `${bench.home}/.cache/ahma_mcp/scopes`;
  const caches = (await Array.fromAsync(Deno.readDir(scopes))).filter(({ name }) => name.endsWith(".scope"));
  assert.deepStrictEqual(caches.map(({ name }) => Deno.readTextFileSync(`${scopes}/${name}`)), [bench.scope]);
});

Deno.test({
  name: `L6 doctor finds the sandbox whole where the server is the first process, as in a container${
    IN_CONTAINER ? "" : " (ignored: needs namespaces, on Linux)"
  }`,
  ignore: !IN_CONTAINER,
  fn: async () => {
    using bench = new Workbench("ordinary");
    const prefix = ["unshare", "--user", "--map-current-user", ...FIRST_PROCESS];
    const { code, stdout } = await runProgram(bench, ["doctor", "--json"], { prefix });
    assert.deepStrictEqual([code, statuses(JSON.parse(stdout).checks)["signal_server"]], [0, "ok"], stdout);
  },
});

Deno.test("S3 doctor --sandbox has one row a capability, from what the kernel answers", async () => {
  using bench = new Workbench();
  const { code, stdout, stderr } = await runProgram(bench, ["doctor", "--sandbox", "--json"]);
  assert.deepStrictEqual([code, stderr], [0, ""], stdout);
  const { sandbox, rows } = JSON.parse(stdout);
  const gaps = rows.filter(({ state }: { readonly state: string }) => state !== "enforced");
  assert.deepStrictEqual([sandbox, gaps.map(({ id }: Check) => id)], [true, ["new_protected", "network"]]);
});

Deno.test("S3 doctor --sandbox is a list with a mark for each row, and says when nothing is denied", async () => {
  using bench = new Workbench("ordinary");
  const text = await runProgram(bench, ["doctor", "--sandbox"]);
  assert.match(text.stdout, /^enforced {2}write outside +Landlock ABI \d+, read-only mounts$/m);
  assert.deepStrictEqual(text.stdout.split("\n").slice(2, -1).flatMap((row) => /^(?!enforced )\w+/.exec(row) ?? []), [
    "partly",
    "allowed",
  ]);
  const off = await runProgram(bench, ["doctor", "--sandbox", "--no-sandbox"]);
  assert.match(off.stdout, /^off \(--no-sandbox\): nothing is denied$/m);
});

Deno.test("L6 S35 doctor fails where the server would not start, and says why, and who may answer with --ask", async () => {
  using bench = new Workbench();
  const flags = ["--require-abi", "99", "--ask", "read,write"];
  const { code, stdout } = await runProgram(bench, ["doctor", "--json", ...flags]);
  const { ok, checks } = JSON.parse(stdout);
  assert.deepStrictEqual([code, ok, statuses(checks)["server"]], [1, false, "failed"]);
  assert.match(messageOf(checks, "server"), /^Cannot start with --require-abi 99/);
  assert.match(
    messageOf(checks, "ask"),
    /^--ask read,write: your client decides .* a hook or a model do it\. Without --ask nothing is asked; ahma_mcp grants/,
  );
});

Deno.test("L6 S14 doctor is a coloured list on a terminal, of bad tool files and prompts, and missing programs, with their remedies, and says that the sandbox is off", async () => {
  using bench = new Workbench();
  bench.write(".ahma/tools/bad.json", "{");
  bench.write(".ahma/prompts/bad.md", "{% if x %}");
  const tool = {
    command: "no-such-program-here",
    description: "x",
    synchronous: true,
    install_instructions: "Get it.",
  };
  bench.write(".ahma/tools/x.json", JSON.stringify(tool));
  const { code, stdout } = await runOnTerminal(bench, ["doctor", "--no-sandbox"]);
  const lines = stdout.split("\r\n");
  assert.strictEqual(code, 0);
  assert.match(lines[0] ?? "", /^Warning: Sandbox off/);
  const [ok, warning] = ["\x1b[32mok      \x1b[0m", "\x1b[33m!       \x1b[0m"];
  const prompt = `${bench.scope}/.ahma/prompts/bad.md:1:1: error: Tag {% if x %} not closed`;
  for (
    const [mark, what, said] of [
      [ok, "machine", ""],
      [warning, "Landlock", ""],
      [warning, "tool file left out", `${bench.scope}/.ahma/tools/bad.json:1:2: error: The file is not valid JSON`],
      [warning, "not available", "no-such-program-here: "],
      [ok, "prompts", "1 prompt"],
      [warning, "prompt file", prompt],
    ] as const
  ) assert.ok(lines.some((line) => line.startsWith(mark + what.padEnd(20) + said)), `${what}: ${stdout}`);
  assert.match(stdout, /no-such-program-here: .*\. Get it\.\r\n/);
});

Deno.test("L6 doctor is a plain list in a pipe", async () => {
  using bench = new Workbench();
  const pipe = await runProgram(bench, ["doctor"], { environment: { NO_COLOR: "" } });
  assert.ok(!pipe.stdout.includes("\x1b"), pipe.stdout);
  for (
    const [what, said] of [
      ["machine", ".*"],
      ["Landlock", "ABI .*"],
      ["write inside the scope", "allowed"],
      ["write outside the scope", "denied"],
      ["read outside the scope", "denied"],
      ["signal the server", "denied"],
    ]
  ) assert.match(pipe.stdout, new RegExp(`^ok {6}${what} {2,}${said}$`, "m"));
  assert.strictEqual(pipe.code, 0);
  assert.match(
    pipe.stdout,
    /^Settings for your client\n\nahma_mcp init --client NAME .*\n {2}claude, .*\n(.*\n)+ {6}"Ahma": \{$/m,
  );
});

Deno.test("L1 init follows no link of the project to another place", async () => {
  using bench = new Workbench();
  // src/cli/commands/clients/settings_file_test.ts has links in place of a client's files.
  await Deno.symlink(bench.elsewhere, `${bench.scope}/.ahma`);
  const { code, stdout, stderr } = await runProgram(bench, ["init"]);
  const why = "is a link, which may lead out of the project. Remove it, or write the file by hand";
  assert.deepStrictEqual([code, stdout, stderr], [1, "", `"${bench.scope}/.ahma" ${why}\n`]);
  assert.deepStrictEqual(await Array.fromAsync(Deno.readDir(bench.elsewhere)), []);
});

Deno.test("S2 without a home directory the server does not start, and says why", async () => {
  using bench = new Workbench();
  const prefix = ["env", "-u", "HOME"];
  const { code, stdout, stderr } = await runProgram(bench, ["--log-to-stderr"], { prefix });
  assert.deepStrictEqual([code, stdout], [1, ""]);
  assert.strictEqual(
    stderr.split("\n").at(-2),
    "Cannot set up the sandbox: HOME is not set, so the user's credentials cannot be told from other files. " +
      "Set HOME to the user's home directory",
  );
  const off = await runProgram(bench, ["--no-sandbox", "sandboxed_shell", "--quiet", "echo ran"], { prefix });
  assert.deepStrictEqual([off.code, off.stdout], [0, "ran\n"]);
});

Deno.test("S44 init leaves the list out, and says why, where it cannot be enforced or settings choose another network", async () => {
  using bench = new Workbench("ordinary");
  const init = async (prefix: readonly string[] = []) => {
    const ran = await runProgram(bench, ["init", "--client", "claude", "--dry-run"], { prefix });
    assert.deepStrictEqual([ran.code, ran.stderr], [0, ""]);
    return [
      ran.stdout.includes('"packages,git-hosts"'),
      /^(?:Commands reach|The entry has) .*$/m.exec(ran.stdout)?.[0],
    ];
  };
  const without = [
    ...["unshare", "--user", "--map-current-user", "--keep-caps", "sh", "-c"],
    'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --ambient-caps=-all --inh-caps=-all "$@"',
    "sh",
  ];
  const [listed, said] = await init(without);
  assert.ok(listed !== true);
  assert.match(
    String(said),
    /^The entry has no list of hosts, so that commands reach every one: Cannot restrict commands to the names of --network/,
  );
  bench.write(`${bench.home}/.config/ahma/settings.json`, '{"network": ["a.example.test"]}');
  assert.deepStrictEqual(await init(), [
    false,
    `Commands reach what your settings say (--network a.example.test:80,443); the entry names no other list.`,
  ]);
});

Deno.test("L1 S44 init writes a first tool that works, overwrites nothing, and names the hosts of a project's files, of which it opens none", async () => {
  using bench = new Workbench();
  bench.write("package.json", "{}");
  bench.write(".npmrc", "registry=https://npm.example.test:8443/\n");
  bench.write(".git/config", '[remote "origin"]\n\turl = https://git.example.test/x.git\n');
  const first = await runProgram(bench, ["init", "--client", "vscode"]);
  assert.deepStrictEqual([first.code, first.stderr], [0, ""]);
  assert.deepStrictEqual(first.stdout.split("\n").slice(0, 3), [
    ".vscode/mcp.json written",
    ".ahma/schema/mtdf.schema.json written",
    ".ahma/tools/hello.json written",
  ]);
  const entry = JSON.parse(await Deno.readTextFile(`${bench.scope}/.vscode/mcp.json`));
  assert.ok(entry.servers.Ahma.command.startsWith("/"));
  assert.deepStrictEqual(entry.servers.Ahma.args.slice(-2), ENTRY_NETWORK);
  assert.ok(!JSON.stringify(entry).includes("example.test"));
  assert.match(
    first.stdout,
    /^This project's files name more hosts: add npm\.example\.test:8443,git\.example\.test:443 if you trust them\.$/m,
  );
  assert.match(
    first.stdout,
    /^Commands reach only package registries and git hosts \(--network packages,git-hosts in the entry\): add hosts/m,
  );
  assert.strictEqual((await runProgram(bench, ["validate", "--strict"])).code, 0);
  const called = await runProgram(bench, ["call", "hello_greet", "new world", "--quiet"]);
  assert.deepStrictEqual(called, { code: 0, stdout: "Hello, new world\n", stderr: "" });
  bench.write(".vscode/mcp.json", "mine");
  const again = await runProgram(bench, ["init", "--client", "vscode"]);
  const why = 'Cannot read ".vscode/mcp.json" as JSON: Invalid symbol in line 1. Correct it first\n';
  assert.deepStrictEqual(again, { code: 1, stdout: "", stderr: why });
  const alone = await runProgram(bench, ["init"]);
  assert.match(alone.stdout, /^\.ahma\/tools\/hello\.json exists and was left as it is$/m);
  assert.strictEqual(await Deno.readTextFile(`${bench.scope}/.vscode/mcp.json`), "mine");
});
