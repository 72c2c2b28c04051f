/** `output` (V1): what an operation wrote, as far as it is kept, and what it writes. */
import type { Answer } from "./control_server.ts";
import { feedOutput } from "./output_feed.ts";
import { findOperation, listedOperation, type ShownServer } from "./shown_server.ts";

/** The answer of a server. */
export function outputAnswer(server: ShownServer): Answer {
  return async ({ members: { operation: id, follow } }, peer) => {
    const found = findOperation(server, id);
    if (!found.ok) return await peer.send({ event: "refused", problem: found.problem });
    const { operation, connection } = found.value;
    const taken = peer.drain();
    const until = follow === true ? undefined : operation.output.totalBytes;
    await peer.send({ event: "attached", operation: listedOperation(operation, connection, server) });
    await feedOutput(operation, {
      from: 0,
      until,
      isWhole: true,
      send: (event) => peer.send(event),
      signal: peer.gone,
    });
    const { end } = operation;
    if (end !== undefined) await peer.send({ event: "end", line: server.describeEnd(operation), end });
    peer[Symbol.dispose]();
    await taken;
  };
}
