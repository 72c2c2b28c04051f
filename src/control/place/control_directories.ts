/** The directories of the sockets of this user's servers (X24), which only the user may enter. */
import { undefinedFor } from "../../base/errors.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { expected, isDirectory, linksOnTheWay, parentOf } from "../../system/paths.ts";
import { runtimeDirectory, stateDirectory } from "../../system/user_directories.ts";
import { isPrivate } from "../../system/replace/private_file.ts";

/** One place for sockets. */
export interface ControlDirectory {
  readonly path: string;
  /** A directory that must already exist: the system creates it at login. Undefined: parents are created. */
  readonly within: string | undefined;
}

type Environment = Readonly<Record<string, string>>;

/** The places in the order in which a server tries them; empty: no variable names one. */
export function controlDirectories(environment: Environment): readonly ControlDirectory[] {
  const runtime = runtimeDirectory(environment);
  const state = stateDirectory(environment);
  return [
    ...environment["XDG_RUNTIME_DIR"]?.startsWith("/") === true ? [{ path: runtime, within: parentOf(runtime) }] : [],
    ...state === undefined ? [] : [{ path: `${state}/control`, within: undefined }],
  ];
}

/** Whether a link on the path is in a place that commands can write to: it could lead anywhere. */
export function isLedThere(path: string, isOpen: (path: string) => boolean): boolean {
  return linksOnTheWay(path).some(isOpen);
}

/** Makes places that commands could make, never along links; existing ones are hidden. `isOpen`: for commands. */
export function keepControlDirectories(environment: Environment, isOpen: (path: string) => boolean): void {
  const runtime = runtimeDirectory(environment);
  const places = [...controlDirectories(environment).map(({ path }) => path), runtime];
  for (const path of new Set(places)) {
    if (!isOpen(path) || isLedThere(path, isOpen) || path === runtime && !isDirectory(parentOf(runtime))) continue;
    expected(() => Deno.mkdirSync(path, { recursive: true, mode: 0o700 }));
  }
}

/** Creates the directory if it is missing. The problem is why it cannot be used. */
export async function makeDirectory({ path, within }: ControlDirectory): Promise<Outcome<string>> {
  if (within !== undefined && !await isPrivateDirectory(within)) return failure(notPrivate(within));
  try {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return failure(`"${path}" cannot be made: ${thrown.message}`);
  }
  return await isPrivateDirectory(path) ? success(path) : failure(notPrivate(path));
}

/** Whether it is a real directory of this user that no other user may enter. */
export async function isPrivateDirectory(path: string): Promise<boolean> {
  const found = await Deno.lstat(path).catch(undefinedFor(Error));
  return found?.isDirectory === true && isPrivate(found);
}

function notPrivate(path: string): string {
  return `"${path}" must be a directory of yours that no other user can enter: set its mode to 0700`;
}
