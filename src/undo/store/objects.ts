/** Contents of files by their hash, in a directory that no command can reach. */
import { createHash } from "node:crypto";
import { attempt } from "../../base/errors.ts";
import type { FileFactsCalls } from "../../system/open_files/file_facts.ts";
import type { OpenFiles, Stat } from "../../system/open_files/file_calls.ts";
import { ENOSPC } from "../../system/syscalls.ts";

/** The content of a file, or why it is not kept. */
export type Kept = { readonly content: string } | { readonly unkept: string };

/** The store cannot take more: the disk is full, or it may not be written. */
class StoreError extends Error {}

const CHUNK_BYTES = 1024 * 1024;
/** A reused object is as young as a new one, so that no other server removes it; nanoseconds. */
const REFRESHED_AFTER = 600_000_000_000n;
/** Before the names of what is not whole yet. */
const DRAFT = ".draft-";

export interface ObjectStoreParts {
  readonly files: OpenFiles;
  readonly facts: FileFactsCalls;
  /** The open directory. */
  readonly directory: number;
}

export class ObjectStore {
  readonly #parts: ObjectStoreParts;
  #failure: string | undefined;

  constructor(parts: ObjectStoreParts) {
    this.#parts = parts;
  }

  /** Why the store took no more since the last question; undefined: it took all. */
  takeProblem(): string | undefined {
    const problem = this.#failure;
    this.#failure = undefined;
    return problem;
  }

  /** Keeps the content of an open file. */
  keep(fd: number, stat: Stat): Kept {
    const kept = attempt(StoreError, () => stat.size > CHUNK_BYTES ? this.#copy(fd, stat) : this.#keepSmall(fd, stat));
    if (kept === undefined) return { unkept: this.#failure ?? "" };
    const after = this.#parts.files.stat(fd, "");
    return after?.changedAt === stat.changedAt ? kept : { unkept: "it changed while it was read" };
  }

  /** Whether the content of an open file is kept. */
  holds(fd: number): boolean {
    const content = this.#pass(fd, () => true);
    return content !== undefined && this.#isThere(content);
  }

  /** The content for reading; undefined: it is not there any more. The caller drops it. */
  open(content: string): number | undefined {
    const { files, directory } = this.#parts;
    return files.open(directory, content);
  }

  /** Writes a content into an empty open file; false: not all of it, or it is damaged. */
  restore(content: string, to: number): boolean {
    const { files, facts } = this.#parts;
    const from = this.open(content);
    if (from === undefined) return false;
    const isCloned = facts.clone(to, from);
    const hash = this.#pass(from, (part) => isCloned || files.writeAll(to, part));
    files.drop(from);
    return hash === content;
  }

  /** The first bytes of a content, at most so many; undefined: it is not there any more. */
  read(content: string, most: number): Uint8Array | undefined {
    const { files } = this.#parts;
    const fd = this.open(content);
    if (fd === undefined) return undefined;
    const buffer = new Uint8Array(most);
    const length = files.readAt(fd, buffer, 0);
    files.drop(fd);
    return length === undefined ? undefined : buffer.subarray(0, length);
  }

  #keepSmall(fd: number, { size }: Stat): Kept {
    const { files } = this.#parts;
    const bytes = files.read(fd, size);
    if (bytes === undefined) return { unkept: "it changed while it was read" };
    const content = createHash("sha256").update(bytes).digest("hex");
    if (!this.#isThere(content)) this.#draft((draft) => files.writeAll(draft, bytes) ? content : undefined);
    return { content };
  }

  #copy(fd: number, { size }: Stat): Kept {
    const { files, facts } = this.#parts;
    const content = this.#draft((draft) => {
      const isCloned = facts.clone(draft, fd);
      if (!isCloned) return this.#pass(fd, (part) => files.writeAll(draft, part));
      return this.#ofDraft(draft);
    });
    return files.stat(fd, "")?.size === size ? { content } : { unkept: "it changed while it was read" };
  }

  /** What a clone holds, which the file cannot change any more. */
  #ofDraft(draft: number): string | undefined {
    const { files } = this.#parts;
    // It is open for writing only.
    const again = files.reopen(draft);
    if (again === undefined) return undefined;
    const hash = this.#pass(again, () => true);
    files.drop(again);
    return hash;
  }

  /** The hash of an open file whose parts were all taken; undefined: one was not, or it cannot be read. */
  #pass(fd: number, take: (part: Uint8Array<ArrayBuffer>) => boolean): string | undefined {
    const hash = createHash("sha256");
    const buffer = new Uint8Array(CHUNK_BYTES);
    for (let at = 0;;) {
      const length = this.#parts.files.readAt(fd, buffer, at);
      if (length === undefined) return undefined;
      if (length === 0) return hash.digest("hex");
      const part = buffer.subarray(0, length);
      hash.update(part);
      if (!take(part)) return undefined;
      at += length;
    }
  }

  #isThere(content: string): boolean {
    const { files, facts, directory } = this.#parts;
    const stat = files.stat(directory, content);
    if (stat === undefined) return false;
    const now = BigInt(Date.now()) * 1_000_000n;
    return now - stat.changedAt < REFRESHED_AFTER || facts.setModified(directory, content, now);
  }

  /** Fills a new file, and gives it the name that `fill` gives; that name. @throws {StoreError} */
  #draft(fill: (draft: number) => string | undefined): string {
    const { files, directory } = this.#parts;
    const name = `${DRAFT}${crypto.randomUUID()}`;
    const draft = files.create(directory, name, 0o600);
    if (draft === undefined) throw this.#problem();
    const content = fill(draft);
    const problem = content === undefined ? this.#problem() : undefined;
    files.drop(draft);
    if (content !== undefined && files.replace(directory, name, content)) return content;
    const thrown = problem ?? this.#problem();
    files.unlink(directory, name);
    throw thrown;
  }

  #problem(): StoreError {
    const { errno } = this.#parts.files;
    this.#failure = errno === ENOSPC ? "the disk is full" : `the store cannot be written (errno ${errno})`;
    return new StoreError(this.#failure);
  }
}
