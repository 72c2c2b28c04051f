import type { TreeMaker } from "../../system/open_files/tree_maker.ts";
import { parentOf } from "../../system/paths.ts";

/** Makes things to mount on, with the directories on their way, each once. Its methods throw what `TreeMaker` throws. */
export class TreePoints {
  readonly #make: TreeMaker;
  readonly #directories: Set<string>;

  /** `directories`: those that are there; every path lies below one of them. */
  constructor(make: TreeMaker, directories: readonly string[]) {
    this.#make = make;
    this.#directories = new Set(directories);
  }

  add(path: string, kind: "directory" | "file"): void {
    if (kind === "directory" && this.#directories.has(path)) return;
    this.add(parentOf(path), "directory");
    this.#make[kind](path);
    if (kind === "directory") this.#directories.add(path);
  }

  /** A link, where no directory was made. */
  link(path: string, target: string): void {
    if (this.#directories.has(path)) return;
    this.add(parentOf(path), "directory");
    this.#make.link(path, target);
  }

  hasDirectory(path: string): boolean {
    return this.#directories.has(path);
  }
}
