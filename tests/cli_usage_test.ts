/** The command line as a person meets it: help, mistakes, exit codes, settings, pipes and terminals. */
import assert from "node:assert/strict";
import { SERVER_PERMISSIONS } from "../scripts/permissions.ts";
import { RUN_FLAGS } from "../src/app/program/own_program.ts";
import { runOnTerminal, runProgram, runShellLine } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";

/** Whether a text holds escape sequences. */
function isColoured(text: string): boolean {
  return text.includes("\x1b[");
}

Deno.test("L1 help is coloured on a terminal", async () => {
  using bench = new Workbench();
  const { code, stdout } = await runOnTerminal(bench, ["--help"]);
  assert.deepStrictEqual([code, isColoured(stdout)], [0, true]);
});

// One mistake for each place that finds some; their words are tested beside these. That of a flag's value is below.
Deno.test("L1 wrong usage is exit code 2 with a suggestion, and nothing on stdout", async () => {
  using bench = new Workbench();
  const cases: readonly (readonly [words: readonly string[], message: string])[] = [
    [["valdate"], 'Unexpected argument "valdate": did you mean "validate"?'],
    [
      ["completions", "bsh"],
      'Cannot print completions for "bsh": expected one of bash, zsh, fish; did you mean "bash"?',
    ],
    [["--tool_args", "{}"], 'Cannot call a tool: its name is missing, as in "ahma_mcp call git_status --short"'],
    [["--shell", "/nonexistent"], 'Cannot find the shell "/nonexistent": give the path of bash, zsh or sh'],
    [
      ["call", "sandboxed_shel", "x"],
      'Cannot call "sandboxed_shel": there is no such tool; did you mean "sandboxed_shell"?',
    ],
    [
      ["--tool_name", "x", "--tool_args", "[]"],
      `Cannot use flag "--tool-args": [] is not a JSON object, as in '{"name": "value"}'`,
    ],
  ];
  for (const [words, message] of cases) {
    assert.deepStrictEqual(await runProgram(bench, words), { code: 2, stdout: "", stderr: `${message}\n` });
  }
});

Deno.test("L1 a reader that closes the pipe early causes no error", async () => {
  using bench = new Workbench();
  const line = "set -o pipefail; ahma_mcp schema | head -n 1; echo $? >&2; ahma_mcp --help | true; echo $? >&2; " +
    "ahma_mcp call --quiet sandboxed_shell -- 'yes' | head -n 1; true";
  const { stdout, stderr } = await runShellLine(bench, ["bash", "-c"], line);
  assert.deepStrictEqual([stdout, stderr], ["{\ny\n", "0\n0\n"]);
});

Deno.test("L1 in a directory whose path is not UTF-8 the program says so and does not start", async () => {
  using bench = new Workbench();
  assert.deepStrictEqual(
    await runShellLine(bench, ["bash", "-c"], "mkdir $'\\xff' && cd $'\\xff' && ahma_mcp list-tools"),
    {
      code: 1,
      stdout: "",
      stderr: `Cannot start in this directory: File name or path "${bench.scope}/\\xFF" is not valid UTF-8. ` +
        "Start in another one\n",
    },
  );
});

Deno.test("L4 schema prints the published schema, or writes it", async () => {
  using bench = new Workbench();
  const published = await Deno.readTextFile(new URL("../schema/mtdf.schema.json", import.meta.url));
  assert.deepStrictEqual(await runProgram(bench, ["schema"]), { code: 0, stdout: published, stderr: "" });
  const written = await runProgram(bench, ["schema", "--write", "s.json"]);
  assert.deepStrictEqual(written, { code: 0, stdout: "", stderr: "Wrote s.json\n" });
  assert.strictEqual(await Deno.readTextFile(`${bench.scope}/s.json`), published);
  const refused = await runProgram(bench, ["schema", "--write", "missing/s.json"]);
  assert.deepStrictEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /^Cannot write the schema to "missing\/s\.json": /);
});

