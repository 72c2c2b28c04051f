import assert from "node:assert/strict";
import { namesByHolders } from "./socket_search.ts";

const SYSTEM = { processes: () => [1, 2, 3], socketsOf: (pid: number) => pid === 1 ? ["8"] : ["7", "9"] };

Deno.test("S6 namesByHolders() names a socket as each program that holds it sees it", () => {
  const names = (name: string) => namesByHolders({ name, socket: "7" }, SYSTEM);
  assert.deepStrictEqual(
    ["run/s", "/proc/self/fd/9/s", "/proc/thread-self/cwd/s", "/dev/fd/9/s"].map(names),
    ["cwd/run/s", "fd/9/s", "cwd/s", "fd/9/s"].map((one) => [`/proc/2/${one}`, `/proc/3/${one}`]),
  );
  assert.deepStrictEqual(["", "/run/s", "/proc/12/fd/9/s", "/dev/log"].map(names), [[], [], [], []]);
});
