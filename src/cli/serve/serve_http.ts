/** The life of the HTTP server (H1, H11): opens log, token and services, and serves clients until a signal. */
import { aborted } from "../../base/time.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import { composeHttp } from "../../app/http/compose_http.ts";
import type { HttpSettings, Settings } from "../../settings/settings.ts";
import { httpToken } from "../../app/http/http_token.ts";
import { insistOnNetwork } from "../../app/program/own_program.ts";
import { openTrees } from "../../app/writable_trees.ts";
import { printProblem } from "../terminal/print.ts";
import { NO_SANDBOX_SERVER, openRunLog } from "../terminal/run_log.ts";
import type { CommandContext } from "../terminal/command_context.ts";
import type { Echo } from "../../bridge/session/session.ts";
import { openDashboard } from "../commands/dashboard/open_dashboard.ts";
import { privateLink } from "../commands/dashboard/private_link.ts";
import { colours } from "../terminal/colours.ts";
import { redactFields, redactText } from "../../logging/redact.ts";
import { parseJson } from "../../wire/json_value.ts";

/** Serves until `stop` aborts; resolves with the exit code. @throws {UserError} when the server refuses to start */
export async function serveHttp(options: CommandContext, http: HttpSettings): Promise<number> {
  const { settings, environment, flags } = options;
  const broken = new AbortController();
  const stop = AbortSignal.any([options.stop, broken.signal]);
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
      publishes: true,
      stop,
      onBroken: (why) => broken.abort(new UserError(`Ended, and every command with it: ${why}`)),
    });
    const { host, port } = program.server;
    const address = `http://${host.includes(":") ? `[${host}]` : host}:${port}/mcp`;
    logger.info("Listening", { address });
    if (token !== undefined) await printProblem(`Token file: ${token.path}`);
    await printProblem(`Listening on ${address}`);
    await using page = http.dashboard ? await openDashboard(options, { port: 0, log: logger }) : undefined;
    // What is no terminal keeps what it gets, and the address has the token.
    await using link = page && !Deno.stderr.isTerminal() ? await privateLink(page.url, environment) : undefined;
    if (page !== undefined) await printProblem(`Dashboard: ${link?.url.href ?? page.url.href}`);
    const lost = await Promise.race([aborted(stop), program.server.lost]);
    if (lost instanceof Error) throw lost;
    broken.signal.throwIfAborted();
  } catch (thrown) {
    if (options.stop.aborted) {
      logger.info("Ended before it had started", { signal: stop.reason });
      return 0;
    }
    logger.error("Ended by an error", { error: messageOf(thrown) });
    throw thrown;
  }
  logger.info("Ended", { signal: stop.reason });
  return 0;
}

/** Limit of the queue for a slow terminal, which misses messages beyond it. */
const MOST_WAITING = 200;
/** Characters shown of one message. */
const LONGEST = 8 * 1024;

/**
 * The echo of this run (H9), with --debug or where stderr is a terminal. It writes to stderr in order: JSON with two
 * spaces, other text as it is, without secrets. Undefined: nothing is shown.
 */
function httpEcho({ debug }: Pick<Settings, "debug">, environment: Readonly<Record<string, string>>): Echo | undefined {
  const terminal = Deno.stderr.isTerminal();
  if (!debug && !terminal) return undefined;
  const { cyan, green, red } = colours(terminal && (environment["NO_COLOR"] ?? "") === "");
  const print = boundedPrinter();
  const show = (session: string, label: string, value: unknown) => {
    const text = typeof value === "object" && value !== null
      ? JSON.stringify(redactFields({ ...value }), null, 2)
      : redactText(String(value));
    const shown = text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n... ${text.length - LONGEST} more`;
    print(`[${session.slice(0, 8)}] ${label} ${shown}`);
  };
  const out = (session: string, message: unknown) => show(session, green("← STDOUT:"), message);
  return {
    in: (session, message) => show(session, cyan("→ STDIN:"), message),
    out,
    events(session, chunk) {
      for (const [, data = ""] of new TextDecoder().decode(chunk).matchAll(/(?:^|\n)data: ([^\n]*)/g)) {
        // A part of a long event is not JSON.
        const parsed = parseJson(data);
        if (data !== "") out(session, parsed.ok ? parsed.value : data);
      }
    },
    error: (session, line) => show(session, red("⚠ STDERR:"), line),
  };
}

/** Prints in order; what a terminal that does not keep up would be late with is counted instead. */
function boundedPrinter(): (text: string) => void {
  let waiting = 0;
  let missed = 0;
  let last = Promise.resolve();
  const printNext = (text: string) => {
    waiting++;
    last = last.then(() => printProblem(text.trimEnd())).finally(() => waiting--);
  };
  return (text) => {
    if (waiting >= MOST_WAITING) {
      missed++;
      return;
    }
    if (missed > 0) printNext(`... ${missed} messages are not shown: the terminal did not keep up`);
    missed = 0;
    printNext(text);
  };
}
