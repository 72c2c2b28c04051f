/**
 * A session's directory for mount points, in memory: a hundred take a millisecond there, a tenth of a second on a busy
 * disk. It ends with the session's directory, under one lock.
 */
import type { Libc } from "../../system/libc.ts";
import type { TreeMaker } from "../../system/open_files/tree_maker.ts";
import { attempt } from "../../base/errors.ts";
import { isWithin } from "../../system/paths.ts";
import type { SandboxPolicy } from "../policy/policy.ts";

const MEMORY = "/dev/shm";
const NAMES = /^ahma_mcp-/;
/** In the place: a link to the session's own directory. */
const SESSION = "session";
/** A place without that directory is removed at this age: the directory may be invisible, in another container. */
const OLD_NS = 86_400_000_000_000n;

export interface MemoryQuestion extends Pick<SandboxPolicy, "writable"> {
  readonly libc: Pick<Libc, "lookAt">;
  readonly make: Pick<TreeMaker, "directory" | "link">;
}

/** Creates the place of the session whose directory is `root`; undefined: the system has none, or commands may write there. */
export function placeInMemory(root: string, { writable, libc, make }: MemoryQuestion): string | undefined {
  if (writable.some(({ path }) => isWithin(MEMORY, path)) || libc.lookAt(MEMORY)?.kind !== "directory") {
    return undefined;
  }
  const path = inMemory(root);
  return attempt(Error, () => {
    make.directory(path, 0o700);
    make.link(`${path}/${SESSION}`, root);
    return path;
  });
}

/** Where a session has created mount points: each of its sandboxes has its own, except in the shared temp directory. */
export class SessionPoints {
  /** Of the temp directory: what was made there to mount on. */
  readonly inTemporary = new Set<string>();
  readonly #root: string;
  #place: string | undefined;
  #further = 0;

  /** `root`: the session's directory. */
  constructor(root: string) {
    this.#root = root;
  }

  /** A directory for the points of the next sandbox, in memory if possible. @throws {Error} When the disk is full. */
  next(question: MemoryQuestion): string {
    if (this.#place === undefined) return this.#place = placeInMemory(this.#root, question) ?? this.#root;
    const place = `${this.#place}/${++this.#further}`;
    question.make.directory(place);
    return place;
  }
}

/** Removes the place of the session in `root`. @throws {Error} When something in it cannot be removed. */
export function removeFromMemory(root: string, make: Pick<TreeMaker, "remove">): void {
  make.remove(inMemory(root));
}

/** Removes old places whose session's directory another program removed. `now`: nanoseconds since 1970. */
export function removeOrphans(
  make: Pick<TreeMaker, "names" | "target" | "remove">,
  libc: Pick<Libc, "lookAt">,
  now: bigint,
): void {
  for (const name of (make.names(MEMORY) ?? []).filter((one) => NAMES.test(one))) {
    const path = `${MEMORY}/${name}`;
    const root = make.target(`${path}/${SESSION}`);
    const made = libc.lookAt(path)?.changedAt ?? now;
    if (root === undefined || libc.lookAt(root) !== undefined || now - made < OLD_NS) continue;
    attempt(Error, () => make.remove(path)); // else another user's
  }
}

function inMemory(root: string): string {
  return `${MEMORY}${root.slice(root.lastIndexOf("/"))}`;
}
