/** `attach`: a person sees what an operation writes, and types into it where its input is open. */
import { aborted, withTimeout } from "../../base/time.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { isEnded } from "../../operation/operation.ts";
import type { Operation } from "../../operation/operation_record.ts";
import { type Given, readAttach, readGiven, type WindowSize } from "../protocol/messages.ts";
import type { Answer } from "./control_server.ts";
import { feedOutput, sendEarlier } from "./output_feed.ts";
import type { Peer } from "./peer.ts";
import type { ShownConnection } from "./shown_connections.ts";
import { listedOperation, runningIn, type ShownServer } from "./shown_server.ts";
import { messageOf } from "../../base/errors.ts";

/** How long to wait for a command to start, milliseconds: some operations, such as remote calls, never start one. */
const BEGINNING_MS = 1_000;

/** The target. */
type Target =
  | { readonly connection: ShownConnection; readonly operation: Operation }
  /** An idle shell. */
  | { readonly connection: ShownConnection; readonly session: string };

/** The answer of a server. */
export function attachAnswer(server: ShownServer): Answer {
  const sizes = new PersonSizes();
  return async (request, peer) => {
    const read = readAttach(request);
    if (!read.ok) return await peer.send({ event: "refused", problem: read.problem });
    const target = targetOf(server, read.value.target);
    if (!target.ok) return await peer.send({ event: "refused", problem: target.problem });
    let operation = "operation" in target.value ? target.value.operation : undefined;
    const taken = takeGiven(peer, () => operation);
    if ("session" in target.value) operation = await nextIn(target.value.connection, target.value.session, peer);
    if (operation !== undefined && await hasBegun(operation, peer)) {
      await peer.send({ event: "attached", operation: listedOperation(operation, target.value.connection, server) });
      await show(operation, { peer, size: read.value.size, sizes });
      const { end } = operation;
      if (end !== undefined) await peer.send({ event: "end", line: server.describeEnd(operation), end });
    }
    peer[Symbol.dispose]();
    await taken;
  };
}

function targetOf({ connections, describeEnd }: ShownServer, target: string): Outcome<Target> {
  const all = [...connections];
  for (const connection of all) {
    const operation = connection.registry.get(target);
    if (operation === undefined) continue;
    return isEnded(operation.state)
      ? failure(`It has ended: ${describeEnd(operation)}`)
      : success({ connection, operation });
  }
  const [connection, other] = all.filter(({ shells }) => shells?.list().some(({ name }) => name === target));
  if (connection === undefined) return failure("This server no longer runs it");
  if (other !== undefined) return failure("Several clients have a session of that name: name its operation");
  const operation = runningIn(connection, target);
  return success(operation === undefined ? { connection, session: target } : { connection, operation });
}

/** The next operation of a shell; undefined: the person leaves first. */
async function nextIn(connection: ShownConnection, session: string, peer: Peer): Promise<Operation | undefined> {
  const { promise, resolve } = Promise.withResolvers<Operation | undefined>();
  const unsubscribe = connection.registry.subscribe(({ to }) => {
    const operation = to === "running" ? runningIn(connection, session) : undefined;
    if (operation !== undefined) resolve(operation);
  });
  peer.gone.addEventListener("abort", () => resolve(undefined), { once: true });
  try {
    const reason = `Session "${session}" is idle; its next command will be shown`;
    await peer.send({ event: "waiting", reason });
    return peer.gone.aborted ? undefined : await promise;
  } finally {
    unsubscribe();
  }
}

/** Waits until it is known whether the operation accepts input; false: the person leaves first. */
async function hasBegun(operation: Operation, peer: Peer): Promise<boolean> {
  const gone = Promise.race([operation.began, aborted(peer.gone)]);
  if (operation.state === "queued") {
    await peer.send({ event: "waiting", reason: "It waits for its turn" });
    await gone;
  } else await withTimeout(gone, BEGINNING_MS);
  return !peer.gone.aborted;
}

interface Shown {
  readonly peer: Peer;
  /** Undefined: no terminal shows it. */
  readonly size: WindowSize | undefined;
  readonly sizes: PersonSizes;
}

/** Shows the operation until it ends or the person leaves. */
async function show(operation: Operation, { peer, size, sizes }: Shown): Promise<void> {
  if (size !== undefined) await sizes.enter(operation, size);
  try {
    const send: Peer["send"] = (event) => peer.send(event);
    const from = size !== undefined && operation.screen?.isDrawn === true
      ? await sendScreen(operation, size, send)
      : await sendEarlier(operation, send);
    await feedOutput(operation, { from, send, signal: peer.gone });
  } finally {
    if (size !== undefined) await sizes.leave(operation);
  }
}

/** Sends the screen of the terminal and makes its program redraw; returns the position in the output after that. */
async function sendScreen(operation: Operation, size: WindowSize, send: Peer["send"]): Promise<number> {
  const from = operation.output.totalBytes;
  const picture = await operation.screen?.picture();
  if (picture !== undefined) await send({ event: "screen", data: picture });
  // A program redraws when the size changes.
  await operation.resize({ ...size, rows: size.rows + 1 });
  await operation.resize(size);
  return from;
}

interface Sized {
  /** The position in the output at which the person attached. */
  readonly before: WindowSize;
  people: number;
}

class PersonSizes {
  readonly #sized = new Map<Operation, Sized>();

  /** A person's terminal shows the operation. */
  async enter(operation: Operation, size: WindowSize): Promise<void> {
    const before = operation.screen?.size;
    if (before === undefined) return;
    const known = this.#sized.get(operation);
    if (known === undefined) this.#sized.set(operation, { before, people: 1 });
    else known.people++;
    await operation.resize(size);
  }

  /** It no longer does. */
  async leave(operation: Operation): Promise<void> {
    const known = this.#sized.get(operation);
    if (known === undefined || --known.people > 0) return;
    this.#sized.delete(operation);
    await operation.resize(known.before);
  }
}

/** Passes input on until the person leaves; input is dropped while `current` has no operation. */
async function takeGiven(peer: Peer, current: () => Operation | undefined): Promise<void> {
  for await (const line of peer.lines) {
    const operation = current();
    if (operation === undefined) continue;
    const problem = await give(operation, readGiven(line));
    if (problem !== undefined) await peer.send({ event: "not_taken", problem });
  }
}

/** Why input was not accepted; undefined: it was. */
async function give(operation: Operation, given: Outcome<Given>): Promise<string | undefined> {
  if (!given.ok) return given.problem;
  const input = operation.command?.input;
  if (given.value.kind === "size") return void await operation.resize(given.value.size);
  if (input === undefined) return "It accepts no input: it was not started with input or tty";
  try {
    if (given.value.kind === "input") await input.write(given.value.bytes, "person");
    else await input.close();
    return undefined;
  } catch (thrown) {
    return messageOf(thrown);
  }
}
