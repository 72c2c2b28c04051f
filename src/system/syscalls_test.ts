import assert from "node:assert/strict";
import { NO_CALL, type Processor, SYSTEM_CALLS } from "./syscalls.ts";

/** The C library's copies of the kernel's lists; a system has them where programs are compiled. */
const HEADERS: Readonly<Record<Processor, readonly string[]>> = {
  x86_64: ["/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"],
  aarch64: ["/usr/include/asm-generic/unistd.h"],
};

/** Newer than the headers of systems that are still in use. */
const NEWER = ["open_tree_attr"];
/** Calls that the generic list has under another name. */
const ALIASES: Readonly<Record<string, string>> = { newfstatat: "fstatat" };

for (const processor of ["x86_64", "aarch64"] as const) {
  const header = HEADERS[processor].find((path) => readText(path) !== undefined);
  const reason = header === undefined ? " (ignored: no kernel headers are installed)" : "";
  Deno.test({
    name: `S8 the numbers of ${processor} are those of the kernel's headers${reason}`,
    ignore: header === undefined,
    fn: () => {
      const listed = new Map<string, number>();
      for (
        const [, name, number] of (readText(header ?? "") ?? "").matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)/gm)
      ) {
        if (name !== undefined && !listed.has(name)) listed.set(name, Number(number));
      }
      const theirs = Object.keys(SYSTEM_CALLS[processor]).map((call) => {
        const number = listed.get(call) ?? listed.get(ALIASES[call] ?? "") ?? NO_CALL;
        return [call, NEWER.includes(call) ? 467 : number];
      });
      assert.deepStrictEqual(Object.entries(SYSTEM_CALLS[processor]), theirs);
    },
  });
}

function readText(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