Deno.test("L1 L7 settings come from the project's file, and never what loosens the sandbox; names of repeated flags add up", async () => {
  using bench = new Workbench();
  bench.write(".ahma/settings.json", '{"no_sandbox": true, "timeout": 2, "write": "/"}');
  const outside = `${bench.elsewhere}/planted`;
  const line = `echo $FIRST $SECOND $THIRD; echo x > ${outside}; sleep 60`;
  const words = ["--env", "FIRST,SECOND", "--env", "THIRD", "sandboxed_shell", "--", line];
  const environment = { FIRST: "1", SECOND: "2", THIRD: "3" };
  const { code, stdout, stderr } = await runProgram(bench, words, { environment });
  assert.deepStrictEqual([code, stdout.split("\n")[0]], [124, "1 2 3"], stderr);
  assert.match(stderr, /^Warning: setting "no_sandbox" of ".*\/\.ahma\/settings\.json" is ignored: a project may not/m);
  assert.match(stderr, /^Warning: setting "write" .*"--write"/m);
  assert.match(stderr, /time limit of 2 s/);
  assert.deepStrictEqual(await Array.fromAsync(Deno.readDir(bench.elsewhere)), []);
});

Deno.test("L1 L7 bundles of every source add up where a person would repeat them", async () => {
  using bench = new Workbench();
  bench.write(".ahma/settings.json", '{"bundles": "make"}');
  bench.write(`${bench.home}/.config/ahma/settings.json`, '{"bundles": ["git"]}');
  const groups = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await runProgram(bench, ["list-tools", ...words]);
    const tools = stdout.trimEnd().split("\n").flatMap((line) => /^(git|make|deno)_/.exec(line)?.[1] ?? []);
    return [code, stderr, ...new Set(tools)];
  };
  assert.deepStrictEqual(await groups(), [0, "", "git", "make"]);
  assert.deepStrictEqual(await groups("--bundles", "git", "--bundles", "deno"), [0, "", "deno", "git"]);
});

Deno.test("L7 a setting that is given twice is refused with both values", async () => {
  using bench = new Workbench();
  const text = '{\n  "sandbox_scope": "/a",\n  "sandbox_scope": "/b"\n}';
  const file = bench.write(`${bench.home}/.config/ahma/settings.json`, text);
  assert.deepStrictEqual(await runProgram(bench, ["sandboxed_shell", "--", "echo hi"]), {
    code: 2,
    stdout: "",
    stderr:
      `Cannot use settings file ${file}:2:3: Setting "sandbox_scope" is given as "/a" and as "/b": write one list\n`,
  });
});

