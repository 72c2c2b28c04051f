/** Starts a third-party server as a command in the sandbox (H10, S3). */
import { describeEnd } from "../base/command/command_end.ts";
import { HurriedEnd } from "../base/command/kill_delay.ts";
import { ignoreClosedPipe, messageOf } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import type { SessionRunner } from "../process/command_runner.ts";
import { type ChildServer, type ChildServerHooks } from "./child_server.ts";
import { StderrFile } from "./stderr_file.ts";

interface SandboxedStart {
  readonly runner: Pick<SessionRunner, "open">;
  readonly argv: readonly string[];
  /** Canonical, inside the scope. */
  readonly directory: string;
  /** Added to the variables of the sandbox; absent: none. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Receives its stderr; truncated at each start. Kept small only while it is read. */
  readonly stderrFile: string;
  readonly log: Logger;
}

/** Starts the server; rejects when the system cannot. */
export async function startInSandbox(
  { runner, argv, directory, environment = {}, stderrFile, log }: SandboxedStart,
  { onOutput, onErrorLine }: ChildServerHooks,
): Promise<ChildServer> {
  const abort = new AbortController();
  await using stack = new AsyncDisposableStack();
  if (onErrorLine === undefined) await Deno.writeFile(stderrFile, new Uint8Array(), { mode: 0o600 });
  else stack.use(await StderrFile.open({ path: stderrFile, onLine: onErrorLine, log }));
  const request = { run: { argv }, directory, environment, stderrFile };
  const opened = await runner.open(request, { signal: abort.signal, onOutput });
  const reading = stack.move();
  const writer = opened.stdin.getWriter();
  return {
    write: (bytes) => writer.write(bytes).catch(ignoreClosedPipe),
    askToEnd: () => writer.close().catch(ignoreClosedPipe),
    kill: () => abort.abort(new HurriedEnd("It is ended at once", 0)),
    ended: opened.end.then(async (end) => {
      await closeStderr(reading, log);
      return describeEnd(end);
    }),
  };
}

async function closeStderr(reading: AsyncDisposableStack, log: Logger): Promise<void> {
  try {
    await reading.disposeAsync();
  } catch (thrown) {
    log.warn("Cannot read the stderr of a child server", { error: messageOf(thrown) });
  }
}
