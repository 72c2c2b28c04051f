import assert from "node:assert/strict";
import { runProgram, runShellLine } from "./_support/terminal.ts";
import { programStart } from "./_support/program.ts";
import { Workbench } from "./_support/workbench.ts";

/** A tool that shows its argv, one word in brackets each. */
const SHOW = JSON.stringify({
  name: "show",
  command: "printf",
  description: "Shows words.",
  synchronous: true,
  subcommand: [{
    name: "words",
    description: "Shows words.",
    argv: ["[%s]"],
    end_of_options: false,
    options: [
      { name: "message", type: "string", alias: "m", description: "Text." },
      { name: "all", type: "boolean", description: "All." },
      { name: "max_count", type: "integer", description: "How many." },
    ],
    positional_args: [{ name: "names", type: "array", description: "Names." }],
  }],
});

Deno.test("L5 call gives options and words to the tool byte for byte, and its output comes alone on stdout", async () => {
  using bench = new Workbench();
  bench.write(".ahma/tools/show.json", SHOW);
  const words = ["--message", "a 'b' $(id)", "--max-count", "3", "--all", "x y", "*"];
  const { code, stdout, stderr } = await runProgram(bench, ["call", "show_words", ...words]);
  assert.deepStrictEqual([code, stdout], [0, "[-m][a 'b' $(id)][--all][--max_count][3][x y][*]"]);
  assert.match(stderr, /^\[op_\w+ completed, exit code 0, [\d.]+ m?s\]\n$/);
  const spoken = ["call", "show", "words", "--quiet", "--json", '{"message": "m"}', "a b", "c"];
  assert.deepStrictEqual(await runProgram(bench, spoken), { code: 0, stdout: "[-m][m][a b][c]", stderr: "" });
  const unknown = await runProgram(bench, ["call", "show", "wrods", "a b"]);
  const message =
    'Cannot call "show": subcommand "wrods" does not exist; did you mean "words"? expected one of words\n';
  assert.deepStrictEqual(unknown, { code: 2, stdout: "", stderr: message });
  const older = ["--tool_name", "show", "--tool_args", '{"subcommand":"words","message":"m"}', "--quiet"];
  assert.deepStrictEqual(await runProgram(bench, older.slice(0, 4)).then(({ stdout }) => stdout), "[-m][m]");
});

Deno.test("L5 S15 call runs in the sandbox, tells on stderr what that kept from the command, unless it is to be quiet, and ends with the exit code that shells use", async () => {
  using bench = new Workbench();
  const notes = bench.write(`${bench.home}/notes`, "text");
  const planted = `{ echo x > ${bench.elsewhere}/planted; } 2>/dev/null && exit 0`;
  const line = ["sandboxed_shell", `cat ~/notes 2>/dev/null || cat ~/notes; echo done; ${planted}; kill -9 $$`];
  const before = bench.outside();
  const { code, stdout, stderr } = await runProgram(bench, line);
  // The code that shells use where the command has none of its own. That of an ended time limit is in cli_usage_test.ts.
  assert.deepStrictEqual([code, stdout], [137, `cat: ${notes}: No such file or directory\ndone\n`]);
  assert.deepStrictEqual(
    stderr.split("\n")[0],
    `Sandbox: "${notes}" lies outside the scope; commands can neither read ` +
      `nor change it. A person can allow it: start the server with --read ${notes}.`,
  );
  const quiet = await runProgram(bench, [line[0] ?? "", "--quiet", line[1] ?? ""]);
  assert.deepStrictEqual([quiet.code, quiet.stdout], [code, stdout]);
  assert.doesNotMatch(quiet.stderr, /Sandbox:|op_/);
  assert.deepStrictEqual(bench.outside(), before);
});

