/** The backend for HTTP clients: this process, one child server for all, or one for each. */
import type { Transport } from "@modelcontextprotocol/server";
import { messageOf, UserError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { OpenBackend } from "../../bridge/session/backend.ts";
import type { PeerProblem } from "../../bridge/http_server.ts";
import type { Echo } from "../../bridge/session/session.ts";
import { inProcessBackends } from "../../bridge/backends/in_process_backend.ts";
import { refuseStateless, serveStateless, type StatelessHandler } from "../../bridge/stateless/stateless_handler.ts";
import { startInSandbox } from "../../child_server/sandboxed_start.ts";
import { LooksAfterOutput, WatchedRunner } from "../../child_server/watched_runner.ts";
import type { StartChildServer } from "../../child_server/child_server.ts";
import type { ChildServerOptions } from "../../bridge/backends/client_calls.ts";
import { SharedBackends } from "../../bridge/backends/shared_backend.ts";
import { OperationRegistry } from "../../operation/registry.ts";
import { Turns } from "../../operation/concurrency.ts";
import { watchSources } from "../../service/notify/notifications.ts";
import { followed } from "../../service/notify/subscriptions.ts";
import { watchResources } from "../../service/resources/resource_changes.ts";
import { DirectAnswers, type DirectAnswersOptions } from "../../service/connection/direct_answers.ts";
import { plainCall } from "../../service/connection/plain_calls.ts";
import { buildServer, type ServerOptions } from "../../service/connection/server.ts";
import type { VersionedServer } from "../../service/sdk/versioned_server.ts";
import type { Service } from "../../service/service.ts";
import { ConnectionShells } from "../../service/shells/connection_shells.ts";
import { compose, type ComposeOptions, type Program } from "../compose_service.ts";
import type { FlagName } from "../../settings/flags/flags.ts";
import type { HttpSettings, Settings } from "../../settings/settings.ts";
import { aborted } from "../../base/time.ts";

export interface ComposeHttpOptions extends Omit<ComposeOptions, "platform"> {
  readonly http: HttpSettings;
  /** As typed. */
  readonly flags: ReadonlyMap<FlagName, readonly string[]>;
  /** The bearer token that clients must send; undefined: none. */
  readonly token: string | undefined;
  /** Undefined: no traffic is shown. */
  readonly echo: Echo | undefined;
  /** Gives up the start when it is aborted; absent: never. */
  readonly stop?: AbortSignal;
  /** Makes each SDK server; absent: `buildServer`. A test passes its own. */
  readonly makeServer?: (service: Service, options: ServerOptions) => VersionedServer;
  /** Answers requests of sessions without that server; absent: `plainAnswer`. A test passes its own. */
  readonly plainAnswer?: DirectAnswersOptions["plainAnswer"];
  /** The same for requests of 2026-07-28; absent: `plainCall`. */
  readonly plainCall?: typeof plainCall;
}

/** The backends of sessions and the handler of stateless requests; the stack that they were made on closes them. */
export interface HttpServices {
  readonly open: OpenBackend;
  readonly stateless: StatelessHandler;
  /** Why a peer may begin no session; absent: every peer may. */
  readonly peerProblem?: PeerProblem;
}

/** Time that operations have when their session ends, milliseconds (X14). */
export const GRACE_MS = 10_000;
export const KEEP_ALIVE_MS = 15_000;

const THIRD_PARTY = { isOwn: false };
const BY_ID = true;
const LISTED = false;

/** Serves every client in this process, with what one stdio server has (H2). */
export async function inProcessServices(
  options: ComposeHttpOptions,
  stack: AsyncDisposableStack,
): Promise<HttpServices> {
  const { settings, log } = options;
  const program = stack.use(await compose(options));
  const { service, kept } = program;
  const turns = new Turns(settings.maxConcurrency);
  program.afterFirstAnswer();
  return {
    open: inProcessBackends({
      makeService: (client) => {
        const shells = new ConnectionShells({ ...program, settings, scope: service.scope });
        const own = { ...withRegistry(service, { turns, log, kept, byIdOnly: LISTED }), shells };
        const { registry } = own;
        const shown = { ...own, client };
        program.shown.add(shown);
        return {
          registry,
          connect: (transport) => serveSession(own, transport, options),
          close: async () => {
            await shells.close();
            program.shown.delete(shown);
          },
        };
      },
      graceMs: GRACE_MS,
      log,
    }),
    stateless: statelessHandler(options, program, turns),
  };
}

/** The SDK's server of a session takes what is not answered directly. */
function serveSession(
  service: Service,
  transport: Transport,
  { makeServer = buildServer, plainAnswer }: ComposeHttpOptions,
): DirectAnswers {
  return new DirectAnswers(transport, {
    service,
    answered: undefined,
    ...plainAnswer !== undefined && { plainAnswer },
    async connect(direct) {
      const server = makeServer(service, { revision: "2025-11-25", parts: direct.parts });
      await server.connect(direct);
      return { server: Promise.resolve(server), close: () => server.close() };
    },
  });
}

/** Stateless requests, served by `program`. */
export function statelessHandler(
  { log, echo, makeServer = buildServer, plainCall: answers = plainCall }: ComposeHttpOptions,
  { service, kept, shown }: Program,
  turns: Turns,
): StatelessHandler {
  const own = withRegistry(service, { turns, log, kept, byIdOnly: BY_ID });
  shown.add(own);
  const stateless = serveStateless({
    makeServer(outcome) {
      const server = makeServer(own, { revision: "2026-07-28", lifetime: "request" });
      if (outcome !== undefined) server.setRequestHandler("tools/call", () => outcome as Promise<never>);
      return server;
    },
    calls: { service: own, plainCall: answers },
    ...!service.settings.synchronous && { tasksOf: own },
    follow: (message) => followed(own, message),
    keepAliveMs: KEEP_ALIVE_MS,
    echo,
    log,
  });
  const unsubscribes = [
    watchSources(service.sources, () => stateless.notify.toolsChanged()),
    watchSources(service.prompts, () => stateless.notify.promptsChanged()),
    watchResources(own, {
      updated: (uri) => stateless.notify.resourceUpdated(uri),
      listChanged: () => stateless.notify.resourcesChanged(),
    }),
  ];
  return {
    ...stateless,
    async close() {
      for (const unsubscribe of unsubscribes) unsubscribe?.();
      await own.registry.shutdown(GRACE_MS);
      await stateless.close();
    },
  };
}

/** Serves all clients by one sandboxed process of a third-party server (H10). */
export async function sharedServices(
  options: ComposeHttpOptions,
  argv: readonly string[],
  stack: AsyncDisposableStack,
): Promise<HttpServices> {
  const { log } = options;
  const program = stack.use(await compose({ ...options, settings: thirdPartySettings(options) }));
  const shared = new SharedBackends({
    start: startInSandboxOf(program, { argv, log }),
    ...childServerOptions(options),
  });
  stack.defer(() => shared.close());
  try {
    await raceAbort(shared.initialized, options.stop);
  } catch (thrown) {
    throw new UserError(`Cannot start the server "${argv.join(" ")}": ${messageOf(thrown)}`, { cause: thrown });
  }
  return { open: shared.open, stateless: refuseStateless(SESSIONS_ONLY) };
}

/** Why stateless requests are refused for a third-party server. */
export const SESSIONS_ONLY = "The server behind this one is offered in sessions only: begin with initialize";

/** Starts a third-party server in the sandbox of `program`. */
export function startInSandboxOf(
  { runner, sandbox, service }: Program,
  { argv, log }: { readonly argv: readonly string[]; readonly log: Logger },
): StartChildServer {
  const stderrFile = `${sandbox.directories.files}/stderr`;
  const directory = service.scope.roots[0] ?? "/";
  const watched = new WatchedRunner(runner, THIRD_PARTY);
  return async (hooks) => {
    const looks = new LooksAfterOutput(watched, log);
    const onOutput: typeof hooks.onOutput = (chunk) => {
      looks.wrote();
      return hooks.onOutput(chunk);
    };
    const server = await startInSandbox({ runner: watched, argv, directory, stderrFile, log }, { ...hooks, onOutput });
    void server.ended.then(() => looks.ended());
    return server;
  };
}

/** The settings for the sandbox of a third-party server. */
export function thirdPartySettings({ settings, http }: ComposeHttpOptions): Settings {
  const sandbox = { ...settings.sandbox, enforce: settings.sandbox.enforce && !http.openServer };
  return { ...settings, pool: false, hotReload: false, sandbox };
}

/** The parts for serving through child servers: time limits from the settings, and a place for their stderr. */
export function childServerOptions({ http, echo, log }: ComposeHttpOptions): ChildServerOptions {
  const { handshakeTimeoutMs, requestTimeoutMs: ms } = http;
  return {
    handshakeTimeout: { ms: handshakeTimeoutMs, setting: "--handshake-timeout" },
    requestTimeout: () => ms === undefined ? undefined : { ms, setting: "--request-timeout" },
    graceMs: GRACE_MS,
    onErrorLine(line) {
      echo?.error("server", line);
      log.debug("A server wrote to stderr", { line: line.slice(0, 2_000) });
    },
    log,
  };
}

function withRegistry(
  service: Service,
  { turns, kept, ...rest }: Pick<Program, "kept"> & {
    readonly turns: Turns;
    readonly log: Logger;
    readonly byIdOnly: boolean;
  },
): Service {
  return { ...service, registry: new OperationRegistry({ maxConcurrency: turns, ...rest, ...kept }) };
}

/**
 * The value of `promise`, unless the program is asked to end before: a slow start must not delay the end.
 *
 * @throws {UserError} when `stop` aborts first; absent: it never does
 */
export async function raceAbort<Value>(promise: Promise<Value>, stop: AbortSignal | undefined): Promise<Value> {
  const ended = aborted(stop).then(() => {
    throw new UserError("It was asked to end before it had started");
  });
  return await Promise.race([ended, promise]);
}
