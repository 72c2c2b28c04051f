/** Somebody's stdio server as a command in the sandbox (H10, S3). */
import { messageOf } from "../base/errors.ts";
import { describeEnd } from "../process/command_runner.ts";
import type { SessionRunner } from "../process/session_runner.ts";
import type { ServerProcess, ServerProcessHooks } from "./server_process.ts";

export interface SandboxedServer {
  readonly runner: Pick<SessionRunner, "open">;
  readonly argv: readonly string[];
  /** Canonical, inside the scope. */
  readonly directory: string;
  /** Where its stderr goes; made anew for each start. */
  readonly stderrFile: string;
}

/** How much of its last words is kept. */
const LAST_LINES = 10;

/** Starts it. Rejects when the system cannot. */
export async function startSandboxedServer(
  { runner, argv, directory, stderrFile }: SandboxedServer,
  { onOutput, onErrorLine }: ServerProcessHooks,
): Promise<ServerProcess> {
  const abort = new AbortController();
  await Deno.writeTextFile(stderrFile, "", { mode: 0o600 });
  const request = { run: { argv }, directory, environment: {}, stderrFile };
  const opened = await runner.open(request, { signal: abort.signal, onOutput });
  const writer = opened.stdin.getWriter();
  return {
    write: (bytes) => writer.write(bytes).catch(ignoreGone),
    closeInput: () => writer.close().catch(ignoreGone),
    kill: () => abort.abort(),
    ended: opened.end.then(async (end) => {
      for (const line of await lastWords(stderrFile)) onErrorLine(line);
      return describeEnd(end);
    }),
  };
}

async function lastWords(stderrFile: string): Promise<readonly string[]> {
  try {
    return (await Deno.readTextFile(stderrFile)).trimEnd().split("\n").slice(-LAST_LINES).filter((line) => line !== "");
  } catch (thrown) {
    return [`(its stderr cannot be read: ${messageOf(thrown)})`];
  }
}

function ignoreGone(thrown: unknown): void {
  if (thrown instanceof Deno.errors.BrokenPipe || thrown instanceof TypeError) return;
  throw thrown;
}
