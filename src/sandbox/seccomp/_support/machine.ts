/** For tests: what the kernel does with a filter, step by step (net/core/filter.c), so that filters run without it. */
import { LITTLE_ENDIAN } from "../../../system/c_library.ts";
import { type Instruction, OPERATION, SECCOMP_DATA } from "../bpf.ts";

/** One system call as a filter sees it. */
export interface SeenCall {
  readonly architecture: number;
  readonly number: number;
  /** Up to six 64-bit arguments; absent ones are 0. */
  readonly args?: readonly (number | bigint)[];
}

/** `struct seccomp_data` */
export function seccompData({ architecture, number, args = [] }: SeenCall): DataView {
  const view = new DataView(new ArrayBuffer(SECCOMP_DATA.bytes));
  view.setUint32(SECCOMP_DATA.number, number >>> 0, LITTLE_ENDIAN);
  view.setUint32(SECCOMP_DATA.architecture, architecture >>> 0, LITTLE_ENDIAN);
  args.forEach((arg, index) => {
    view.setBigUint64(SECCOMP_DATA.arguments + 8 * index, BigInt.asUintN(64, BigInt(arg)), LITTLE_ENDIAN);
  });
  return view;
}

/**
 * The verdict on one call.
 * @throws {RangeError} For what the kernel's own check refuses to install: unknown operations, jumps or loads that lead
 * outside, a way that ends without a verdict.
 */
export function run(program: readonly Instruction[], call: SeenCall): number {
  const data = seccompData(call);
  let accumulator = 0;
  for (let at = 0;;) {
    const instruction = program[at];
    if (instruction === undefined) throw new RangeError(`The filter leads to instruction ${at}, which is missing`);
    const { code, whenTrue, whenFalse, k } = instruction;
    const branch = (holds: boolean) => at + 1 + (holds ? whenTrue : whenFalse);
    switch (code) {
      case OPERATION.load:
        if (k % 4 !== 0) throw new RangeError(`The filter loads from offset ${k}, which is not aligned`);
        accumulator = data.getUint32(k, LITTLE_ENDIAN);
        at++;
        break;
      case OPERATION.and:
        accumulator = (accumulator & k) >>> 0;
        at++;
        break;
      case OPERATION.jump:
        at += 1 + k;
        break;
      case OPERATION.jumpIfEqual:
        at = branch(accumulator === k);
        break;
      case OPERATION.jumpIfGreater:
        at = branch(accumulator > k);
        break;
      case OPERATION.jumpIfAtLeast:
        at = branch(accumulator >= k);
        break;
      case OPERATION.jumpIfAnyBit:
        at = branch((accumulator & k) !== 0);
        break;
      case OPERATION.verdict:
        return k;
      default:
        throw new RangeError(`The filter holds operation ${code}, which it should not need`);
    }
  }
}
