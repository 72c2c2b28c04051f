/** Depth and length of sequences that call sequences (T14), each visited once: a short file can have more paths through it than can be walked. */
import type { Catalog, Leaf } from "../model/leaf.ts";
import { stepTarget } from "../model/resolve.ts";

/** The size of a sequence when the sequences it calls are expanded. */
export interface SequenceSize {
  /** 1 for one that calls none. */
  readonly levels: number;
  /** Commands and sequences that run; Infinity where they are more than a number holds. */
  readonly steps: number;
}

export class SequenceGraph {
  readonly #catalog: Catalog;
  readonly #sizes = new Map<Leaf, SequenceSize>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
    const callers = new Map<Leaf, Leaf[]>();
    /** Steps to sequences whose size is not known yet. */
    const open = new Map<Leaf, number>();
    for (const leaf of catalog.leaves) {
      if (leaf.sequence.length === 0) continue;
      const targets = this.#sequencesOf(leaf);
      open.set(leaf, targets.length);
      for (const target of targets) callers.set(target, [...callers.get(target) ?? [], leaf]);
    }
    const ready = [...open].filter(([, count]) => count === 0).map(([leaf]) => leaf);
    for (const leaf of ready) {
      this.#sizes.set(leaf, this.#measure(leaf));
      for (const caller of callers.get(leaf) ?? []) {
        const left = (open.get(caller) ?? 0) - 1;
        open.set(caller, left);
        if (left === 0) ready.push(caller);
      }
    }
  }

  /** Undefined: it calls itself, directly or through others. */
  sizeOf(sequence: Leaf): SequenceSize | undefined {
    return this.#sizes.get(sequence);
  }

  /** Names from `above` through `sequence` along a cycle until one repeats; at most ten. */
  circleFrom(above: Leaf, sequence: Leaf): readonly string[] {
    return this.#namesAlong([above, sequence], (leaf) => !this.#sizes.has(leaf));
  }

  /** Names from `above` through `sequence` down to the deepest; at most ten. */
  deepestFrom(above: Leaf, sequence: Leaf): readonly string[] {
    const levels = (leaf: Leaf) => this.#sizes.get(leaf)?.levels ?? 0;
    return this.#namesAlong([above, sequence], (leaf, from) => levels(leaf) === levels(from) - 1);
  }

  #namesAlong(path: Leaf[], isNext: (leaf: Leaf, from: Leaf) => boolean): readonly string[] {
    for (let from = path.at(-1); from !== undefined && path.length < MOST_NAMES;) {
      const last: Leaf = from;
      const repeated = path.indexOf(last) < path.length - 1;
      const next = repeated ? undefined : this.#sequencesOf(last).find((leaf) => isNext(leaf, last));
      if (next !== undefined) path.push(next);
      from = next;
    }
    return path.map(({ name }) => name);
  }

  #measure(leaf: Leaf): SequenceSize {
    const sizes = this.#sequencesOf(leaf).map((target) => this.#sizes.get(target) ?? { levels: 0, steps: 0 });
    return {
      levels: 1 + sizes.reduce((most, { levels }) => Math.max(most, levels), 0),
      steps: sizes.reduce((sum, { steps }) => sum + steps, leaf.sequence.length),
    };
  }

  #sequencesOf({ sequence }: Leaf): readonly Leaf[] {
    return sequence.map((step) => stepTarget(this.#catalog, step))
      .filter((target) => target !== undefined).filter((target) => target.sequence.length > 0);
  }
}

const MOST_NAMES = 10;
