import assert from "node:assert/strict";
import { runOnTerminal, runProgram } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";

const GOOD = '{\n  "command": "echo",\n  "description": "Prints words.",\n  "synchronous": true\n}\n';
const UNKNOWN = '{\n  "command": "echo",\n  "synchronous": true,\n  "optons": []\n}\n';

Deno.test("L3 validate finds no problem in the shipped tools", async () => {
  using bench = new Workbench();
  const tools = new URL("../tools", import.meta.url).pathname;
  for await (const { name } of Deno.readDir(tools)) {
    bench.write(`tools/${name}`, await Deno.readTextFile(`${tools}/${name}`));
  }
  const { code, stdout, stderr } = await runProgram(bench, ["validate", "tools", "--strict"]);
  assert.deepStrictEqual([code, stdout], [0, ""]);
  assert.match(stderr, /^\d+ files, 0 errors, 0 warnings\n$/);
});

Deno.test("L3 validate names every problem with file, line and column, and fails", async () => {
  using bench = new Workbench();
  bench.write("tools/good.json", GOOD);
  bench.write("tools/unknown.json", UNKNOWN);
  bench.write("tools/cut.json", '{\n  "command": "echo",\n');
  const all = await runProgram(bench, ["validate"]);
  assert.deepStrictEqual([all.code, all.stderr], [1, "3 files, 2 errors, 0 warnings\n"]);
  const lines = all.stdout.trimEnd().split("\n");
  assert.match(lines[0] ?? "", /^tools\/cut\.json:3:1: error: The file is not valid JSON/);
  assert.match(lines[1] ?? "", /^tools\/unknown\.json:4:3: error: Field "optons" is unknown; did you mean "options"\?/);
  const missing = await runProgram(bench, ["--validate", "tools/good.json", "tools/none.json"]);
  assert.deepStrictEqual([missing.code, missing.stderr], [1, "2 files, 1 error, 0 warnings\n"]);
});

Deno.test("L3 validate shows the line and a mark in colour on a terminal", async () => {
  using bench = new Workbench();
  bench.write("tools/unknown.json", UNKNOWN);
  const { code, stdout } = await runOnTerminal(bench, ["validate"]);
  const lines = stdout.split("\r\n");
  assert.strictEqual(code, 1);
  assert.ok(lines[0]?.startsWith("\x1b[1mtools/unknown.json:4:3\x1b[0m: \x1b[31merror\x1b[0m: "), lines[0]);
  assert.deepStrictEqual(lines.slice(1, 3), ['    "optons": []', "    \x1b[31m^\x1b[0m"]);
});

Deno.test("L3 validate reports duplicate keys in an otherwise good file, and only --strict fails for them", async () => {
  using bench = new Workbench();
  bench.write(
    "a.json",
    '{\n  "command": "echo",\n  "description": "One.",\n  "description": "Two.",\n  "synchronous": true\n}\n',
  );
  const loose = await runProgram(bench, ["validate", "a.json", "--json"]);
  const report = JSON.parse(loose.stdout);
  assert.deepStrictEqual([loose.code, report.files, report.errors, report.warnings], [0, ["a.json"], 0, 1]);
  const [{ severity, file, line, pointer }] = report.problems;
  assert.deepStrictEqual([severity, file, line, pointer], ["warning", "a.json", 3, "/description"]);
  assert.strictEqual((await runProgram(bench, ["validate", "a.json", "--strict"])).code, 1);
});

Deno.test("L3 validate checks one file with its neighbours in the directory", async () => {
  using bench = new Workbench();
  const steps = '[{ "tool": "echo" }]';
  for (const directory of ["with", "without"]) {
    bench.write(
      `${directory}/all.json`,
      `{"name": "all", "command": "sequence", "description": "All.", "sequence": ${steps}}`,
    );
  }
  bench.write("with/echo.json", GOOD);
  const { code, stdout } = await runProgram(bench, ["validate", "with/all.json", "without/all.json"]);
  const errors = stdout.split("\n").filter((line) => line.includes(": error: ")).map((line) => line.split("/")[0]);
  assert.deepStrictEqual([code, errors], [1, ["without"]], stdout);
});
