/** The programs that commands of a user find on this machine. */
import { exists, type User } from "./workbench.ts";

const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
/** For all users: to enter or to run it. */
const FOR_ALL = 0o001;

/** Those of `programs`, names or absolute paths, that the user's commands do not find. */
export function missingPrograms(programs: readonly string[], user: User): readonly string[] {
  // As root the tests act for an ordinary user, who may not enter root's home.
  const isStandIn = user === "ordinary" && Deno.uid() === 0;
  const path = isStandIn ? SYSTEM_PATH : `${Deno.env.get("PATH") ?? ""}:${SYSTEM_PATH}`;
  const isFound = (full: string) => exists(full) && (!isStandIn || isForAll(Deno.realPathSync(full)));
  const found = (program: string) =>
    program.startsWith("/")
      ? isFound(program)
      : path.split(":").some((directory) => isFound(`${directory}/${program}`));
  return programs.filter((program) => !found(program));
}

/** Whether every user may enter the directories above, and run what is there. */
function isForAll(path: string): boolean {
  const parent = path.slice(0, path.lastIndexOf("/"));
  return ((Deno.statSync(path).mode ?? 0) & FOR_ALL) !== 0 && (parent === "" || isForAll(parent));
}
