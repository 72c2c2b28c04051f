/** The index of the worker's project, updated from the files before each query (K4). */
import { setImmediate } from "node:timers";
import { UserError } from "../../base/errors.ts";
import { withTimeout } from "../../base/time.ts";
import { listFiles } from "../find/list_files.ts";
import { Grammars } from "../outline/grammars.ts";
import { isOutlined, outlineText } from "../outline/outline_text.ts";
import { MOST_SOURCE_BYTES, textOf, whyUnread } from "../outline/read_source.ts";
import type { Project } from "../project/project.ts";
import { revOf } from "../project/seen_contents.ts";
import type { Tree } from "../../system/tree/tree.ts";
import { chunksOf } from "./chunks.ts";
import { IndexFile, isBusy, isDamage, isFull } from "./index_file.ts";
import { type FileState, type KnownFile, knownFiles, removeFile, storeFile, touchFile } from "./store.ts";

/** Limits of an update, and its progress reports. */
export interface UpdateOptions {
  /** Whether the time is limited, as for a query: briefly, or longer while much is not indexed; absent: no limit. */
  readonly isBounded?: true;
  /** Whether files are indexed that have not changed. */
  readonly force?: boolean;
  /** Other files are not reread; absent: none. */
  readonly fits?: (path: string) => boolean;
  readonly signal: AbortSignal;
  readonly onFile?: (done: number, total: number, path: string) => void;
}

/** What an update did. */
export interface UpdateReport {
  /** Files whose content was read into the index. */
  readonly indexed: number;
  readonly removed: number;
  /** Number of changed or new files that are not indexed yet. */
  readonly pending: number;
  /** Whether the list of files is complete. */
  readonly isWhole: boolean;
  /** Another update runs in this or another server. */
  readonly isBusy: boolean;
}

/** A file to index. */
interface Change {
  readonly tree: Tree;
  /** Seen from the root of the tree. */
  readonly place: string;
  readonly path: string;
  readonly state: Pick<FileState, "size" | "changed">;
}

interface Work {
  readonly gone: readonly (readonly [path: string, known: KnownFile])[];
  readonly order: readonly Change[];
}

interface Found {
  readonly changes: readonly Change[];
  readonly seen: ReadonlySet<string>;
  readonly isWhole: boolean;
}

/** How long a query waits for the index, milliseconds. */
const SHORT_MS = 300;
/** The same while more than a tenth of the files is missing, because an answer would be useless. */
const LONG_MS = 10_000;
const MUCH = 0.1;
/** After this many files other servers and calls get a turn. */
const FILES_AT_ONCE = 32;
/** Generated files, which are not searched. */
const MADE = /(?:\.(?:lock|map|svg|min\.js|min\.css)|\/(?:package-lock\.json|pnpm-lock\.yaml|go\.sum))$/;
const BUSY: UpdateReport = { indexed: 0, removed: 0, pending: 0, isWhole: false, isBusy: true };

export class ProjectIndex {
  readonly #project: Project;
  #index: Promise<IndexFile> | undefined;
  #known: { readonly version: string; readonly files: Map<string, KnownFile> } | undefined;
  #updating: Promise<UpdateReport> | undefined;

  constructor(project: Project) {
    this.#project = project;
  }

  /** Asks the index, which is rebuilt if damaged. @throws {UserError} When that is impossible. */
  async read<Answer>(ask: (index: IndexFile) => Answer): Promise<Answer> {
    const index = await this.#open();
    try {
      return ask(index);
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown;
      index.renew();
      await this.update({ isBounded: true, signal: new AbortController().signal });
      return ask(index);
    }
  }

  /** All files that are known, by path. */
  async files(): Promise<ReadonlyMap<string, KnownFile>> {
    return await this.read((index) => this.#files(index));
  }

  /** Brings it up to date. @throws {UserError} When there is no index, or the disk is full. */
  async update(options: UpdateOptions): Promise<UpdateReport> {
    const other = this.#updating;
    if (other !== undefined) {
      if (!options.isBounded) return BUSY;
      await withTimeout(other.catch(() => {}), LONG_MS);
      const next = this.#updating;
      if (next === other) return BUSY;
      // That update began after this call, so it covers this one.
      if (next !== undefined) return await withTimeout(next, LONG_MS) ?? BUSY;
    }
    this.#updating = this.#updateOrRenew(options);
    try {
      return await this.#updating;
    } finally {
      this.#updating = undefined;
    }
  }

  async #updateOrRenew(options: UpdateOptions): Promise<UpdateReport> {
    const index = await this.#open();
    try {
      return await this.#update(index, options);
    } catch (thrown) {
      index.rollBack();
      this.#known = undefined;
      if (isBusy(thrown)) return BUSY;
      if (isFull(thrown)) throw new UserError("Cannot index: the index has reached 1 GiB, or the disk is full");
      if (!isDamage(thrown)) throw thrown;
      index.renew();
      return await this.#update(index, options);
    }
  }

