/** Builds the HTTP server and joins it with its backends. */
import { UsageError } from "../../base/errors.ts";
import { isLoopback, ownHosts, ownOrigins } from "../../http/request_guard.ts";
import { HttpServer } from "../../bridge/http_server.ts";
import { INSTANCE_VARIABLE } from "../../wire/instance.ts";
import { SessionStore } from "../../bridge/session/session_store.ts";
import { isolatedServices } from "./http_isolation.ts";
import { type ComposeHttpOptions, inProcessServices, KEEP_ALIVE_MS, sharedServices } from "./http_services.ts";

/** The listening server; disposing of it ends it in order (H11). */
export interface HttpProgram extends AsyncDisposable {
  readonly server: HttpServer;
}

/**
 * Builds everything and listens.
 * @throws {UserError} when the sandbox, the scope, the child server or the address is not available, {UsageError} when
 * the server would be open to every machine
 */
export async function composeHttp(given: ComposeHttpOptions): Promise<HttpProgram> {
  const { http, token, echo, log } = given;
  const instance = crypto.randomUUID();
  const options = { ...given, environment: { ...given.environment, [INSTANCE_VARIABLE]: instance } };
  if (!isLoopback(http.host) && token === undefined) {
    throw new UsageError(
      `Cannot listen on "${http.host}" without --require-token: every machine that reaches it could run commands here`,
    );
  }
  await using stack = new AsyncDisposableStack();
  const { open, stateless, peerProblem } = http.sessionIsolation
    ? await isolatedServices(options, stack)
    : http.serverCommand === undefined
    ? await inProcessServices(options, stack)
    : await sharedServices(options, http.serverCommand, stack);
  const sessions = new SessionStore({
    open,
    most: http.maxSessions,
    idleMs: http.sessionIdleMs,
    keepAliveMs: KEEP_ALIVE_MS,
    echo,
    log,
  });
  const server = new HttpServer({
    host: http.host,
    port: http.port,
    rules: (port) => ({
      hosts: ownHosts(http.host, port, http.allowedHosts),
      origins: ownOrigins(http.host, port, http.allowedOrigins),
      token,
      instance,
    }),
    sessions,
    stateless,
    hasCard: http.serverCommand === undefined,
    ...peerProblem !== undefined && { peerProblem },
    log,
  });
  stack.defer(() => server.stop());
  const rooms = stack.move();
  return { server, [Symbol.asyncDispose]: () => rooms.disposeAsync() };
}
