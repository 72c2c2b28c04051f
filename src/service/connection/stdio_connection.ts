/**
 * One MCP connection over stdin and stdout, both protocol eras.
 *
 * Its end (X14). `stop` aborts: requests and operations have the grace to end → what is left is cancelled → every
 * request is answered → the connection closes. stdin ends: the client no longer reads, so nothing is written, and operations
 * are ended at once; also in the middle of a grace.
 */
import { aborted, delay } from "../../base/time.ts";
import { DirectAnswers } from "./direct_answers.ts";
import type { FirstAnswer } from "./first_answer.ts";
import type { Service } from "../service.ts";
import { StdioTransport, type StdioTransportOptions } from "./stdio_transport.ts";

export interface StdioStreams extends Omit<StdioTransportOptions, "log" | "answered"> {
  /** The answer that was already sent; absent: none. */
  readonly answered?: FirstAnswer;
  /** Aborted by SIGINT or SIGTERM: the connection ends in order. By an error: operations are ended at once. */
  readonly stop?: AbortSignal;
  /** Time for operations to end after `stop`, milliseconds; absent: 10,000. */
  readonly graceMs?: number;
}

const GRACE_MS = 10_000;
/** Milliseconds from SIGTERM to SIGKILL after the end of stdin. */
const KILL_AFTER_MS = 1_000;
/** Answers are written right after their operations end; this only guards against a bug. */
const LAST_ANSWERS_MS = 2_000;

/** Serves until the connection has ended. No operation of `service.registry` runs afterwards. */
export async function serveStdioConnection(service: Service, io: StdioStreams): Promise<void> {
  const { answered } = io;
  const transport = new StdioTransport({ ...io, answered: answered?.id, log: service.log });
  const connect = async (session: DirectAnswers) => (await import("./sdk_connection.ts")).connectSdk(service, session);
  const session = new DirectAnswers(transport, { service, answered, connect });
  await session.open();
  const gone = transport.inputEnded.then(async () => {
    await service.registry.shutdown(0, KILL_AFTER_MS);
    await service.shells?.close(KILL_AFTER_MS);
  });
  await Promise.race([transport.inputEnded, aborted(io.stop)]);
  if (transport.isOpen) await endInOrder();
  else await gone;
  await session.end();

  async function endInOrder(): Promise<void> {
    const deadline = performance.now() + (io.stop?.reason instanceof Error ? 0 : io.graceMs ?? GRACE_MS);
    // Requests first: the last one may not have started its operation yet.
    await transport.whenAnswered(deadline - performance.now());
    await service.registry.shutdown(Math.max(0, deadline - performance.now()));
    await service.shells?.close();
    if (!(await transport.whenAnswered(LAST_ANSWERS_MS))) {
      service.log.error("Some requests were left without an answer");
    }
    await delay(0); // for notifications about the last ends
    await session.announceTermination("The server was asked to end");
  }
}
