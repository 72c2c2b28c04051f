/** Builds the HTTP server and joins it with the rooms it serves. */
import type { Server } from "@modelcontextprotocol/server";
import { UserError } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import type { Echo } from "../bridge/echo.ts";
import { isLoopback, ownHosts, ownOrigins } from "../bridge/guard.ts";
import { type HttpServer, startHttpServer } from "../bridge/http_server.ts";
import { inProcessBackends } from "../bridge/in_process_backend.ts";
import { servedModernEra } from "../bridge/modern.ts";
import { SessionStore } from "../bridge/session_store.ts";
import { OperationRegistry } from "../operation/registry.ts";
import { Turns } from "../operation/turns.ts";
import { ToolLister } from "../service/definitions.ts";
import { buildServer, type ServerOptions } from "../service/server.ts";
import type { Service } from "../service/service.ts";
import { compose, type Program } from "./compose.ts";
import type { HttpSettings } from "./http_settings.ts";
import type { Settings } from "./settings.ts";

export interface ComposeHttpOptions {
  readonly settings: Settings;
  readonly http: HttpSettings;
  /** The server's own variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** What clients must send; undefined: nothing. */
  readonly token: string | undefined;
  readonly echo: Echo;
  readonly log: Logger;
  /** Makes each SDK server; absent: the product's. Another one lets a test add to it. */
  readonly makeServer?: (service: Service, options: ServerOptions) => Server;
}

/** The server, listening; disposing of it ends it in order (H11). */
export interface HttpProgram extends AsyncDisposable {
  readonly server: HttpServer;
}

/** What operations have when their session ends, milliseconds (X14). */
const GRACE_MS = 10_000;
const KEEP_ALIVE_MS = 15_000;

/**
 * Builds everything and listens.
 * @throws {UserError} when the sandbox, the scope or the address is not to be had
 */
export async function composeHttp(options: ComposeHttpOptions): Promise<HttpProgram> {
  const { http, token } = options;
  if (!isLoopback(http.host) && token === undefined) {
    throw new UserError(
      `Cannot listen on "${http.host}" without --require-token: every machine that reaches it could run commands here`,
    );
  }
  await using stack = new AsyncDisposableStack();
  const program = stack.use(await compose(options));
  const { sessions, modern } = sharedService(options, program);
  const server = startHttpServer({
    host: http.host,
    port: http.port,
    rules: (port) => ({
      hosts: ownHosts(http.host, port, http.allowedHosts),
      origins: ownOrigins(http.host, port, http.allowedOrigins),
      token,
    }),
    sessions,
    modern,
    log: options.log,
  });
  stack.defer(() => server.stop());
  program.afterFirstAnswer();
  const rooms = stack.move();
  return { server, [Symbol.asyncDispose]: () => rooms.disposeAsync() };
}

/** Every client is served by this process, with what one stdio server has (H2). */
function sharedService({ settings, http, echo, log, makeServer = buildServer }: ComposeHttpOptions, program: Program) {
  const { service, sandbox } = program;
  const turns = new Turns(settings.maxConcurrency);
  const tools = new ToolLister(service.settings);
  const withOwnRegistry = (byIdOnly: boolean): Service => ({
    ...service,
    registry: new OperationRegistry({ maxConcurrency: turns, log, byIdOnly }),
  });
  const withoutSessions = withOwnRegistry(BY_ID);
  const sessions = new SessionStore({
    open: inProcessBackends({
      makeService: () => {
        const own = withOwnRegistry(LISTED);
        return { registry: own.registry, server: makeServer(own, { era: "legacy", tools }) };
      },
      sandbox: sandbox.policy === undefined ? undefined : { scope: service.scope.roots[0] ?? "", abi: sandbox.abi },
      graceMs: GRACE_MS,
      log,
    }),
    most: http.maxSessions,
    idleMs: http.sessionIdleMs,
    keepAliveMs: KEEP_ALIVE_MS,
    echo,
    log,
  });
  const modern = servedModernEra({
    makeServer: () => makeServer(withoutSessions, { era: "modern", tools }),
    keepAliveMs: KEEP_ALIVE_MS,
    log,
  });
  const unsubscribe = service.onCatalogChange?.(() => modern.toolsChanged());
  return {
    sessions,
    modern: {
      ...modern,
      async close() {
        unsubscribe?.();
        await withoutSessions.registry.shutdown(GRACE_MS);
        await modern.close();
      },
    },
  };
}

const BY_ID = true;
const LISTED = false;
