import assert from "node:assert/strict";
import { canFork } from "./can_fork.ts";

const START = { environment: { PATH: "/bin", LANG: "C" }, shell: "/bin/bash", processor: "x86_64" } as const;

function writing(...paths: readonly string[]) {
  return { writable: paths.map((path) => ({ path, device: 0n, inode: 0n })) };
}

Deno.test("P5 canFork() lets a shell start outside the domain of commands where none of them decides how", () => {
  const can = [["/home/me/x"], ["/usrlocal"], ["/tmp", "/srv/x"]].map((paths) => canFork(writing(...paths), START));
  assert.deepStrictEqual(can, [true, true, true]);
  const cannot = ["/", "/usr", "/usr/local", "/etc/x", "/lib"].map((path) => canFork(writing("/x", path), START));
  assert.deepStrictEqual(cannot, [false, false, false, false, false]);
  assert.ok(!canFork(writing("/opt/x"), { ...START, shell: "/opt/x/bash" }));
  for (const name of ["LD_LIBRARY_PATH", "BASH_ENV", "BASH_FUNC_x%%", "SHELLOPTS", "LOCPATH", "GLIBC_TUNABLES"]) {
    assert.ok(!canFork(writing("/x"), { ...START, environment: { [name]: "" } }), name);
  }
  assert.ok(!canFork(writing("/x"), { ...START, processor: "aarch64" }));
});
