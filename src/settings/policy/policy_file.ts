/**
 * The file of the machine's policy (S37). Its path is fixed: no flag, variable or link of another user leads elsewhere.
 * Only root may be able to change it and every directory above it, so that it cannot change between check and read.
 */
import { messageOf, UserError } from "../../base/errors.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { MOST_LINKS, parentOf } from "../../system/paths.ts";
import { parsePolicy, type Policy } from "./policy.ts";

/** On every system. */
export const POLICY_FILE = "/etc/ahma/policy.json";

const LARGEST_BYTES = 256 * 1024;
/** Mode bits with which a group or all users may write. */
const OTHERS_WRITE = 0o022;
const ROOT = 0;

/** The machine's policy; undefined: none. With a problem (a sentence for stderr) nothing may start. */
export async function readPolicy(): Promise<Outcome<Policy | undefined>> {
  if (isMissing(POLICY_FILE) && isMissing(parentOf(POLICY_FILE))) return success(undefined);
  try {
    const place = trustedPlace(POLICY_FILE);
    if (place === undefined) return success(undefined);
    const policy = await parsePolicy(POLICY_FILE, contentOf(place, insistOnRoot), Deno.uid());
    return policy.ok ? policy : failure(`Cannot use policy ${policy.problem[0]}\n${REMEDY}`);
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return failure(thrown instanceof UserError ? thrown.message : refused(messageOf(thrown)).message);
  }
}

const REMEDY = "Nothing starts on this machine until root mends that.";

function refused(why: string): UserError {
  return new UserError(`Cannot use policy "${POLICY_FILE}": ${why}\n${REMEDY}`);
}

/** The bytes, after `insist` accepts the open file; absent: anything. @throws Error if unreadable or too large */
export function contentOf(path: string, insist?: typeof insistOnRoot): Uint8Array<ArrayBuffer> {
  const file = Deno.openSync(path);
  try {
    insist?.(path, file.statSync());
    const bytes = new Uint8Array(LARGEST_BYTES + 1);
    let length = 0;
    for (let got: number | null = 1; got !== null && length < bytes.length; length += got ?? 0) {
      got = file.readSync(bytes.subarray(length));
    }
    if (length > LARGEST_BYTES) throw refused(`it has more than ${LARGEST_BYTES} bytes`);
    return bytes.slice(0, length);
  } finally {
    file.close();
  }
}

function isMissing(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return false;
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound;
  }
}

/** The path without links, each step checked from the top; undefined: there is no file. @throws {UserError} */
function trustedPlace(path: string): string | undefined {
  insistOnRoot("/", Deno.lstatSync("/"));
  const waiting = namesIn(path);
  let place = "";
  let links = 0;
  let isLinked = false;
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (name === "..") {
      place = place === "" ? "" : place.slice(0, place.lastIndexOf("/"));
      continue;
    }
    const next = `${place}/${name}`;
    const isLast = waiting.length === 0;
    if (isLast && !isLinked && isMissing(next)) return undefined;
    const facts = Deno.lstatSync(next);
    if (facts.isSymlink) {
      if (facts.uid !== ROOT) throw refused(notRoots(next, facts.uid));
      if (++links > MOST_LINKS) throw refused("it leads over too many links");
      isLinked ||= isLast;
      const target = Deno.readLinkSync(next);
      if (target.startsWith("/")) place = "";
      waiting.unshift(...namesIn(target));
      continue;
    }
    insistOnRoot(next, facts);
    if (isLast ? !facts.isFile : !facts.isDirectory) {
      throw refused(`"${next}" is not a ${isLast ? "regular file" : "directory"}`);
    }
    place = next;
  }
  return place;
}

function namesIn(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

function insistOnRoot(path: string, { uid, mode }: Pick<Deno.FileInfo, "uid" | "mode">): void {
  if (uid !== ROOT) throw refused(notRoots(path, uid));
  if (mode === null || (mode & OTHERS_WRITE) !== 0) {
    throw refused(`users other than root can change "${path}" (chmod go-w)`);
  }
}

function notRoots(path: string, uid: number | null): string {
  return `"${path}" belongs to user ${uid}, not to root`;
}
