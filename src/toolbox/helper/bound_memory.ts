/** A limit of memory that a process inside the sandbox gives to itself. */
import { LazyLibrary } from "../../system/c_library.ts";

/** linux/asm-generic/resource.h: private memory of a process, including untouched parts. */
const RLIMIT_DATA = 2;

/** Limits this process to so much more memory, on Linux. @throws {Error} When the kernel does not say what it uses. */
export function boundMemory(mebibytes: number): void {
  if (Deno.build.os !== "linux") return;
  const [, kibibytes] = /^VmData:\s+(\d+) kB$/m.exec(Deno.readTextFileSync("/proc/self/status")) ?? [];
  if (kibibytes === undefined) throw new Error("The kernel does not tell the memory of a helper");
  const limit = BigInt(kibibytes) * 1024n + BigInt(mebibytes) * 1_048_576n;
  const library = new LazyLibrary(["setrlimit"]);
  // A lower limit that the user has set stays.
  library.symbols.setrlimit(RLIMIT_DATA, new BigUint64Array([limit, limit]));
}
