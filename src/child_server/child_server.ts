/** A child server: a stdio MCP server as a child process, independent of how it is started and confined. */
import { attempt, ignoreClosedPipe } from "../base/errors.ts";
import { textLines } from "../wire/message_reader.ts";

export interface ChildServer {
  /** Writes to its stdin; resolves when the child has taken the bytes, or is gone. Never rejects. */
  write(bytes: Uint8Array): Promise<void>;
  /** Asks it to end in its own way. */
  askToEnd(): Promise<void>;
  /** Ends it and everything below it at once. */
  kill(): void;
  /** How it ended, as a sentence; never rejects. */
  readonly ended: Promise<string>;
}

export interface ChildServerHooks {
  /**
   * Receives stdout in order. The memory of the chunk is reused after the return; a returned promise pauses the reading
   * until it settles.
   */
  readonly onOutput: (chunk: Uint8Array) => Promise<void> | undefined;
  /** Receives a line of stderr; absent: it is not read. */
  readonly onErrorLine?: (line: string) => void;
}

/** Starts a child server. Rejects when it cannot be started; the message says why. */
export type StartChildServer = (hooks: ChildServerHooks) => Promise<ChildServer>;

/** Asks a child to end, kills it after `graceMs`, and resolves when it has ended. */
export async function endChild(child: ChildServer, graceMs: number): Promise<void> {
  const timer = setTimeout(() => child.kill(), graceMs);
  await child.askToEnd();
  await child.ended;
  clearTimeout(timer);
}

/** Longer lines of stderr are left out, bytes. */
const LONGEST_ERROR_LINE = 64 * 1024;

/** A spawned process as a child server: takes over the pipes of `child`, all three of which are piped. */
export function attachProcess(child: Deno.ChildProcess, hooks: ChildServerHooks): ChildServer {
  const writer = child.stdin.getWriter();
  const splitter = textLines(LONGEST_ERROR_LINE);
  const read = Promise.all([
    readAll(child.stdout, hooks.onOutput),
    readAll(child.stderr, (chunk) => {
      for (const line of splitter.push(chunk)) {
        if (line !== undefined) hooks.onErrorLine?.(line);
      }
    }),
  ]);
  return {
    write: (bytes) => writer.write(bytes).catch(ignoreClosedPipe),
    // A signal, because the end of stdin leaves its operations no time (X14).
    askToEnd() {
      send(child, "SIGTERM");
      return Promise.resolve();
    },
    kill: () => send(child, "SIGKILL"),
    ended: Promise.all([child.status, read]).then(async ([{ code, signal }]) => {
      await writer.close().catch(ignoreClosedPipe);
      return signal === null ? `It ended with exit code ${code}.` : `It was ended by ${signal}.`;
    }),
  };
}

function send(child: Deno.ChildProcess, signal: Deno.Signal): void {
  attempt(TypeError, () => child.kill(signal)); // it may have ended a moment ago
}

async function readAll(
  stream: ReadableStream<Uint8Array>,
  onChunk: (chunk: Uint8Array) => Promise<void> | void,
): Promise<void> {
  for await (const chunk of stream) await onChunk(chunk);
}
