/** C: files that make others do something later. */
import type { Row } from "./attack.ts";

export const CONFIGURATION: readonly Row[] = [];
