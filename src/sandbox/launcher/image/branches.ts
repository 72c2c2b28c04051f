import type { SystemCalls } from "../../../system/syscalls.ts";
import type { Table, TableWord } from "./table.ts";

/** When a jump is made. */
export interface Condition {
  /** The 64-bit word that decides. */
  readonly word: TableWord;
  /** Bits of it that count; absent: the lower 32. */
  readonly mask?: number | bigint;
  /** The jump is made when the bits are these ... */
  readonly is?: number | bigint;
  /** ... or when they are not these. */
  readonly isNot?: number | bigint;
}

const LOWER_HALF = 0xffff_ffff;

/** Jumps of a table between places that may come later; `resolve` sets all of them when every place is known. */
export class Branches {
  readonly #table: Table;
  readonly #places = new Map<string, number>();
  readonly #jumps: { readonly entry: number; readonly to: string }[] = [];

  constructor(table: Table) {
    this.#table = table;
  }

  /** Names the place of the entry that is added next. */
  place(name: string): void {
    this.#places.set(name, this.#table.entries.length);
  }

  /** Continues at a place, always or on a condition. Returns the entry's index. */
  jump(to: string, { word, mask = LOWER_HALF, is, isNot }: Condition = ALWAYS): number {
    const entry = this.#table.call(`go on to ${to}`, 0, [word, 0, mask, isNot === undefined ? 1 : 0], {
      mode: "jump",
      expect: is ?? isNot ?? 0,
    });
    this.#jumps.push({ entry, to });
    return entry;
  }

  /** @throws {RangeError} When a place of a jump was never named. */
  resolve(): void {
    for (const { entry, to } of this.#jumps) {
      const place = this.#places.get(to);
      if (place === undefined) throw new RangeError(`Cannot jump to "${to}": there is no such place`);
      this.#table.aim(entry, 1, { kind: "entry", entry: place });
    }
  }
}

/** An unconditional jump: the first word of data is not compared. */
const ALWAYS: Condition = { word: { kind: "data", offset: 0 }, mask: 0, is: 0 };

/** What adds calls to a table. */
export interface Calls {
  readonly table: Table;
  readonly sys: SystemCalls;
}

/** Adds a call whose result, an error included, is left in data for a jump to look at. */
export function kept({ table }: Calls, step: string, number: number, args: readonly TableWord[]): TableWord {
  const place = table.words(0);
  table.send(table.call(step, number, args, { mode: "keep" }), place);
  return place;
}
