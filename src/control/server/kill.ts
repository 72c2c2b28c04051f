/** `kill` (V1): a person ends an operation, as its agent does with `cancel`. */
import { isEnded } from "../../operation/operation.ts";
import type { Answer } from "./control_server.ts";
import { findOperation, type ShownServer } from "./shown_server.ts";

/** What the agent reads. */
const REASON = "Ended by the user, with ahma_mcp kill";

/** The answer of a server; it comes when no process of the operation is left. */
export function killAnswer(server: ShownServer): Answer {
  return async ({ members: { operation: id } }, peer) => {
    const found = findOperation(server, id);
    if (!found.ok) return await peer.send({ event: "refused", problem: found.problem });
    const { operation, connection } = found.value;
    const { describeEnd } = server;
    if (isEnded(operation.state)) {
      return await peer.send({ event: "refused", problem: `It has ended: ${describeEnd(operation)}` });
    }
    // Written first; where that fails, what fills the disk must end nevertheless.
    await server.auditKill?.(operation);
    await connection.registry.cancel(operation.id, REASON);
    await peer.send({ event: "end", line: describeEnd(operation), end: operation.end });
  };
}