Deno.test("L5 call refuses wrong arguments with exit code 2 before anything runs", async () => {
  using bench = new Workbench();
  bench.write(".ahma/tools/show.json", SHOW);
  const wrong = await runProgram(bench, ["call", "show_words", "--max-count", "many"]);
  assert.deepStrictEqual([wrong.code, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /^Cannot run "show_words": Argument "max_count" is "many", expected /);
  const outside = await runProgram(bench, ["sandboxed_shell", "--working-directory", "/", "--", "true"]);
  assert.deepStrictEqual([outside.code, outside.stdout], [2, ""]);
  const help = await runProgram(bench, ["call", "show_words", "--help"]);
  assert.deepStrictEqual([help.code, help.stderr], [0, ""]);
  assert.match(help.stdout, /^ {2}--message, -m\s+Text\. \(string\)$/m);
});

Deno.test("L5 call --result-json prints the MCP result, and call ends with the exit code of the command", async () => {
  using bench = new Workbench();
  const { code, stdout, stderr } = await runProgram(bench, [
    "sandboxed_shell",
    "--result-json",
    "--",
    "echo hi; exit 3",
  ]);
  const result = JSON.parse(stdout);
  const { status, exit_code } = result._meta["ahma/operation"];
  assert.deepStrictEqual([code, stderr, result.isError, status, exit_code], [3, "", undefined, "failed", 3]);
  assert.match(result.content[0].text, /^hi\n\[exit code 3, [\d.]+ m?s\]$/);
});

Deno.test("L5 call shows output while the command runs, and a signal ends the command with all its processes", async () => {
  using bench = new Workbench();
  const line = `echo ready; sleep 1000.${bench.marker.length} & wait`;
  const { command, args, environment } = programStart(bench, ["sandboxed_shell", "--quiet", "--", line]);
  const child = new Deno.Command(command, {
    args: [...args],
    cwd: bench.scope,
    clearEnv: true,
    env: { ...environment },
    stdout: "piped",
    stderr: "null",
    stdin: "null",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  assert.strictEqual(new TextDecoder().decode(value), "ready\n");
  await bench.processesAppear("sleep");
  child.kill("SIGINT");
  const { code } = await child.status;
  await reader.cancel();
  assert.strictEqual(code, 130);
  await bench.processesGone("sleep");
});

Deno.test("L5 call works in a shell's pipeline and offers the shipped tools", async () => {
  using bench = new Workbench();
  const line = "git init -q . && touch a && ahma_mcp call git_status --short | cat";
  const { code, stdout } = await runShellLine(bench, ["bash", "-c"], line);
  assert.deepStrictEqual([code, stdout], [0, "?? a\n"]);
});

Deno.test("L5 X15 call passes piped input to the tool when asked to", async () => {
  using bench = new Workbench();
  const line = "printf 'a\\nb' | ahma_mcp sandboxed_shell --quiet --stdin - -- 'wc -c; echo done'";
  const { code, stdout } = await runShellLine(bench, ["bash", "-c"], line);
  assert.deepStrictEqual([code, stdout], [0, "3\ndone\n"]);
});

Deno.test("L1 L5 a command's output that cannot be written is an error of call, whatever the command's exit code", async () => {
  using bench = new Workbench();
  const { code, stderr } = await runShellLine(
    bench,
    ["bash", "-c"],
    "ahma_mcp call sandboxed_shell 'echo hi' >/dev/full",
  );
  const [status, problem, ...rest] = stderr.split("\n");
  assert.match(status ?? "", /^\[op_\w+ (?:completed|cancelled), /);
  assert.deepStrictEqual(
    [code, problem, rest],
    [1, "Cannot write the output: No space left on device (os error 28)", [""]],
  );
});

Deno.test("L1 an answer that cannot be written is a plain message and exit code 1", async () => {
  using bench = new Workbench();
  const { code, stderr } = await runShellLine(bench, ["bash", "-c"], "ahma_mcp --version >/dev/full");
  assert.deepStrictEqual([code, stderr], [1, "Cannot write the answer: No space left on device (os error 28)\n"]);
});
