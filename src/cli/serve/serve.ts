/**
 * The life of the server (requirements S12, X14): log, sandbox and rooms, then MCP until the client closes stdin, or a
 * signal comes and what runs has had ten seconds. Then everything is closed in the reverse order.
 */
import { messageOf } from "../../base/errors.ts";
import { compose } from "../../app/compose_service.ts";
import { announceFirstWrite } from "./first_write.ts";
import { openRunLog } from "../terminal/run_log.ts";
import { printProblem } from "../terminal/print.ts";
import { serveHttp } from "./serve_http.ts";
import type { ServeOptions } from "./serve_options.ts";

/** Said on a terminal, where a person would take the silence for a fault. */
const WAITING = 'ahma_mcp waits for an MCP client on stdin: "ahma_mcp help" lists what a person can do, Ctrl-C ends it';

/**
 * Serves one client over stdio, or many over HTTP; resolves with the exit code.
 *
 * @throws {UserError} when the server refuses to start, before the first byte of MCP
 */
export async function serve(options: ServeOptions): Promise<number> {
  const { settings, warnings, environment, stop } = options;
  if (settings.http !== undefined) return await serveHttp(options, settings.http);
  await using log = openRunLog({ settings, warnings, environment });
  const { logger } = log;
  try {
    await using program = await compose({ settings, environment, log: logger });
    if (settings.logToStderr) log.start();
    if (Deno.stdin.isTerminal()) await printProblem(WAITING);
    const output = announceFirstWrite(Deno.stdout, () => {
      log.start();
      program.afterFirstAnswer();
    });
    // The one place that hands stdout out: from here on it carries messages only (C2).
    await program.serve({ input: Deno.stdin, output, stop });
  } catch (thrown) {
    logger.error("Ended by an error", { error: messageOf(thrown) });
    throw thrown;
  }
  logger.info("Ended", { signal: stop.reason });
  return 0;
}
