import { nameBytes } from "../../../base/bytes.ts";
import { encodeText } from "../../../base/text.ts";
import { LITTLE_ENDIAN } from "../../../system/c_library.ts";
import { NO_CALL } from "../../../system/syscalls.ts";
import { type EntryMode } from "./interpreter.ts";

/**
 * A word of an entry: a number, the address of data, of another entry, of an argument of one, or of its expected value.
 */
export type TableWord =
  | number
  | bigint
  | { readonly kind: "data"; readonly offset: number }
  | { readonly kind: "entry"; readonly entry: number }
  | { readonly kind: "argument"; readonly entry: number; readonly index: number }
  | { readonly kind: "expected"; readonly entry: number }
  /** Of a variable of the program that the table is a part of (shared_object.ts). */
  | { readonly kind: "symbol"; readonly name: string };

/** The address of data. */
export type DataWord = Extract<TableWord, { kind: "data" }>;

export interface TableEntry {
  readonly number: number;
  /** Of a function, in place of the number. */
  readonly name?: string | undefined;
  readonly args: readonly TableWord[];
  readonly mode: EntryMode;
  readonly expect: number | bigint;
  readonly step: number;
  out: TableWord | undefined;
}

/** What a step does beyond its call. */
export interface CallOptions {
  /** Absent: `fatal`. */
  readonly mode?: EntryMode;
  /** For the modes `equals`, `compare` and `jump`. */
  readonly expect?: number | bigint;
  /** For the modes `function` and `leave`: what is called. */
  readonly name?: string;
}

/**
 * A table of system calls in the making: entries in order, their data, and the names of the steps for error messages.
 */
export class Table {
  readonly entries: TableEntry[] = [];
  /** By step number: what the step was about, for a person. */
  readonly steps: string[] = [];
  /** Places in the data that hold addresses. */
  readonly pointers: { readonly at: number; readonly to: TableWord }[] = [];
  #data = new Uint8Array(8192);
  #used = 0;

  /**
   * A copy of this table that can be extended separately: a policy's part is built once, a command's part each time.
   */
  continued(): Table {
    const copy = new Table();
    copy.entries.push(...this.entries);
    copy.steps.push(...this.steps);
    copy.pointers.push(...this.pointers);
    copy.#data = this.#data.slice();
    copy.#used = this.#used;
    return copy;
  }

  /** The data so far. */
  data(): Uint8Array {
    return this.#data.subarray(0, this.#used);
  }

  /** Adds a call; `step` says what it is for. Returns the entry's index. */
  call(step: string, number: number, args: readonly TableWord[], options: CallOptions = {}): number {
    this.steps.push(step);
    this.entries.push({
      number,
      name: options.name,
      args,
      mode: options.mode ?? "fatal",
      expect: options.expect ?? 0,
      step: this.steps.length - 1,
      out: undefined,
    });
    return this.entries.length - 1;
  }

  /** Sends the low 32 bits of an entry's result to data or to an argument of another entry. One target per entry. */
  send(entry: number, target: TableWord): void {
    const from = this.entries[entry];
    if (from === undefined || from.out !== undefined) {
      throw new RangeError(`Cannot send the result of entry ${entry}: it is missing or has a target already`);
    }
    from.out = target;
  }

  /** Hands the result of an entry, a descriptor, to the first argument of another. */
  passOn(entry: number, to: number): void {
    this.send(entry, { kind: "argument", entry: to, index: 0 });
  }

  /** Adds entries that fail unless something else is written over them; returns the index of the first. */
  reserve(count: number): number {
    const first = this.entries.length;
    const step = this.steps.push("reserve room for a command") - 1;
    for (let i = 0; i < count; i++) {
      this.entries.push({ number: NO_CALL, args: [], mode: "fatal", expect: 0, step, out: undefined });
    }
    return first;
  }

  /** Sets an argument of an entry that could not be known when it was added. */
  aim(entry: number, index: number, word: TableWord): void {
    const from = this.entries[entry];
    if (from === undefined) throw new RangeError(`Cannot set an argument of entry ${entry}: it is missing`);
    this.entries[entry] = { ...from, args: from.args.with(index, word) };
  }

  /** Copies bytes in, aligned; returns where they stand. */
  bytes(bytes: Uint8Array, alignment = 8): DataWord {
    const offset = Math.ceil(this.#used / alignment) * alignment;
    const end = offset + bytes.length;
    if (end > this.#data.length) {
      const grown = new Uint8Array(Math.max(end, this.#data.length * 2));
      grown.set(this.#data.subarray(0, this.#used));
      this.#data = grown;
    }
    this.#data.set(bytes, offset);
    this.#used = end;
    return { kind: "data", offset };
  }

  /** A NUL-terminated string. @throws {TypeError} When the text holds NUL. */
  text(text: string): DataWord {
    if (text.includes("\0")) throw new TypeError("Cannot pass text to the launcher: it holds a NUL character");
    return this.bytes(encodeText(text + "\0"), 1);
  }

  /** A path as the system has it, whose names need not be UTF-8. */
  path(path: string): DataWord {
    if (path.includes("\0")) throw new TypeError("Cannot pass a path to the launcher: it holds a NUL character");
    return this.bytes(nameBytes(path + "\0"), 1);
  }

  /** Little-endian 64-bit words. */
  words(...words: readonly (number | bigint)[]): DataWord {
    const bytes = new Uint8Array(words.length * 8);
    const view = new DataView(bytes.buffer);
    words.forEach((word, i) => view.setBigUint64(i * 8, BigInt.asUintN(64, BigInt(word)), LITTLE_ENDIAN));
    return this.bytes(bytes);
  }

  /** A NULL-terminated array of pointers to strings, as `execve` takes it. */
  vector(texts: readonly string[]): DataWord {
    return this.addresses([...texts.map((text) => this.text(text)), 0]);
  }

  /** 64-bit words, some of them addresses. */
  addresses(words: readonly TableWord[]): DataWord {
    const place = this.bytes(new Uint8Array(8 * words.length));
    words.forEach((to, i) => this.pointers.push({ at: place.offset + 8 * i, to }));
    return place;
  }
}
