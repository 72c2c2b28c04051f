/**
 * The ssh agent of commands (S42): it lists the chosen keys, and signs with them what `judge` takes, by way of the
 * user's own agent. Everything else of the protocol is refused.
 */
import { sameBytes } from "../../base/bytes.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { shorten } from "../../base/visible_text.ts";
import { type UnixListener, type UnixStream, UnixStreams } from "../../system/sockets/unix_stream.ts";
import { hasSigned } from "../hosts/host_signature.ts";
import { type Bound, judge, type Purpose } from "../judge.ts";
import {
  type BindRequest,
  FAILED,
  identitiesAnswer,
  type Identity,
  isSignature,
  readRequest,
  signMessage,
  type SignRequest,
  SUCCEEDED,
} from "../wire/messages.ts";
import { MessagesAhead, sendMessage } from "./message_stream.ts";

/** A command that asks for signatures. */
export interface SigningCommand {
  /** Decides about a signature that the protocol allows, and records it. `gone`: aborted when the requesting program no
   * longer waits.
   */
  permit(identity: Identity, purpose: Purpose, gone: AbortSignal): Promise<Outcome<void, Unsigned>>;
  /** Called with the reason why something was not signed. */
  refused(unsigned: Unsigned): void;
}

/** Why something was not signed. */
export interface Unsigned {
  /** A sentence without its end. */
  readonly reason: string;
  /** A flag of the server with which a person could allow it; absent: none does. */
  readonly flag?: string;
  /** The question that waits for a person in a terminal; absent: none does. */
  readonly question?: string;
}

/** A program that is connected. */
interface Connected {
  readonly command: SigningCommand;
  /** Aborted when it disconnects. */
  readonly gone: AbortSignal;
}

export interface BrokerOptions {
  /** The chosen ones. */
  readonly identities: readonly Identity[];
  /** The command that a process belongs to; undefined: none, and it is not answered. */
  readonly commandOf: (process: number) => SigningCommand | undefined;
  /** Asks the user's own agent; undefined: it is unreachable. */
  readonly ask: (message: Uint8Array) => Promise<Uint8Array | undefined>;
  readonly log: Logger;
  /** The clock, in milliseconds; absent: the system's. */
  readonly now?: () => number;
}

/** Programs that are connected at once: each takes one of the runtime's few threads while it waits, and a further one ends the oldest. */
const MOST_CONNECTIONS = 8;
/** Messages of one connection. */
const MOST_MESSAGES = 1_000;
/** Signatures of all commands in one minute. */
const MOST_SIGNATURES = 120;
const MINUTE_MS = 60_000;
const SOCKET_MODE = 0o600;

/** Disposal ends all connections. */
export class AgentBroker implements AsyncDisposable {
  readonly #options: BrokerOptions;
  readonly #streams = new UnixStreams();
  readonly #listener: UnixListener;
  readonly #connections = new Set<UnixStream>();
  readonly #taking: Promise<void>;
  /** When the last ones were made. */
  #signed: readonly number[] = [];

  /**
   * Listens at a path that must not exist, in a directory of the user alone. @throws {Error} When the system refuses.
   */
  constructor(path: string, options: BrokerOptions) {
    this.#options = options;
    this.#listener = this.#streams.listen(path);
    Deno.chmodSync(path, SOCKET_MODE);
    this.#taking = this.#take();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const one of this.#connections) one.close();
    await this.#taking;
    this.#streams[Symbol.dispose]();
  }

  async #take(): Promise<void> {
    const serving = new Set<Promise<void>>();
    for (let stream = await this.#listener.accept(); stream !== undefined; stream = await this.#listener.accept()) {
      const [oldest] = this.#connections;
      if (oldest !== undefined && this.#connections.size >= MOST_CONNECTIONS) this.#end(oldest);
      const served: Promise<void> = this.#serve(stream).finally(() => serving.delete(served));
      serving.add(served);
    }
    await Promise.all(serving);
  }

  #end(stream: UnixStream): void {
    stream.close();
    this.#connections.delete(stream);
  }

  async #serve(stream: UnixStream): Promise<void> {
    this.#connections.add(stream);
    try {
      const command = stream.peerUser === Deno.uid() ? this.#options.commandOf(stream.peerProcess ?? 0) : undefined;
      if (command !== undefined) await this.#answerAll(stream, command);
    } catch (thrown) {
      this.#options.log.warn("Cannot answer a program that asks for signatures", { error: messageOf(thrown) });
    } finally {
      this.#end(stream);
    }
  }

  async #answerAll(stream: UnixStream, command: SigningCommand): Promise<void> {
    await using messages = new MessagesAhead(stream);
    const connected = { command, gone: messages.gone };
    let bound: Bound = { kind: "none" };
    for (let count = 0; count < MOST_MESSAGES; count++) {
      const message = await messages.next();
      if (message === undefined) return;
      const request = readRequest(message);
      let answer: Uint8Array = FAILED;
      if (request.kind === "list" && bound.kind !== "closed") answer = identitiesAnswer(this.#options.identities);
      if (request.kind === "sign") answer = await this.#sign(request, bound, connected);
      if (request.kind === "bind") {
        bound = await boundAfter(bound, request);
        if (bound.kind === "host") answer = SUCCEEDED;
        if (bound.kind === "closed") command.refused({ reason: bound.reason });
      }
      if (!await sendMessage(stream, answer)) return;
    }
  }

  async #sign(request: SignRequest, bound: Bound, connected: Connected): Promise<Uint8Array> {
    const made = await this.#signature(request, bound, connected);
    if (made.ok) return made.value;
    connected.command.refused(made.problem);
    return FAILED;
  }

  async #signature(
    request: SignRequest,
    bound: Bound,
    { command, gone }: Connected,
  ): Promise<Outcome<Uint8Array, Unsigned>> {
    const { identities, ask, now = () => performance.now() } = this.#options;
    const identity = identities.find(({ key }) => sameBytes(key, request.key));
    if (identity === undefined) {
      return failure({ reason: "A program wants a signature with a key that --ssh-agent does not name" });
    }
    const purpose = judge(request, bound);
    if (!purpose.ok) return failure({ reason: purpose.problem });
    this.#signed = this.#signed.filter((time) => time > now() - MINUTE_MS);
    if (this.#signed.length >= MOST_SIGNATURES) {
      return failure({
        reason: `Commands get no more than ${MOST_SIGNATURES} signatures of your ssh agent in a minute`,
      });
    }
    this.#signed = [...this.#signed, now()];
    const permitted = await command.permit(identity, purpose.value, gone);
    if (!permitted.ok) return permitted;
    const answer = await ask(signMessage(request));
    if (answer !== undefined && isSignature(answer)) return success(answer);
    const what = answer === undefined ? "does not answer" : "refuses to sign";
    return failure({
      reason: `Your ssh agent ${what} with key "${shorten(identity.comment)}": a person can unlock it, or run ssh-add`,
    });
  }
}

/**
 * A connection is for one host: naming another closes it for signatures, so that nothing is signed for a wrong host.
 */
async function boundAfter(bound: Bound, { hostKey, sessionId, signature, isForwarding }: BindRequest): Promise<Bound> {
  if (bound.kind === "closed") return bound;
  if (isForwarding) return { kind: "closed", reason: "The agent of commands is not forwarded to hosts (ssh -A)" };
  if (bound.kind === "host") return { kind: "closed", reason: "A connection to the agent of commands names two hosts" };
  return await hasSigned(hostKey, signature, sessionId)
    ? { kind: "host", hostKey, sessionId }
    : { kind: "closed", reason: "A program names a host without its proof: the host has not signed that session" };
}
