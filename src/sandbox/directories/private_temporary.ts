/**
 * The session's temp directory at /tmp and /var/tmp (S5), with namespaces. Paths that commands may use there appear
 * unchanged, and nothing else. The first name of each is a mount point in the temp directory itself, which no command
 * can rename; the rest lies in a read-only directory of the server's. Every mount point is compared when it is used
 * (S20).
 */
import { attempt } from "../../base/errors.ts";
import { expected, isWithin } from "../../system/paths.ts";
import type { TreeMaker } from "../../system/open_files/tree_maker.ts";
import type { PathGrant, PinnedDirectory, PrivateTemporary, SandboxPolicy } from "../policy/policy.ts";
import type { SessionPoints } from "./place_in_memory.ts";
import type { Covers } from "./session_directory.ts";
import { TreePoints } from "./tree_points.ts";

/** Directories of the system that every user writes to. */
const SHARED = ["/tmp", "/var/tmp"] as const;

export interface TemporaryQuestion extends Pick<SandboxPolicy, "writable" | "grants"> {
  /** The session's temp directory, empty. */
  readonly tree: PinnedDirectory;
  /** A directory of the session's that commands cannot write to, where further ones can be made. */
  readonly root: string;
  readonly make: TreeMaker;
  readonly covers: Covers;
  /** Of other sandboxes of the session. */
  readonly points: Pick<SessionPoints, "inTemporary">;
  readonly identityOf: (path: string) => Pick<PinnedDirectory, "device" | "inode"> | undefined;
}

/** What to mount; undefined: the places are open to commands themselves, or the mount points cannot be made. */
export function privateTemporary(question: TemporaryQuestion): PrivateTemporary | undefined {
  const opened = [...question.writable, ...question.grants];
  const places = sharedPlaces().filter((place) => !opened.some(({ path }) => isWithin(place, path)));
  if (places.length === 0) return undefined;
  // It fails if the same name must be a file and a directory, or if the disk is full.
  return attempt(Error, () => madeFor(places, question));
}

/**
 * The outside path of a path that a command names: in the temp directory if it is below one of the places. Otherwise,
 * or if it is (or leads to) something shown at its own path, it is the path itself.
 */
export function pathOutside(
  { temporary, writable, grants }: Pick<SandboxPolicy, "temporary" | "writable" | "grants">,
  path: string,
): string {
  const place = temporary?.places.find((one) => isWithin(path, one));
  if (temporary === undefined || place === undefined) return path;
  const shown = [...writable, ...grants, ...temporary.ways.map(({ at }) => at)];
  if (shown.some((one) => isWithin(path, one.path))) return path;
  return temporary.tree.path + path.slice(place.length);
}

/** Canonical, each once. */
function sharedPlaces(): readonly string[] {
  const real = SHARED.map((path) => expected(() => Deno.realPathSync(path)));
  const found = real.filter((path) => path !== undefined && path !== "/");
  return [...new Set(found)].filter((path) => path !== undefined);
}

function madeFor(places: readonly string[], question: TemporaryQuestion): PrivateTemporary | undefined {
  const { tree, covers } = question;
  const maker = new MountPoints(question);
  for (const place of places) {
    for (const { path, kind } of outermost(question)) if (isWithin(path, place)) maker.add(place, path, kind);
    // Not mounted, but opened by their paths: the directories made for them are empty too.
    for (const [kind, path] of Object.entries(covers)) {
      if (isWithin(path, place)) maker.add(place, path, kind === "file" ? "file" : "directory");
    }
  }
  const found = maker.found();
  return found && { tree, places, covers, ...found };
}

type Shown = Pick<PathGrant, "path" | "kind">;

/** Nested ones come with the outer one. */
function outermost({ writable, grants }: TemporaryQuestion): readonly Shown[] {
  const all: readonly Shown[] = [...writable.map(({ path }) => ({ path, kind: "directory" as const })), ...grants];
  return all.filter(({ path }) => !all.some((one) => one.path !== path && isWithin(path, one.path)));
}

class MountPoints {
  readonly #question: TemporaryQuestion;
  /** Of each first name: where what lies below it is. */
  readonly #ways = new Map<string, { readonly source: string; readonly at: string }>();
  /** Where the mount point of each path was made. */
  readonly #points = new Map<string, string>();
  readonly #maker: TreePoints;

  constructor(question: TemporaryQuestion) {
    this.#question = question;
    const { make, tree, root, points: { inTemporary }, identityOf } = question;
    const there = [...inTemporary].filter((path) => identityOf(path) !== undefined);
    this.#maker = new TreePoints(make, [tree.path, root, ...there]);
  }

  add(place: string, path: string, kind: "directory" | "file"): void {
    const { tree, root, points: { inTemporary } } = this.#question;
    const [first = "", ...rest] = path.slice(place.length + 1).split("/");
    const top = `${tree.path}/${first}`;
    if (rest.length === 0) {
      this.#make(path, top, kind);
      inTemporary.add(top);
      return;
    }
    const source = `${root}/ways${place}/${first}`;
    this.#maker.add(top, "directory");
    inTemporary.add(top);
    this.#ways.set(`${place}/${first}`, { source, at: top });
    this.#make(path, `${source}/${rest.join("/")}`, kind);
  }

  found(): Pick<PrivateTemporary, "ways" | "points"> | undefined {
    const ways = [...this.#ways].map(([path, { source, at }]) => ({
      at: this.#pinned(path, at),
      source: this.#pinned(source, source),
    }));
    const points = [...this.#points].map(([path, made]) => this.#pinned(path, made));
    const isWhole = [...ways.flatMap(({ at, source }) => [at, source]), ...points].every((one) => one !== undefined);
    return isWhole ? { ways, points } as Pick<PrivateTemporary, "ways" | "points"> : undefined;
  }

  #make(path: string, at: string, kind: "directory" | "file"): void {
    this.#points.set(path, at);
    this.#maker.add(at, kind);
  }

  #pinned(path: string, made: string): PinnedDirectory | undefined {
    const identity = this.#question.identityOf(made);
    return identity && { path, ...identity };
  }
}
