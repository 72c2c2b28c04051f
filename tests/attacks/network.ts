/** K: sockets and the network. */
import type { Row } from "./attack.ts";

export const NETWORK: readonly Row[] = [];
