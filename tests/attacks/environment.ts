/** E: the environment of the server and of commands. */
import type { Row } from "./attack.ts";

export const ENVIRONMENT: readonly Row[] = [];
