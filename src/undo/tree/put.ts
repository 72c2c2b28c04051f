/**
 * Restores an earlier state of one path. A file is written completely without a name before it gets its own. What had
 * the name is checked once more after it was moved away. At any moment the path is in one of the two states.
 */
import type { FileFactsCalls } from "../../system/open_files/file_facts.ts";
import type { OpenFiles } from "../../system/open_files/file_calls.ts";
import type { Entry, State } from "../model/entry.ts";
import type { Step } from "../model/plan.ts";
import type { ObjectStore } from "../store/objects.ts";
import { UNDO_DRAFT, UNDO_PART, writtenAt } from "./looking.ts";
import type { Roots, Spot } from "./roots.ts";

export interface PutParts {
  readonly files: OpenFiles;
  readonly facts: FileFactsCalls;
  readonly roots: Roots;
  /** Where contents come from. */
  readonly objects: Pick<ObjectStore, "restore">;
  /** A path of each file that has kept another of its names, as that file was; absent: they are not known. */
  readonly names?: ReadonlyMap<string, string>;
}

const OWNER_RIGHTS = 0o700;
const CHANGED = "it was changed a moment ago";

export class Putting {
  readonly #parts: PutParts;
  /** Paths that were restored or kept, by the file that they named. */
  readonly #names: Map<string, string>;

  constructor(parts: PutParts) {
    this.#parts = parts;
    this.#names = new Map(parts.names);
  }

  /** Why it was not restored; undefined: it was. */
  put(step: Step): string | undefined {
    const at = this.#parts.roots.at(step.path, (spot) => ({ problem: this.#put(spot, step) }));
    return at === undefined ? "its directory is not there" : at.problem;
  }

