import { openCLibrary } from "../../system/c_library.ts";

/** linux/asm-generic/resource.h: private memory of a process, including untouched parts. */
const RLIMIT_DATA = 2;

/**
 * From now on this process gets at most `mebibytes` more memory than it has: then the runtime refuses long arrays, and ends
 * where the heap is full. On Linux only.
 * @throws {Error} When the kernel does not say what it has.
 */
export function boundMemory(mebibytes: number): void {
  if (Deno.build.os !== "linux") return;
  const [, kibibytes] = /^VmData:\s+(\d+) kB$/m.exec(Deno.readTextFileSync("/proc/self/status")) ?? [];
  if (kibibytes === undefined) throw new Error("The kernel does not tell the memory of a helper");
  const limit = BigInt(kibibytes) * 1024n + BigInt(mebibytes) * 1_048_576n;
  const library = openCLibrary({ setrlimit: { parameters: ["i32", "buffer"], result: "i32" } });
  // A flag of the user may have set a lower limit, which stays.
  library.symbols.setrlimit(RLIMIT_DATA, new BigUint64Array([limit, limit]));
}
