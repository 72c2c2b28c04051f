/** What this machine has that rows need. */
import { missingPrograms } from "../../_support/programs_at_hand.ts";

/** In CI every program must be there that could be: one that only root reaches is installed. */
export function installable(programs: readonly string[]): boolean {
  return Deno.env.get("CI") === "true" && missingPrograms(programs, "root").length > 0;
}

/** Why a file of the kernel cannot be tried; undefined: it is there. Asked by a program: the runtime keeps /proc shut. */
export function lacking(path: string): string | undefined {
  const { success } = new Deno.Command("test", { args: ["-e", path] }).outputSync();
  return success ? undefined : `this kernel has no ${path}`;
}

/** Why extended attributes cannot be tried in the temp directory; undefined: they can. */
export function withoutAttributes(): string | undefined {
  const file = Deno.makeTempFileSync();
  try {
    const program = `import os; os.setxattr(${JSON.stringify(file)}, "user.x", b"x")`;
    const { success } = new Deno.Command("/usr/bin/python3", { args: ["-IS", "-c", program], stderr: "null" })
      .outputSync();
    return success ? undefined : "the file system of the temp directory knows no extended attributes";
  } finally {
    Deno.removeSync(file);
  }
}

/** Why io_uring cannot be tried; undefined: the kernel has it and lets every user. */
export function withoutRing(): string | undefined {
  const program = `import ctypes; print(ctypes.CDLL(None).syscall(425, 1, ctypes.create_string_buffer(120)))`;
  const { stdout } = new Deno.Command("/usr/bin/python3", { args: ["-IS", "-c", program] }).outputSync();
  return new TextDecoder().decode(stdout).startsWith("-") ? "this kernel keeps io_uring switched off" : undefined;
}

/** Why a file cannot be tried: no user here can open it, sandbox or not; undefined: it can. */
export function unopenable(path: string): string | undefined {
  const { success } = new Deno.Command("sh", { args: ["-c", 'exec 3< "$1"', "sh", path], stderr: "null" }).outputSync();
  return success ? undefined : `this machine lets no user open ${path}`;
}
