/** Q: sequences and operations. */
import type { Row } from "./attack.ts";

export const OPERATIONS: readonly Row[] = [];