  async #open(): Promise<IndexFile> {
    const { cache } = this.#project.setup;
    if (cache === undefined) throw new UserError("Cannot search: there is no directory for an index");
    this.#index ??= IndexFile.open(cache);
    const opening = this.#index;
    return await opening.catch((thrown) => {
      this.#index = undefined;
      throw thrown;
    });
  }

  #files(index: IndexFile): Map<string, KnownFile> {
    const { version } = index;
    if (this.#known?.version !== version) this.#known = { version, files: knownFiles(index) };
    return this.#known.files;
  }

  async #update(index: IndexFile, options: UpdateOptions): Promise<UpdateReport> {
    const begin = performance.now();
    const short = begin + (options.isBounded ? SHORT_MS : Infinity);
    const files = this.#files(index);
    const trees = new DisposableStack();
    try {
      const found = await this.#find(trees, files, { ...options, end: short });
      const gone = found.isWhole
        ? [...files].filter(([path]) => !found.seen.has(path) && (options.fits?.(path) ?? true))
        : [];
      // Known files come first, because the caller is probably working on them.
      const order = found.changes.toSorted((one, other) => Number(files.has(other.path)) - Number(files.has(one.path)));
      const end = order.length > found.seen.size * MUCH ? Math.max(begin + LONG_MS, short) : short;
      const { indexed, done } = gone.length + order.length === 0
        ? { indexed: 0, done: 0 }
        : await this.#apply(index, files, { gone, order }, { ...options, end });
      this.#known = { version: index.version, files };
      options.signal.throwIfAborted();
      const pending = order.length - done;
      return { indexed, removed: gone.length, pending, isWhole: found.isWhole, isBusy: false };
    } finally {
      trees.dispose();
    }
  }

  async #apply(
    index: IndexFile,
    files: Map<string, KnownFile>,
    { gone, order }: Work,
    { end, force, signal, onFile }: UpdateOptions & { readonly end: number },
  ): Promise<{ readonly indexed: number; readonly done: number }> {
    let indexed = 0;
    let done = 0;
    index.begin();
    for (const [path, known] of gone) {
      removeFile(index, known);
      files.delete(path);
    }
    for (const change of order) {
      if (signal.aborted || performance.now() >= end || this.#project.isSpent) break;
      if (await this.#indexFile(index, files, { ...change, isForced: force === true })) indexed++;
      done++;
      if (done % FILES_AT_ONCE !== 0) continue;
      index.commit();
      onFile?.(done, order.length, change.path);
      await new Promise((resolve) => setImmediate(resolve));
      index.begin();
    }
    index.commit();
    return { indexed, done };
  }

  /** Finds files that differ from the index. */
  async #find(
    trees: DisposableStack,
    files: ReadonlyMap<string, KnownFile>,
    { end, force, fits, signal }: UpdateOptions & { readonly end: number },
  ): Promise<Found> {
    const changes: Change[] = [];
    const seen = new Set<string>();
    for (const scope of this.#project.setup.scopes) {
      const tree = trees.use(await this.#project.tree(scope));
      for await (const paths of listFiles(tree, { respectIgnore: true, signal })) {
        if (performance.now() >= end) return { changes, seen, isWhole: false };
        for (const name of paths) {
          const path = tree.shown(name);
          seen.add(path);
          if (fits !== undefined && !fits(path)) continue;
          const place = tree.fromRoot(name);
          const state = stateOf(tree, place);
          const known = files.get(path);
          if (state === undefined) seen.delete(path);
          else if (force || known?.size !== state.size || known.changed !== state.changed) {
            changes.push({ tree, place, path, state });
          }
        }
      }
    }
    return { changes, seen, isWhole: !signal.aborted };
  }

  /** Whether the file was read into the index. */
  async #indexFile(
    index: IndexFile,
    files: Map<string, KnownFile>,
    { tree, place, path, state, isForced }: Change & { readonly isForced: boolean },
  ): Promise<boolean> {
    const known = files.get(path);
    const isMade = MADE.test(`/${path}`);
    const bytes = isMade ? undefined : tree.read(place, MOST_SOURCE_BYTES);
    const skip = (skipped: string) => {
      files.set(path, storeFile(index, { path, state: { ...state, rev: "", skipped }, chunks: [] }, known));
      return false;
    };
    if (bytes === undefined) return skip(isMade ? "made by programs" : whyUnread(tree, place));
    const rev = await revOf(bytes);
    if (!isForced && known?.rev === rev) {
      files.set(path, touchFile(index, known, { ...state, rev, skipped: undefined }));
      return false;
    }
    const text = textOf(bytes);
    if (!text.ok) return skip(text.problem);
    const outline = isOutlined(path) ? await outlineText(this.#project.kept(Grammars), path, text.value) : undefined;
    const chunks = chunksOf(text.value, outline?.ok ? outline.value : []);
    files.set(path, storeFile(index, { path, state: { ...state, rev, skipped: undefined }, chunks }, known));
    return true;
  }
}

function stateOf(tree: Tree, place: string): Pick<FileState, "size" | "changed"> | undefined {
  const stat = tree.stat(place);
  if (stat === undefined) return undefined;
  const [, , seconds = 0n, nanoseconds = 0n] = stat.times;
  return { size: Number(stat.size), changed: Number(seconds) * 1000 + Number(nanoseconds) / 1e6 };
}
