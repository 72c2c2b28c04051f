import assert from "node:assert/strict";
import { leftRunning } from "./background_processes.ts";
import { chooseShell, lineArguments, prewarmedArguments } from "./shell.ts";

function left(...lines: readonly (string | undefined)[]) {
  return leftRunning(1, { childrenOf: () => lines.map((_, index) => index), commandLineOf: (pid) => lines[pid] });
}

Deno.test("X17 leftRunning() names living children, cleaned and cut, and counts the rest", () => {
  assert.deepStrictEqual(left(), undefined);
  assert.deepStrictEqual(left("", undefined), undefined);
  assert.deepStrictEqual(left("sleep\x00300\x00", ""), { commands: ["sleep 300"], more: 0 });
  assert.deepStrictEqual(left("a\0", "b\0", "c\0", "d\0", "e\0"), { commands: ["a", "b", "c"], more: 2 });
  assert.deepStrictEqual(left("\x1b]52;c;x\x07sh\x00-c\x00a\n\u202eb\0"), { commands: ["sh -c a b"], more: 0 });
  assert.deepStrictEqual(left("x".repeat(100)), { commands: [`${"x".repeat(80)}...`], more: 0 });
});

Deno.test("X17 leftRunning() says of a part of the line itself that it is one", () => {
  const bash = chooseShell("/bin/bash", []);
  assert.ok(bash.ok);
  const lines = [lineArguments(bash.value, "(sleep 1) &"), prewarmedArguments(bash.value)].map((words) =>
    words.join("\0")
  );
  const part = "a background part of the line";
  assert.deepStrictEqual(left(...lines, "bash\0-c\0x"), { commands: [part, part, "bash -c x"], more: 0 });
});
