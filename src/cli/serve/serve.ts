/** The life of the server (S12, X14): opens all parts, serves until stdin closes or 10 s after a signal, closes. */
import { messageOf, UserError } from "../../base/errors.ts";
import { compose } from "../../app/compose_service.ts";
import { directOutput } from "../../system/direct_output.ts";
import { openRunLog } from "../terminal/run_log.ts";
import { printProblem } from "../terminal/print.ts";
import type { CommandContext } from "../terminal/command_context.ts";

const STDOUT = 1;
/** Hint on a terminal, where silence would look like an error. */
const WAITING = 'ahma_mcp waits for an MCP client on stdin: "ahma_mcp help" lists the commands, Ctrl-C ends it';

/** Serves stdio or HTTP; resolves with the exit code. @throws {UserError} before the first byte of MCP */
export async function serve(options: CommandContext): Promise<number> {
  const { settings, warnings, environment, stop } = options;
  if (settings.http !== undefined) return await (await import("./serve_http.ts")).serveHttp(options, settings.http);
  await using log = openRunLog({ settings, warnings, environment });
  const { logger } = log;
  const direct = directOutput(Deno.stdout, STDOUT);
  const broken = new AbortController();
  try {
    const onBroken = (why: string) => broken.abort(new UserError(`Ended, and every command with it: ${why}`));
    await using program = await compose({ settings, environment, log: logger, publishes: true, onBroken });
    if (settings.logToStderr) log.start();
    if (Deno.stdin.isTerminal()) await printProblem(WAITING);
    const onFirstWrite = () => {
      log.start();
      program.afterFirstAnswer();
    };
    // The one place that passes stdout on; it carries only messages from here on (C2).
    const ends = AbortSignal.any([stop, broken.signal]);
    await program.serve({ input: Deno.stdin, output: direct.output, onFirstWrite, stop: ends });
    broken.signal.throwIfAborted();
  } catch (thrown) {
    logger.error("Ended by an error", { error: messageOf(thrown) });
    throw thrown;
  } finally {
    direct[Symbol.dispose]();
  }
  logger.info("Ended", { signal: stop.reason });
  return 0;
}
