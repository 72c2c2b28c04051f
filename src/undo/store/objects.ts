/** Contents of files by their hash, in a directory that no command can reach. */
import { createHash } from "node:crypto";
import { attempt } from "../../base/errors.ts";
import type { FileFactsCalls } from "../../system/open_files/file_facts.ts";
import type { OpenFiles, Stat } from "../../system/open_files/file_calls.ts";
import { ENOSPC } from "../../system/syscalls.ts";

/** The content of a file, or why it is not kept. */
export type Kept = { readonly content: string } | { readonly unkept: string };

/** The store cannot accept more: the disk is full, or it is not writable. */
class StoreError extends Error {}

/** Bytes of the first read of any file: most are smaller, and each buffer must be cleared and freed. */
const FIRST_BYTES = 16 * 1024;
const CHUNK_BYTES = 1024 * 1024;
/** The prefix of incomplete files. */
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
  /** When this process stored each content that was new, milliseconds since 1970. */
  readonly #own = new Map<string, number>();
  #written = 0;

  constructor(parts: ObjectStoreParts) {
    this.#parts = parts;
  }

  /** Why the store refused content since the last call; undefined: it accepted all. */
  takeProblem(): string | undefined {
    const problem = this.#failure;
    this.#failure = undefined;
    return problem;
  }

  /** Bytes that were stored since the last call. */
  takeWritten(): number {
    const written = this.#written;
    this.#written = 0;
    return written;
  }

  /** Bytes that were stored since `takeWritten` was called. */
  get written(): number {
    return this.#written;
  }

  /** Whether this process alone has needed a content, which was last taken at `modified`. */
  isOwn(content: string, modified: number): boolean {
    return modified <= (this.#own.get(content) ?? -Infinity);
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
    const size = this.#parts.files.stat(fd, "")?.size;
    const content = size === undefined ? undefined : hashOf(this.#parts.files, fd, { size });
    return content !== undefined && size !== undefined && this.#isThere(content, size);
  }

  /** The content for reading; undefined: it no longer exists. The caller drops it. */
  open(content: string): number | undefined {
    const { files, directory } = this.#parts;
    return files.open(directory, content);
  }

  /** Writes a content into an empty open file; false: it was not complete, or is damaged. */
  restore(content: string, to: number): boolean {
    const { files, facts } = this.#parts;
    const from = this.open(content);
    if (from === undefined) return false;
    const size = files.stat(from, "")?.size ?? 0n;
    const isCloned = facts.clone(to, from);
    const hash = hashOf(files, from, { size, take: (part) => isCloned || this.#write(to, part) });
    files.drop(from);
    return hash === content && files.resize(to, Number(size));
  }

  /** The first bytes of a content; undefined: it no longer exists. */
  read(content: string, most: number): Uint8Array | undefined {
    const { files } = this.#parts;
    const buffer = new Uint8Array(most);
    const length = files.with(this.open(content), (fd) => files.readAt(fd, buffer, 0));
    return length === undefined ? undefined : buffer.subarray(0, length);
  }

  #keepSmall(fd: number, { size }: Stat): Kept {
    const { files } = this.#parts;
    const bytes = files.read(fd, size);
    if (bytes === undefined) return { unkept: "it changed while it was read" };
    const content = createHash("sha256").update(bytes).digest("hex");
    if (!this.#isThere(content, size)) this.#draft(size, (draft) => files.writeAll(draft, bytes) ? content : undefined);
    return { content };
  }

  #copy(fd: number, { size }: Stat): Kept {
    const { files, facts } = this.#parts;
    const content = this.#draft(size, (draft) => {
      if (facts.clone(draft, fd)) return this.#ofDraft(draft, size);
      const hash = hashOf(files, fd, { size, take: (part) => this.#write(draft, part) });
      return files.resize(draft, Number(size)) ? hash : undefined;
    });
    return files.stat(fd, "")?.size === size ? { content } : { unkept: "it changed while it was read" };
  }

  /** The content of a clone, which changes of the file no longer affect. */
  #ofDraft(draft: number, size: bigint): string | undefined {
    const { files } = this.#parts;
    // It is open for writing only.
    return files.with(files.reopen(draft), (again) => hashOf(files, again, { size }));
  }

  /** Writes a part; a part of zeros becomes a hole, as in its file. */
  #write(fd: number, part: Uint8Array<ArrayBuffer>): boolean {
    const { files } = this.#parts;
    const isHole = part.length === CHUNK_BYTES && new BigUint64Array(part.buffer).every((word) => word === 0n);
    return isHole ? files.skip(fd, part.length) : files.writeAll(fd, part);
  }

  /** Whether it is stored whole. It is then marked as new, so that no other server removes it. */
  #isThere(content: string, size: bigint): boolean {
    const { files, facts, directory } = this.#parts;
    if (files.stat(directory, content)?.size !== size) return false;
    const later = BigInt(Date.now() + 1) * 1_000_000n;
    return facts.setModified(directory, content, later);
  }

  /** Fills a new file, and gives it the name that `fill` gives; that name. @throws {StoreError} */
  #draft(size: bigint, fill: (draft: number) => string | undefined): string {
    const { files, directory } = this.#parts;
    const name = `${DRAFT}${crypto.randomUUID()}`;
    const draft = files.create(directory, name, 0o600);
    if (draft === undefined) throw this.#problem();
    const content = fill(draft);
    const problem = content === undefined ? this.#problem() : undefined;
    files.drop(draft);
    const at = Date.now();
    if (content !== undefined && files.replace(directory, name, content)) {
      this.#own.set(content, at);
      this.#written += Number(size);
      return content;
    }
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

/**
 * The hash of an open file if all its parts were accepted; undefined: one was not, or it cannot be read. `size`: it is
 * read up to there, in whole chunks.
 */
export function hashOf(files: OpenFiles, fd: number, { size, take }: {
  readonly size?: bigint;
  readonly take?: (part: Uint8Array<ArrayBuffer>) => boolean;
} = {}): string | undefined {
  const hash = createHash("sha256");
  let buffer = new Uint8Array(size === undefined ? FIRST_BYTES : CHUNK_BYTES);
  for (let at = 0;;) {
    const room = size === undefined ? buffer : buffer.subarray(0, Number(size) - at);
    const length = room.length === 0 ? 0 : files.readAt(fd, room, at);
    if (length === undefined) return undefined;
    if (length === 0) return hash.digest("hex");
    const part = buffer.subarray(0, length);
    hash.update(part);
    if (take?.(part) === false) return undefined;
    at += length;
    if (buffer.length < CHUNK_BYTES && length === buffer.length) buffer = new Uint8Array(CHUNK_BYTES);
  }
}
