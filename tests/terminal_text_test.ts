/** What a hostile project, tool file or command may draw on the terminal of a person: colours, nothing else. */
import assert from "node:assert/strict";
import { runOnTerminal, runProgram } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";

/** Fills the clipboard, clears the screen, turns the text around. */
const EVIL = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b2J\u202e";
const WRITTEN_OUT = String.raw`\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u009b2J\u202e`;

/** What may not reach a terminal: all controls but tab, line feed, carriage return and colours, and turned text. */
// deno-lint-ignore no-control-regex -- they are what is looked for
const HARMFUL = /[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u202e]|\x1b(?!\[[\d;:]*m)/;

function hostileProject(): Workbench {
  const bench = new Workbench();
  const tool = (name: string, more: Record<string, unknown>) =>
    bench.write(
      `.ahma/tools/${name}.json`,
      JSON.stringify({ name, command: "true", description: "A tool.", ...more }),
    );
  tool("key", { [`a${EVIL}b`]: 1 });
  tool("program", { command: `missing${EVIL}`, availability_check: { command: `no-${EVIL}` } });
  bench.write(".ahma/tools/syntax.json", `{ "name": \u202e }`);
  bench.write(".ahma/settings.json", JSON.stringify({ [`key${EVIL}`]: true }));
  return bench;
}

Deno.test("S22 a terminal shows what a hostile project wrote as text", async () => {
  using bench = hostileProject();
  for (const words of [["validate"], ["doctor"], ["list-tools"], ["call", "sandboxed_shell", "true"]]) {
    const { stdout } = await runOnTerminal(bench, words);
    assert.doesNotMatch(stdout, HARMFUL, words.join(" "));
    assert.ok(stdout.includes(WRITTEN_OUT), `${words.join(" ")}: ${JSON.stringify(stdout)}`);
  }
});

Deno.test("S22 the output of a command keeps its colours on a terminal and every byte in a pipe", async () => {
  using bench = new Workbench();
  const drawn = `\x1b[1;31mred\x1b[0m ${EVIL}a\x1b]0;title\x1b\\b\x1b[3Ac\x1b(0d\x1b[38:5:9me\n`;
  bench.write("drawn", drawn);
  const piped = await runProgram(bench, ["sandboxed_shell", "--quiet", "cat drawn"]);
  assert.deepStrictEqual(piped, { code: 0, stdout: drawn, stderr: "" });
  const onTerminal = await runOnTerminal(bench, ["sandboxed_shell", "--quiet", "cat drawn"]);
  assert.deepStrictEqual(onTerminal.stdout, "\x1b[1;31mred\x1b[0m abcd\x1b[38:5:9me\r\n\x1b[0m");
});
