/** S: signals, lifetime and resources. */
import type { Row } from "./attack.ts";

export const SIGNALS: readonly Row[] = [];
