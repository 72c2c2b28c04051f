import { type Instruction, OPERATION } from "./bpf.ts";

/** What a conditional jump asks of the accumulator. */
export type Condition = "jumpIfEqual" | "jumpIfGreater" | "jumpIfAtLeast" | "jumpIfAnyBit";

/** Where to go when a condition holds and when it does not; an absent one means the next instruction. */
export interface Branches {
  readonly yes?: string;
  readonly no?: string;
}

type Line =
  | { readonly kind: "plain"; readonly instruction: Instruction }
  | { readonly kind: "jump"; readonly to: string }
  | { readonly kind: "branch"; readonly code: number; readonly k: number } & Branches;

/** The farthest a conditional jump reaches; the longest filter has 180 instructions. */
const FARTHEST = 255;

/** A filter in the making: instructions in order, jumps forward to labels by name. */
export class Assembler {
  readonly #lines: Line[] = [];
  /** The instruction that each label names, by its number. */
  readonly #labels = new Map<string, number>();

  /** A = the 32-bit word at `offset` of `struct seccomp_data`. */
  load(offset: number): this {
    return this.#plain(OPERATION.load, offset);
  }

  /** A = A & mask */
  and(mask: number): this {
    return this.#plain(OPERATION.and, mask >>> 0);
  }

  /** The filter's answer. */
  verdict(verdict: number): this {
    return this.#plain(OPERATION.verdict, verdict >>> 0);
  }

  /** Jumps to a label unconditionally. */
  jump(to: string): this {
    this.#lines.push({ kind: "jump", to });
    return this;
  }

  /** Compares the accumulator with `k`. */
  when(condition: Condition, k: number, branches: Branches): this {
    this.#lines.push({ kind: "branch", code: OPERATION[condition], k: k >>> 0, ...branches });
    return this;
  }

  /** Names the place of the next instruction. @throws {RangeError} For a name that another place has. */
  label(name: string): this {
    if (this.#labels.has(name)) throw new RangeError(`Cannot assemble the filter: label "${name}" is doubled`);
    this.#labels.set(name, this.#lines.length);
    return this;
  }

  /** The program. @throws {RangeError} For a label that is missing, behind its jump, or too far for one. */
  program(): readonly Instruction[] {
    return this.#lines.map((line, at): Instruction => {
      switch (line.kind) {
        case "plain":
          return line.instruction;
        case "jump":
          return { code: OPERATION.jump, whenTrue: 0, whenFalse: 0, k: this.#distance(line.to, at + 1, Infinity) };
        case "branch": {
          const { code, k, yes, no } = line;
          const distance = (name: string | undefined) => this.#distance(name, at + 1, FARTHEST);
          return { code, whenTrue: distance(yes), whenFalse: distance(no), k };
        }
      }
    });
  }

  #plain(code: number, k: number): this {
    this.#lines.push({ kind: "plain", instruction: { code, whenTrue: 0, whenFalse: 0, k } });
    return this;
  }

  /** Instructions between `next` and a label; 0 without one. */
  #distance(name: string | undefined, next: number, most: number): number {
    if (name === undefined) return 0;
    const to = this.#labels.get(name);
    if (to === undefined) throw new RangeError(`Cannot assemble the filter: label "${name}" is missing`);
    if (to < next) throw new RangeError(`Cannot assemble the filter: label "${name}" lies behind`);
    if (to - next > most) throw new RangeError(`Cannot assemble the filter: label "${name}" lies too far`);
    return to - next;
  }
}
