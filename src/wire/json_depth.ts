/** How deep a message may nest. Beyond some thousand levels writing it down again overflows the stack. */
export const DEEPEST = 500;

/** Whether objects and lists in `value`, which came from JSON, lie more than `deepest` levels inside each other. */
export function nestsDeeper(value: unknown, deepest: number = DEEPEST): boolean {
  let level = [value].filter(isNested);
  // Level by level without recursion: deep JSON would overflow the stack.
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > deepest) return true;
    level = level.flatMap((one) => Object.values(one).filter(isNested));
  }
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
