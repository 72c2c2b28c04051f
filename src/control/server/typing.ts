/** What a person gives to an operation: on the way that `send` takes too, with the same line in the audit log (X22). */
import { messageOf } from "../../base/errors.ts";
import type { Outcome } from "../../base/outcome.ts";
import type { Operation } from "../../operation/operation_record.ts";
import { type Given, readGiven } from "../protocol/messages.ts";
import type { Peer } from "./peer.ts";

/** Takes what comes until the person is gone; what comes while `current` has no operation goes nowhere. */
export async function takeGiven(peer: Peer, current: () => Operation | undefined): Promise<void> {
  for await (const line of peer.lines) {
    const operation = current();
    if (operation === undefined) continue;
    const problem = await give(operation, readGiven(line));
    if (problem !== undefined) await peer.send({ event: "not_taken", problem });
  }
}

/** Why it was not taken; undefined: it was. */
async function give(operation: Operation, given: Outcome<Given>): Promise<string | undefined> {
  if (!given.ok) return given.problem;
  const input = operation.command?.input;
  if (given.value.kind === "size") return void await operation.resize(given.value.size);
  if (input === undefined) return "It takes no input: it was not started with input or tty";
  try {
    if (given.value.kind === "input") await input.write(given.value.bytes, "person");
    else await input.close();
    return undefined;
  } catch (thrown) {
    return messageOf(thrown);
  }
}
