/** What this machine has that rows need. */
import { exists, type User } from "../../_support/workbench.ts";

const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/** Those of `programs` that the user's commands do not find. */
export function missingPrograms(programs: readonly string[], user: User): readonly string[] {
  // As root the tests stand in for an ordinary user, who may not enter root's home.
  const path = user === "root" || Deno.uid() !== 0 ? `${Deno.env.get("PATH") ?? ""}:${SYSTEM_PATH}` : SYSTEM_PATH;
  const found = (program: string) =>
    path.split(":").some((directory) => {
      if (!exists(`${directory}/${program}`)) return false;
      return user === "root" || Deno.uid() !== 0 || !Deno.realPathSync(`${directory}/${program}`).startsWith("/root/");
    });
  return programs.filter((program) => !found(program));
}

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
    const { success } = new Deno.Command("/usr/bin/python3", { args: ["-I", "-c", program], stderr: "null" })
      .outputSync();
    return success ? undefined : "the file system of the temp directory knows no extended attributes";
  } finally {
    Deno.removeSync(file);
  }
}

/** Why io_uring cannot be tried; undefined: the kernel has it and lets every user. */
export function withoutRing(): string | undefined {
  const program = `import ctypes; print(ctypes.CDLL(None).syscall(425, 1, ctypes.create_string_buffer(120)))`;
  const { stdout } = new Deno.Command("/usr/bin/python3", { args: ["-I", "-c", program] }).outputSync();
  return new TextDecoder().decode(stdout).startsWith("-") ? "this kernel keeps io_uring switched off" : undefined;
}

/** Why a file cannot be tried: no user here can open it, sandbox or not; undefined: it can. */
export function unopenable(path: string): string | undefined {
  const { success } = new Deno.Command("sh", { args: ["-c", 'exec 3< "$1"', "sh", path], stderr: "null" }).outputSync();
  return success ? undefined : `this machine lets no user open ${path}`;
}