  /** Gives a directory its earlier mode and time; returns why it cannot. */
  finish({ path, wanted }: Step): string | undefined {
    const { files, facts } = this.#parts;
    const fd = this.#parts.roots.directory(path);
    if (fd === undefined || wanted === undefined) return "it is not there";
    const isDone = this.#owner(fd, "", wanted) && facts.setMode(fd, wanted.mode);
    files.drop(fd);
    const isTimed = this.#parts.roots.at(
      path,
      ({ directory, name }) => facts.setModified(directory, name || ".", wanted.modified),
    );
    return isDone && isTimed === true ? undefined : "the system refuses its mode, owner or time";
  }

  #put(spot: Spot, step: Step): string | undefined {
    const { wanted, present } = step;
    if (spot.name === "") return "it is the directory of the project";
    if (wanted === undefined) return this.#remove(spot, step);
    switch (wanted.kind) {
      case "directory":
        return this.#directory(spot, step);
      case "link":
        return this.#link(spot, { present, wanted });
      case "file":
        return this.#file(spot, step.path, { present, wanted });
      case "other":
        return "pipes, sockets and devices are not kept";
    }
  }

  #directory({ directory, name }: Spot, { path, present }: Step): string | undefined {
    const { files, facts, roots } = this.#parts;
    if (present === undefined && !files.makeDirectory(directory, name)) return this.#refused("made");
    const fd = roots.directory(path);
    if (fd === undefined) return present === undefined ? CHANGED : undefined;
    if (((present?.mode ?? 0) & OWNER_RIGHTS) !== OWNER_RIGHTS) facts.setMode(fd, OWNER_RIGHTS);
    files.drop(fd);
    return undefined;
  }

  #link({ directory, name }: Spot, { present, wanted }: Exchange): string | undefined {
    const { files, facts } = this.#parts;
    const draft = partName();
    if (!files.makeLink(wanted.target ?? "", directory, draft)) return this.#refused("made");
    this.#owner(directory, draft, wanted);
    facts.setModified(directory, draft, wanted.modified);
    return this.#exchange({ directory, name }, draft, present);
  }

  #file(spot: Spot, path: string, { present, wanted }: Exchange): string | undefined {
    const { directory, name } = spot;
    if (present?.kind === "file" && this.#holds(present, wanted) && !this.#isApart(present, wanted)) {
      if (wanted.names > 1) this.#names.set(wanted.file, path);
      return this.#setFacts(spot, { present, wanted });
    }
    const draft = partName();
    const problem = this.#named(directory, draft, wanted) ? undefined : this.#written(directory, draft, wanted);
    if (problem !== undefined) return problem;
    const left = this.#exchange({ directory, name }, draft, present);
    if (left === undefined && wanted.names > 1) this.#names.set(wanted.file, path);
    return left;
  }

  /** Whether it was a hard link, and is now a separate file. */
  #isApart(present: Entry, { file, names }: Entry): boolean {
    return names > 1 && present.file !== file && this.#names.has(file);
  }

  #holds(present: Entry, wanted: Entry): boolean {
    return wanted.content === undefined || present.content === wanted.content;
  }

  /** Only mode, owner or time differ. */
  #setFacts({ directory, name }: Spot, { present, wanted }: Exchange): string | undefined {
    const { files, facts } = this.#parts;
    if (!this.#isPresent({ directory, name }, present)) return CHANGED;
    const fd = files.open(directory, name);
    const isDone = fd !== undefined && this.#owner(directory, name, wanted) && facts.setMode(fd, wanted.mode) &&
      facts.setModified(directory, name, wanted.modified);
    if (fd !== undefined) files.drop(fd);
    return isDone ? undefined : this.#refused("given its mode, owner or time");
  }

  /** Links it to a file that was already restored; false: there is none. */
  #named(directory: number, draft: string, wanted: Entry): boolean {
    const { file } = wanted;
    const path = wanted.names > 1 ? this.#names.get(file) : undefined;
    if (path === undefined) return false;
    const { files, facts, roots, names } = this.#parts;
    const isNamed = roots.at(path, (known) => facts.addName(known.directory, known.name, directory, draft)) === true;
    // A kept path may be another file by now.
    const isOther = isNamed && names?.get(file) === path && !this.#isPresent({ directory, name: draft }, wanted);
    if (isOther) files.unlink(directory, draft);
    return isNamed && !isOther;
  }

  #written(directory: number, draft: string, wanted: Entry): string | undefined {
    const { files, facts, objects } = this.#parts;
    const unnamed = files.createUnnamed(directory, 0o600);
    const fd = unnamed ?? files.create(directory, draft, 0o600);
    if (fd === undefined) return this.#refused("written");
    const isWritten = objects.restore(wanted.content ?? "", fd);
    const problem = isWritten ? undefined : "its stored content is damaged, or the disk is full";
    const isNamed = isWritten && (unnamed === undefined || files.link(fd, directory, draft));
    const isDone = isNamed && this.#owner(directory, draft, wanted) && facts.setMode(fd, wanted.mode);
    files.drop(fd);
    if (isDone && facts.setModified(directory, draft, wanted.modified)) return undefined;
    const refused = problem ?? this.#refused("written");
    files.unlink(directory, draft);
    return refused;
  }

  /** Gives a draft its name, and replaces only what was seen there. */
  #exchange({ directory, name }: Spot, part: string, present: State): string | undefined {
    const { files } = this.#parts;
    if (present === undefined) {
      if (files.rename(directory, part, name)) return undefined;
      files.unlink(directory, part);
      return CHANGED;
    }
    const draft = draftName();
    if (!files.rename(directory, part, draft) || !files.exchange(directory, draft, name)) {
      const refused = this.#refused("replaced");
      for (const one of [part, draft]) files.unlink(directory, one);
      return refused;
    }
    const isExpected = this.#isPresent({ directory, name: draft }, present);
    if (!isExpected) files.exchange(directory, draft, name);
    files.unlink(directory, draft);
    return isExpected ? undefined : CHANGED;
  }

  #remove({ directory, name }: Spot, { present }: Step): string | undefined {
    const { files } = this.#parts;
    if (present?.kind === "directory") {
      return files.removeDirectory(directory, name) ? undefined : "it is not empty, or the system refuses";
    }
    const draft = draftName();
    if (!files.rename(directory, name, draft)) return this.#refused("removed");
    if (this.#isPresent({ directory, name: draft }, present)) {
      return files.unlink(directory, draft) ? undefined : this.#refused("removed");
    }
    files.rename(directory, draft, name);
    return CHANGED;
  }

  /** Linking changes the ctime, so it is not compared. */
  #isPresent({ directory, name }: Spot, present: State): boolean {
    const stat = this.#parts.files.stat(directory, name);
    return stat !== undefined && present?.file === `${stat.device}:${stat.inode}` &&
      (present.kind !== "file" || BigInt(present.size) === stat.size && present.modified === writtenAt(stat.times));
  }

  #owner(directory: number, name: string, { owner }: Entry): boolean {
    const { files, facts } = this.#parts;
    const stat = files.stat(directory, name);
    if (stat !== undefined && `${stat.uid}:${stat.gid}` === owner) return true;
    const [user = 0, group = 0] = owner.split(":").map(Number);
    // Only root may give a file to another user; otherwise it stays with this one.
    facts.setOwner(directory, name, user, group);
    return true;
  }

  #refused(what: string): string {
    return `it cannot be ${what} (errno ${this.#parts.files.errno})`;
  }
}

interface Exchange {
  readonly present: State;
  readonly wanted: Entry;
}

/** Of what no other process has ever written. */
function partName(): string {
  return `${UNDO_PART}${crypto.randomUUID()}`;
}

/** Of what may hold for a moment what another process wrote. */
function draftName(): string {
  return `${UNDO_DRAFT}${crypto.randomUUID()}`;
}
