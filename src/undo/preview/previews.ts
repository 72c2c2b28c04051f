/**
 * The previews of one server (S40): layers of the store, which only the previewed command writes, through its view, and
 * the list of changes. They end with the server; those of a killed one pass to the next, for a day.
 */
import { attempt, UserError } from "../../base/errors.ts";
import { removeTree } from "../../system/open_files/remove_tree.ts";
import { lineOf, recordsOf } from "../journal/lines.ts";
import type { Change, RecordedOperation } from "../model/change.ts";
import type { Left } from "../model/plan.ts";
import type { Recorded } from "../recorder.ts";
import { type Applied, applyChanges } from "./apply.ts";
import { Layers, partOf } from "./layers.ts";
import { type LayerParts, readLayer } from "./upper.ts";
import { hashOf } from "../store/objects.ts";
import { isWithin } from "../../system/paths.ts";

export interface PreviewsOptions extends LayerParts {
  /** The directory of all previews of the project; each server has its own in it. */
  readonly places: string;
  /** The name of this server's. */
  readonly session: string;
  /** The trees in the order in which the server numbers their layers, canonical. */
  readonly trees: readonly string[];
  /** Bytes of all together. */
  readonly mostBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A preview whose command has ended. */
export interface Preview extends RecordedOperation {
  readonly left: readonly Left[];
  readonly stale: readonly string[];
  /** Its directory. */
  readonly place: string;
  /** An apply has begun. */
  readonly isRest: boolean;
}

const KEPT_MS = 86_400_000;
const LOCK = "lock";
const LIST = "changes";
const APPLYING = "applying";

export class Previews implements AsyncDisposable {
  readonly #options: PreviewsOptions;
  readonly #own: string;
  /** Directories of this server and of killed ones, each with its lock. */
  readonly #held = new Map<string, Deno.FsFile>();
  readonly #begun = new Map<string, Recorded>();

  private constructor(options: PreviewsOptions) {
    this.#options = options;
    this.#own = `${options.places}/${options.session}`;
  }

