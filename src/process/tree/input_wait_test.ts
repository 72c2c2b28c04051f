import assert from "node:assert/strict";
import { type InputSystem, waitsForInput } from "./input_wait.ts";

const OURS = "pipe:[7]";

function system(call: string, descriptors: Readonly<Record<number, string>>): InputSystem {
  return {
    processor: "x86_64",
    callsOf: () => ["202 0x0 0x1", call],
    descriptorsOf: (pid) =>
      new Map(pid === "self" ? [[20, OURS]] : Object.entries(descriptors).map(([fd, target]) => [Number(fd), target])),
  };
}

Deno.test("X23 waitsForInput() knows a read of the given input from other reads", () => {
  const rows: readonly (readonly [what: string, expected: boolean, system: InputSystem])[] = [
    ["read of the pipe that the server writes to", true, system("0 0x0 0x7ffc 0x400", { 0: OURS })],
    ["read of a terminal by another number", true, system("0 0x4 0x7ffc 0x1", { 0: "/dev/null", 4: "/dev/tty" })],
    ["select of stdin alone, as by readline", true, system("270 0x1 0x7ffc", { 0: "/dev/pts/0" })],
    ["select of more than stdin", false, system("270 0x5 0x7ffc", { 0: "/dev/pts/0" })],
    ["read of a pipe between two programs", false, system("0 0x0 0x7ffc", { 0: "pipe:[8]" })],
    ["read of a file", false, system("0 0x3 0x7ffc", { 3: "/tmp/file" })],
    ["a sleep", false, system("230 0x0 0x0", { 0: OURS })],
    ["running", false, system("running", { 0: OURS })],
    ["gone, or closed to this user", false, system("", {})],
  ];
  assert.deepStrictEqual(
    rows.map(([what, , one]) => [what, waitsForInput([1], one)]),
    rows.map(([what, expected]) => [what, expected]),
  );
});
