/** A spawned process as a child server. */
import { attempt, ignoreClosedPipe } from "../base/errors.ts";
import { textLines } from "../wire/line_splitter.ts";
import { type ChildServer, type ChildServerHooks } from "./child_server.ts";

/** Longer lines of stderr are left out, bytes. */
const LONGEST_ERROR_LINE = 64 * 1024;

/** Takes over the pipes of `child`, all three of which are piped. */
export function attachProcess(child: Deno.ChildProcess, hooks: ChildServerHooks): ChildServer {
  const writer = child.stdin.getWriter();
  const splitter = textLines(LONGEST_ERROR_LINE);
  const read = Promise.all([
    readAll(child.stdout, hooks.onOutput),
    readAll(child.stderr, (chunk) => {
      for (const line of splitter.push(chunk)) {
        if (line !== undefined) hooks.onErrorLine(line);
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
