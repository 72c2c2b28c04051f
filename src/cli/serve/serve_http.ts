/** The life of the HTTP server (H1, H11): opens log, token and services, and serves clients until a signal. */
import { aborted } from "../../base/time.ts";
import { messageOf } from "../../base/errors.ts";
import { composeHttp } from "../../app/http/compose_http.ts";
import { httpEcho } from "./http_echo.ts";
import type { HttpSettings } from "../../settings/settings.ts";
import { httpToken } from "../../app/http/http_token.ts";
import { insistOnNetwork } from "../../app/program/own_program.ts";
import { openTrees } from "../../app/writable_trees.ts";
import { printProblem } from "../terminal/print.ts";
import { NO_SANDBOX_SERVER, openRunLog } from "../terminal/run_log.ts";
import type { CommandContext } from "../terminal/command_context.ts";

/**
 * Serves until `stop` aborts; resolves with the exit code.
 * @throws {UserError} when the server refuses to start
 */
export async function serveHttp(options: CommandContext, http: HttpSettings): Promise<number> {
  const { settings, environment, stop, flags } = options;
  const open = http.serverCommand !== undefined && http.openServer;
  const warnings = open ? [...options.warnings, NO_SANDBOX_SERVER] : options.warnings;
  await insistOnNetwork(http.host, "listen on");
  await using log = openRunLog({ settings, warnings, environment });
  const { logger } = log;
  log.start();
  try {
    const token = http.requireToken
      ? await httpToken(environment, openTrees(settings.sandbox, environment))
      : undefined;
    const echo = httpEcho(settings, environment);
    await using program = await composeHttp({
      settings,
      http,
      flags,
      environment,
      token: token?.token,
      echo,
      log: logger,
      stop,
    });
    const { host, port } = program.server;
    const address = `http://${host.includes(":") ? `[${host}]` : host}:${port}/mcp`;
    logger.info("Listening", { address });
    if (token !== undefined) await printProblem(`Token file: ${token.path}`);
    await printProblem(`Listening on ${address}`);
    const lost = await Promise.race([aborted(stop), program.server.lost]);
    if (lost instanceof Error) throw lost;
  } catch (thrown) {
    if (stop.aborted) {
      logger.info("Ended before it had started", { signal: stop.reason });
      return 0;
    }
    logger.error("Ended by an error", { error: messageOf(thrown) });
    throw thrown;
  }
  logger.info("Ended", { signal: stop.reason });
  return 0;
}
