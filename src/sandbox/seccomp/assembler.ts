import { type Instruction, MOST_INSTRUCTIONS, OPERATION } from "./bpf.ts";

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
  | { readonly kind: "branch"; readonly code: number; readonly k: number } & Branches
  | { readonly kind: "label"; readonly name: string };

/** The farthest a conditional jump reaches; one that must go farther is written as one that skips plain jumps. */
const FARTHEST = 255;

/** A filter in the making: instructions in order, jumps forward to labels by name. */
export class Assembler {
  readonly #lines: Line[] = [];

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

  /** Goes to a label whatever the accumulator holds. */
  jump(to: string): this {
    this.#lines.push({ kind: "jump", to });
    return this;
  }

  /** Compares the accumulator with `k`. */
  when(condition: Condition, k: number, branches: Branches): this {
    this.#lines.push({ kind: "branch", code: OPERATION[condition], k: k >>> 0, ...branches });
    return this;
  }

  /** Names the place of the next instruction. */
  label(name: string): this {
    this.#lines.push({ kind: "label", name });
    return this;
  }

  /**
   * The finished program.
   * @throws {RangeError} For a label that is missing, doubled or behind the jump to it (BPF has no way back), and for
   * more instructions than the kernel takes.
   */
  program(): readonly Instruction[] {
    const long = new Set<Line>();
    for (;;) {
      const places = this.#places(long);
      const before = long.size;
      this.#lines.forEach((line, index) => {
        if (line.kind === "branch" && this.#isFar(line, index, places)) long.add(line);
      });
      if (long.size === before) return this.#emit(long, places);
    }
  }

  #plain(code: number, k: number): this {
    this.#lines.push({ kind: "plain", instruction: { code, whenTrue: 0, whenFalse: 0, k } });
    return this;
  }

  /** The address of each line and, by name, of each label. */
  #places(long: ReadonlySet<Line>): Places {
    const lines: number[] = [];
    const labels = new Map<string, number>();
    let at = 0;
    for (const line of this.#lines) {
      lines.push(at);
      if (line.kind === "label") {
        if (labels.has(line.name)) throw new RangeError(`Cannot assemble the filter: label "${line.name}" is doubled`);
        labels.set(line.name, at);
      } else at += sizeOf(line, long);
    }
    if (at > MOST_INSTRUCTIONS) throw new RangeError(`Cannot assemble the filter: ${at} instructions are too many`);
    return { lines, labels };
  }

  #isFar(line: Branches, index: number, { lines, labels }: Places): boolean {
    const next = (lines[index] ?? 0) + 1;
    return [line.yes, line.no].some((name) => name !== undefined && (labels.get(name) ?? 0) - next > FARTHEST);
  }

  #emit(long: ReadonlySet<Line>, { lines, labels }: Places): readonly Instruction[] {
    const distance = (name: string | undefined, from: number, next: number): number => {
      const to = name === undefined ? next : labels.get(name);
      if (to === undefined) throw new RangeError(`Cannot assemble the filter: label "${name}" is missing`);
      if (to < from) throw new RangeError(`Cannot assemble the filter: label "${name}" lies behind`);
      return to - from;
    };
    return this.#lines.flatMap((line, index): readonly Instruction[] => {
      const at = lines[index] ?? 0;
      const next = at + (line.kind === "label" ? 0 : sizeOf(line, long));
      switch (line.kind) {
        case "label":
          return [];
        case "plain":
          return [line.instruction];
        case "jump":
          return [jumpOver(distance(line.to, at + 1, next))];
        case "branch": {
          const { code, k } = line;
          if (!long.has(line)) {
            const whenTrue = distance(line.yes, at + 1, next);
            return [{ code, whenTrue, whenFalse: distance(line.no, at + 1, next), k }];
          }
          const yes = jumpOver(distance(line.yes, at + 2, next));
          return [{ code, whenTrue: 0, whenFalse: 1, k }, yes, jumpOver(distance(line.no, at + 3, next))];
        }
      }
    });
  }
}

interface Places {
  readonly lines: readonly number[];
  readonly labels: ReadonlyMap<string, number>;
}

function sizeOf(line: Line, long: ReadonlySet<Line>): number {
  return long.has(line) ? 3 : 1;
}

function jumpOver(count: number): Instruction {
  return { code: OPERATION.jump, whenTrue: 0, whenFalse: 0, k: count };
}
