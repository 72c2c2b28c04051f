/** Where issues, memos, flows and rules of a project are (K6, K7, K8), checked against its sandbox. */
import { UsageError } from "../../base/errors.ts";
import type { SessionSandbox } from "../../sandbox/settle_paths.ts";
import {
  chosenDirectory,
  DEFAULT_DIRECTORIES,
  DIRECTORY_KINDS,
  type DirectoryKind,
  type ProjectDirectories,
} from "../../settings/project_directories.ts";
import type { Settings } from "../../settings/settings.ts";
import { openScope } from "../../system/path_scope.ts";
import { isWithin } from "../../system/paths.ts";
import { WRITABLE_IN_OWN } from "../../sandbox/protect/protected_paths.ts";

type Sandbox = Pick<SessionSandbox, "scopes" | "guard">;

/** The settings' directories, relative to the first scope. @throws {UsageError} When one is not usable there. */
export async function projectDirectories(settings: Settings, sandbox: Sandbox): Promise<ProjectDirectories> {
  const project = sandbox.scopes[0]?.path;
  const found: Record<DirectoryKind, string> = { ...DEFAULT_DIRECTORIES };
  for (const kind of DIRECTORY_KINDS) {
    const given = chosenDirectory(settings, kind);
    if (given === undefined || project === undefined) continue;
    const refuse = (why: string) => new UsageError(`Cannot keep ${kind} in "${settings.directories[kind]}": ${why}`);
    const real = await (await openScope([project])).contains(given, project);
    if (!real.ok || real.value === project) {
      throw refuse(`it lies outside the project "${project}"; name a directory in it, as in docs/${kind}`);
    }
    const problem = kind === "issues" || kind === "memos"
      ? noteProblem(real.value, sandbox)
      : ruleProblem(real.value, project);
    if (problem !== undefined) throw refuse(problem);
    found[kind] = real.value.slice(project.length + 1);
    const other = DIRECTORY_KINDS.find((one) => one !== kind && found[one] === found[kind]);
    if (other !== undefined) throw refuse(`${other} are there; give each its own directory`);
  }
  return found;
}

/** Tools write notes there as commands do. */
function noteProblem(path: string, { guard }: Sandbox): string | undefined {
  const covering = guard?.protected.find((one) =>
    !one.fileOnly && isWithin(path, one.path) &&
    one.writable?.some((name) => isWithin(path, `${one.path}/${name}`)) !== true
  );
  return covering && `"${covering.path}" is protected, so tools cannot write there; name a directory outside it`;
}

/** Files that the program obeys must not lie where commands can write. */
function ruleProblem(path: string, project: string): string | undefined {
  const open = WRITABLE_IN_OWN.map((name) => `${project}/.ahma/${name}`).find((one) => isWithin(path, one));
  return open && `commands may write to "${open}"; name a directory outside it`;
}
