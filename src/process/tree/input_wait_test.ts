import assert from "node:assert/strict";
import { OWN_CALLS, THIS_PROCESSOR } from "../../system/syscalls.ts";
import { type InputSystem, inputWait } from "./input_wait.ts";

const READ = OWN_CALLS.read;
const SELECT = THIS_PROCESSOR === "x86_64" ? 270 : 72;
const OURS = "pipe:[7]";
const OUTPUT = "pipe:[9]";

function system(call: string, descriptors: Readonly<Record<number, string>>, unread = 0): InputSystem {
  return {
    unread: (place) => place === 21 || place === "/proc/1/fd/4" ? unread : 0,
    callsOf: () => new Map([[1, "202 0x0 0x1"], [2, call]]),
    waitsOf: () => "17",
    descriptorsOf: (pid) =>
      new Map(
        pid === "self"
          ? [[20, OURS], [21, OUTPUT]]
          : Object.entries(descriptors).map(([fd, target]) => [Number(fd), target]),
      ),
  };
}

Deno.test("X23 inputWait() knows a read of the given input from other reads", () => {
  const rows: readonly (readonly [what: string, expected: boolean, system: InputSystem])[] = [
    ["read of the pipe that the server writes to", true, system(`${READ} 0x0 0x7ffc 0x400`, { 0: OURS })],
    ["read, and all that it wrote is read", true, system(`${READ} 0x0 0x7ffc`, { 0: OURS, 1: OUTPUT })],
    ["read, and what it wrote is not read yet", false, system(`${READ} 0x0 0x7ffc`, { 0: OURS, 1: OUTPUT }, 1)],
    ["read of a terminal that has not seen what was typed", false, system(`${READ} 0x4 0x7ffc`, { 4: "/dev/tty" }, 1)],
    ["read of a terminal by another number", true, system(`${READ} 0x4 0x7ffc 0x1`, { 0: "/dev/null", 4: "/dev/tty" })],
    [
      "select of stdin alone, as by readline",
      true,
      system(`${SELECT} 0x1 0x7ffc 0x0 0x0 0x0 0x0`, { 0: "/dev/pts/0" }),
    ],
    ["select of stdin for a time", false, system(`${SELECT} 0x1 0x7ffc 0x0 0x0 0x7ffd 0x0`, { 0: "/dev/pts/0" })],
    ["select of more than stdin", false, system(`${SELECT} 0x5 0x7ffc 0x0 0x0 0x0 0x0`, { 0: "/dev/pts/0" })],
    ["read of a pipe between two programs", false, system(`${READ} 0x0 0x7ffc`, { 0: "pipe:[8]" })],
    ["read of a file", false, system(`${READ} 0x3 0x7ffc`, { 3: "/tmp/file" })],
    ["a sleep", false, system("230 0x0 0x0", { 0: OURS })],
    ["running", false, system("running", { 0: OURS })],
    ["gone, or closed to this user", false, system("", {})],
  ];
  assert.deepStrictEqual(
    rows.map(([what, , one]) => [what, inputWait([1], one)]),
    rows.map(([what, expected]) => [what, expected ? "2 17" : undefined]),
  );
});