  /** Takes over what killed servers left. @throws {Error} When the store cannot be written. */
  static async open(options: PreviewsOptions): Promise<Previews> {
    const previews = new Previews(options);
    const { places, session } = options;
    const draft = `${places}/${DRAFT}${session}`;
    if (attempt(Deno.errors.NotFound, () => Deno.lstatSync(previews.#own)) === undefined) {
      // Another server takes over what is not locked, so a directory gets its name together with the lock.
      await Deno.mkdir(draft, { recursive: true, mode: 0o700 });
      const lock = await locked(draft);
      if (lock !== undefined) previews.#held.set(previews.#own, lock);
      await Deno.rename(draft, previews.#own);
    }
    for (const { name } of Deno.readDirSync(places)) {
      if (!name.startsWith(DRAFT)) await previews.#hold(`${places}/${name}`);
    }
    return previews;
  }

  /** Creates the layers of a command, or continues its operation's. @throws {UserError} When there is no room. */
  async begin(recorded: Recorded): Promise<void> {
    const { trees, mostBytes } = this.#options;
    const place = `${this.#own}/${recorded.operation}`;
    const used = this.bytes();
    if (used >= mostBytes) {
      throw new UserError(
        `Cannot preview: ${used} bytes of earlier previews are kept, of ${mostBytes} (--preview-most). Apply or drop one`,
      );
    }
    this.#begun.set(recorded.operation, recorded);
    // While a further command of the operation runs, there is nothing to apply.
    forget(place);
    for (const [index, tree] of trees.entries()) {
      // From the previous command: a view that was not synced to disk cannot be mounted with it again.
      await removeTree(`${place}/${index}/work`);
      new Layers(this.#options, `${place}/${index}`).make(tree);
    }
  }

  /** Bytes of all previews. */
  bytes(): number {
    return this.#places().reduce((sum, place) => sum + partOf(this.#options, place), 0);
  }

  /** Reads what a command has written, once its last process is gone. @throws {UserError} When there is too much. */
  look(operation: string): Preview | undefined {
    const recorded = this.#begun.get(operation);
    if (recorded === undefined) return undefined;
    const place = `${this.#own}/${operation}`;
    const seen = this.#options.trees.map((path, index) => {
      const upper = `${place}/${index}`;
      const layers = new Layers(this.#options, upper);
      return layers.with((fd, begun) => readLayer(this.#options, { path, upper: fd, begun })) ?? NOTHING;
    });
    const preview = {
      ...recorded,
      at: this.#options.now(),
      changes: seen.flatMap(({ changes }) => changes).toSorted((one, other) => one.path < other.path ? -1 : 1),
      refs: [],
      shared: [],
    };
    const more = { left: seen.flatMap(({ left }) => left), stale: seen.flatMap(({ stale }) => stale) };
    Deno.writeTextFileSync(
      `${place}/${LIST}.new`,
      `${JSON.stringify(more)}\n${lineOf({ kind: "past", operation: preview })}`,
    );
    Deno.renameSync(`${place}/${LIST}.new`, `${place}/${LIST}`);
    return this.find(operation);
  }

  /** Those whose commands have ended, the last first. */
  all(): readonly Preview[] {
    return this.#places().flatMap((place) => read(place) ?? []).toSorted((one, other) => other.at - one.at);
  }

  find(operation: string): Preview | undefined {
    const place = this.#places().find((one) => one.endsWith(`/${operation}`));
    return place === undefined ? undefined : read(place);
  }

  /** The first bytes of a content of a preview, or of the tree as it saw it; undefined: it no longer exists. */
  content(preview: Preview, content: string, most: number): Uint8Array | undefined {
    const { files, roots } = this.#options;
    const bytes = new Uint8Array(most);
    const take = (fd: number): Uint8Array | undefined => {
      const length = files.readAt(fd, bytes, 0);
      return length === undefined ? undefined : bytes.subarray(0, length);
    };
    const changed = preview.changes.find(({ before }) => before?.content === content);
    const old = changed && roots.at(changed.path, ({ directory, name }) => {
      return files.with(files.open(directory, name), (fd) => hashOf(files, fd) === content ? take(fd) : undefined);
    });
    return old ?? this.#withContent(preview, preview.changes.find(({ after }) => after?.content === content), take);
  }

  /** Applies a preview; the rest of it can be applied later. `chosen`: see `ApplyQuestion`. */
  apply(preview: Preview, chosen: readonly string[] | undefined): Applied {
    const { changes, left, stale, place, isRest } = preview;
    const differs = stale.filter((path) => chosen?.some((one) => isWithin(path, one)) ?? true);
    if (differs.length > 0) return { differs, done: [], left: [] };
    const { files } = this.#options;
    const written = new Map(changes.map((change) => [change.after?.content, change]));
    return applyChanges({
      ...this.#options,
      changes,
      left,
      chosen,
      isRest,
      restore: (content, to) =>
        this.#withContent(
          preview,
          written.get(content),
          (fd) => hashOf(files, fd, { take: (part) => files.writeAll(to, part) }) === content,
        ) ===
          true,
      onBegin: () => Deno.writeTextFileSync(`${place}/${APPLYING}`, ""),
    });
  }

  /** Removes a preview, or what a command of that operation left. */
  async drop(operation: string): Promise<void> {
    this.#begun.delete(operation);
    for (const place of this.#places()) if (place.endsWith(`/${operation}`)) await remove(place);
  }

  /** Removes all of them. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const [place, lock] of this.#held) {
      await removeTree(place, LOCK);
      lock.close();
    }
    this.#held.clear();
  }

  /** Takes over a directory of a dead server, or this one's; removes old previews. */
  async #hold(place: string): Promise<void> {
    const lock = this.#held.has(place) ? undefined : await locked(place);
    if (lock === undefined) return;
    this.#held.set(place, lock);
    if (place === this.#own) return;
    const { now } = this.#options;
    for (const { name, isDirectory } of Deno.readDirSync(place)) {
      const found = isDirectory ? read(`${place}/${name}`) : undefined;
      if (isDirectory && now() - (found?.at ?? 0) > KEPT_MS) await remove(`${place}/${name}`);
    }
  }

  /** Of all previews. */
  #places(): readonly string[] {
    return [...this.#held.keys()].flatMap((place) =>
      [...Deno.readDirSync(place)].flatMap(({ name, isDirectory }) => isDirectory ? [`${place}/${name}`] : [])
    );
  }

  #withContent<Result>(
    { place }: Preview,
    changed: Change | undefined,
    use: (fd: number) => Result | undefined,
  ): Result | undefined {
    const { files, trees } = this.#options;
    const index = trees.findIndex((tree) => changed?.path.startsWith(`${tree}/`) === true);
    const tree = trees[index];
    if (changed === undefined || tree === undefined) return undefined;
    const below = changed.path.slice(tree.length + 1);
    return new Layers(this.#options, `${place}/${index}`).with((upper) =>
      files.with(files.fileBelow(upper, below), use)
    );
  }
}

const EXCLUSIVE = true;
/** The prefix of a directory that has no lock yet. */
const DRAFT = ".draft-";
const NOTHING = { changes: [], left: [], stale: [] };

/** Removes a preview. The list goes first: killed midway, this leaves nothing that could be applied. */
async function remove(place: string): Promise<void> {
  forget(place);
  await removeTree(place);
}

function forget(place: string): void {
  attempt(Deno.errors.NotFound, () => Deno.removeSync(`${place}/${LIST}`));
}

/** The lock of a directory; undefined: a running server holds it. */
async function locked(place: string): Promise<Deno.FsFile | undefined> {
  const lock = await Deno.open(`${place}/${LOCK}`, { create: true, write: true, mode: 0o600 });
  if (lock.tryLockSync(EXCLUSIVE)) return lock;
  lock.close();
  return undefined;
}

function read(place: string): Preview | undefined {
  const text = attempt(Deno.errors.NotFound, () => Deno.readTextFileSync(`${place}/${LIST}`));
  const end = text?.indexOf("\n") ?? -1;
  const [record] = recordsOf([text?.slice(end + 1) ?? ""]);
  if (text === undefined || record?.kind !== "past") return undefined;
  const more: Pick<Preview, "left" | "stale"> = JSON.parse(text.slice(0, end));
  const isRest = attempt(Deno.errors.NotFound, () => Deno.lstatSync(`${place}/${APPLYING}`)) !== undefined;
  return { ...record.operation, ...more, place, isRest };
}
