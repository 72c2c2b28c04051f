import type { SandboxPolicy } from "../policy/policy.ts";
import type { Processor } from "../../system/syscalls.ts";

/** Variables by which the dynamic linker, the C library or bash take code or settings from files while a shell starts. */
const CHANGES_START = /^(?:BASH|SHELLOPTS$|ENV$|POSIXLY_CORRECT$|LD_|GLIBC_|MALLOC_|LOCPATH$|GCONV_PATH$|NLSPATH$)/;
/** Where a shell and its libraries lie. */
const SYSTEM = ["/usr", "/bin", "/lib", "/lib64", "/etc"] as const;

/** How a shell is started. */
export interface ShellStart {
  readonly environment: Readonly<Record<string, string>>;
  /** Its path. */
  readonly shell: string;
  readonly processor: Processor;
}

/** Whether a shell may start outside the Landlock domain of commands: nothing that they write decides how. */
export function canFork(
  { writable }: Pick<SandboxPolicy, "writable">,
  { environment, shell, processor }: ShellStart,
): boolean {
  if (processor !== "x86_64") return false; // the other one's has never run in a shell
  if (Object.keys(environment).some((name) => CHANGES_START.test(name))) return false;
  const isBelow = (path: string, tree: string) => tree === "/" || path === tree || path.startsWith(`${tree}/`);
  return !writable.some(({ path: tree }) =>
    isBelow(shell, tree) || SYSTEM.some((path) => isBelow(path, tree) || isBelow(tree, path))
  );
}
