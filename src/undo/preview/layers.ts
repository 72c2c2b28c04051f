/** The directories of one view, in the store: `upper` holds what is written, `work` belongs to the kernel. */
import { attempt, UserError } from "../../base/errors.ts";
import type { LayerParts } from "./upper.ts";

/** A file that is as old as the first view. */
const BEGUN = "begun";

type Parts = Pick<LayerParts, "files" | "facts" | "roots">;

export class Layers {
  readonly #parts: Parts;
  readonly #place: string;

  constructor(parts: Parts, place: string) {
    this.#parts = parts;
    this.#place = place;
  }

  /** Creates them, if they are missing: the root of a view has the mode of the upper layer's. @throws {Error} When it cannot. */
  make(tree: string): void {
    const { files, facts, roots } = this.#parts;
    const upper = `${this.#place}/upper`;
    for (const path of [upper, `${this.#place}/work`]) Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
    const options = { createNew: true, mode: 0o600 };
    attempt(Deno.errors.AlreadyExists, () => Deno.writeTextFileSync(`${this.#place}/${BEGUN}`, "", options));
    const top = roots.directory(tree);
    const stat = top === undefined ? undefined : files.stat(top, "");
    const fd = files.directoryAt(upper);
    if (stat === undefined || fd === undefined) throw new UserError(`Cannot preview: "${tree}" cannot be opened`);
    facts.setOwner(fd, ".", stat.uid, stat.gid);
    facts.setMode(fd, stat.mode & 0o7777);
    files.drop(fd);
    if (top !== undefined) files.drop(top);
  }

  /** Calls back with the upper layer; undefined: it does not exist. `begun`: when the view was created, by the clock of files. */
  with<Result>(work: (upper: number, begun: bigint) => Result): Result | undefined {
    const { files } = this.#parts;
    return files.with(
      files.directoryAt(`${this.#place}/upper`),
      (upper) => work(upper, files.stat(upper, `../${BEGUN}`)?.changedAt ?? 0n),
    );
  }
}

/** Bytes of the files of a preview, by their nominal size. */
export function partOf({ files }: Parts, place: string): number {
  const top = files.directoryAt(place);
  if (top === undefined) return 0;
  let bytes = 0;
  const waiting = ["."];
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    const fd = files.directoryBelow(top, below);
    if (fd === undefined) continue;
    for (const { name } of files.entries(fd)) {
      const stat = files.stat(fd, name);
      if (stat?.kind === "directory") waiting.push(`${below}/${name}`);
      else bytes += Number(stat?.size ?? 0n) + ENTRY_BYTES;
    }
    files.drop(fd);
  }
  files.drop(top);
  return bytes;
}

/** The least that each name costs a file system. */
const ENTRY_BYTES = 256;
