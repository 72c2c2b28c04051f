/** A: arguments of MCP calls. */
import type { Row } from "./attack.ts";

export const ARGUMENTS: readonly Row[] = [];
