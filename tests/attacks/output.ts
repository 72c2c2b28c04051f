/** O: what commands print. */
import type { Row } from "./attack.ts";

export const OUTPUT: readonly Row[] = [];