// That a mistake in it is refused with its place is below.
Deno.test("L7 L8 the user's file may loosen the sandbox, loudly, and a variable goes before it; the daily log names session and operation, and no log has colour in a pipe", async () => {
  using bench = new Workbench();
  bench.write(`${bench.home}/.config/ahma/settings.json`, '{"no_sandbox": true}');
  const line = "echo --password=hunter2; exit 3";
  const loud = await runProgram(bench, ["sandboxed_shell", "--", line], { environment: { AHMA_DEBUG: "1" } });
  assert.deepStrictEqual([loud.code, loud.stdout], [3, "--password=hunter2\n"]);
  assert.match(loud.stderr, /^Warning: Sandbox off \(--no-sandbox\)/);
  await assertDailyLog(bench, /op_\w+/.exec(loud.stderr)?.[0] ?? "");
  const words = ["--log-to-stderr", "--debug", "sandboxed_shell", "--", "echo hi"];
  const { stderr } = await runProgram(bench, words, { environment: { AHMA_NO_SANDBOX: "0", NO_COLOR: "" } });
  assert.doesNotMatch(stderr, /Sandbox off/);
  assert.match(stderr, /Z DEBUG [0-9a-f]{8} Operation \{/);
  // On a terminal it is coloured: below.
  assert.ok(!isColoured(stderr), stderr);
});

// That every subcommand explains itself is tested beside the help.
Deno.test("L1 L7 what needs no settings, or looks for mistakes, works with broken ones; a subcommand explains itself with examples, without colour in a pipe", async () => {
  using bench = new Workbench();
  const file = bench.write(`${bench.home}/.config/ahma/settings.json`, '{ "timeout": "x" }');
  const problem = `Cannot use settings file ${file}:1:14: Setting "timeout": "x" is not a number`;
  const environment = { AHMA_SYNC: "maybe", NO_COLOR: "" };
  const run = async (...words: readonly string[]) => await runProgram(bench, words, { environment });
  const explained = await run("help", "validate");
  assert.deepStrictEqual([explained.code, explained.stderr, isColoured(explained.stdout)], [0, "", false]);
  assert.match(explained.stdout, /^ahma_mcp validate: [^]*^Examples\n {2}\S/m);
  for (const words of [["completions", "bash"], ["init"]]) {
    const { code, stderr } = await run(...words);
    assert.deepStrictEqual([words, code, stderr], [words, 0, ""]);
  }
  const warning = `Warning: ${problem}; these settings are ignored here\n1 file, 0 errors, 0 warnings\n`;
  assert.deepStrictEqual(await run("validate"), { code: 0, stdout: "", stderr: warning });
  const { code, stdout, stderr } = await run("doctor", "--json");
  const { checks }: { checks: { id: string; status: string; message: string }[] } = JSON.parse(stdout);
  assert.deepStrictEqual([code, stderr, checks.filter(({ status }) => status === "failed")], [1, "", [{
    id: "settings",
    title: "settings",
    status: "failed",
    message: `${problem}. The server does not start; the checks below leave these settings out`,
  }]]);
  assert.ok(checks.some(({ id }) => id === "write_outside"), stdout);
  assert.deepStrictEqual(await run("doctor", "--sandbox"), { code: 2, stdout: "", stderr: `${problem}\n` });
  assert.deepStrictEqual(await run(), { code: 2, stdout: "", stderr: `${problem}\n` });
  // A mistake on the command line is none of the settings.
  const typed = 'Cannot use flag "--timeout": "y" is not a number from 0.001 to 2147483\n';
  assert.deepStrictEqual(await run("doctor", "--timeout", "y"), { code: 2, stdout: "", stderr: typed });
});

Deno.test("L1 the server says on a terminal that it waits, and names a missing tools directory", async () => {
  using bench = new Workbench();
  const waits = 'ahma_mcp waits for an MCP client on stdin: "ahma_mcp help" lists the commands, Ctrl-C ends it';
  const warning = 'Warning: No tool file is read from "toosl" (--tools-dir): there is no such directory yet';
  const { code, stdout } = await runOnTerminal(bench, ["--tools-dir", "toosl"]);
  const said = [waits, warning].map((line) => stdout.replaceAll("\r\n", "\n").includes(`${line}\n`));
  assert.deepStrictEqual([code, said], [0, [true, true]], stdout);
});

/** The daily log names session and operation, without colour and without secrets. */
async function assertDailyLog(bench: Workbench, id: string): Promise<void> {
  const folder = `${bench.home}/.cache/ahma_mcp/logs`;
  const [file] = await Array.fromAsync(Deno.readDir(folder));
  const lines = (await Deno.readTextFile(`${folder}/${file?.name}`)).trimEnd().split("\n");
  const sessions = new Set(lines.map((one) => /^\S+Z (?:DEBUG|INFO |WARN |ERROR) ([0-9a-f]{8}) /.exec(one)?.[1]));
  assert.strictEqual(sessions.size, 1, lines.join("\n"));
  assert.ok(!sessions.has(undefined), lines.join("\n"));
  const told = lines.filter((one) => one.includes(`"operation":"${id}"`));
  assert.deepStrictEqual(told.map((one) => JSON.parse(one.slice(one.indexOf("{")))), [
    { operation: id, tool: "sandboxed_shell", state: "running" },
    { operation: id, tool: "sandboxed_shell", state: "failed", exitCode: 3 },
  ]);
  assert.ok(!lines.some((one) => one.includes("hunter2") || isColoured(one)), lines.join("\n"));
}

Deno.test("L8 --log-to-stderr is coloured on a terminal", async () => {
  using bench = new Workbench();
  const words = ["call", "--log-to-stderr", "--debug", "--quiet", "sandboxed_shell", "--", "true"];
  const terminal = await runOnTerminal(bench, words);
  assert.ok(isColoured(terminal.stdout), terminal.stdout);
});

Deno.test("L6 RUN_FLAGS are the permissions that the scripts give", () => {
  assert.deepStrictEqual(RUN_FLAGS, ["--no-prompt", ...SERVER_PERMISSIONS]);
});
