/** `--session-isolation` (H3): a child server and a scope for each client. */
import { mayUseNetwork } from "../../settings/settings.ts";
import { messageOf, UsageError, UserError } from "../../base/errors.ts";
import { type ChildSource, isolatedBackends, type OwnProgram } from "../../bridge/isolated/isolated_backend.ts";
import { type InitializeAnswer, OWN_INITIALIZE } from "../../bridge/backends/client_calls.ts";
import { refuseStateless } from "../../bridge/stateless/stateless_handler.ts";
import { ChildPool } from "../../bridge/isolated/child_pool.ts";
import { AllowedScopes } from "../../bridge/isolated/allowed_scopes.ts";
import type { TimeLimit } from "../../child_server/pending_calls.ts";
import { Supervisor } from "../../child_server/supervisor.ts";
import { Turns } from "../../operation/concurrency.ts";
import type { PeerProblem } from "../../bridge/http_server.ts";
import { holderOf, type SocketHolder, type SocketSystem, systemSockets } from "../../process/tree/socket_owner.ts";
import { Libc } from "../../system/libc.ts";
import { builtinTraits } from "../../catalog/format/builtin_traits.ts";
import { realPath } from "../../system/paths.ts";
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";
import { supportedProcessor } from "../../sandbox/policy/prerequisites.ts";
import { missingScope, settleScopes } from "../../sandbox/grants/resolve_scopes.ts";
import { childProgram } from "./child_program.ts";
import { StartMemory } from "../program/start_memory.ts";
import { compose } from "../compose_service.ts";
import {
  childServerOptions,
  type ComposeHttpOptions,
  GRACE_MS,
  type HttpServices,
  raceAbort,
  SESSIONS_ONLY,
  startInSandboxOf,
  statelessHandler,
  thirdPartySettings,
} from "./http_services.ts";
import { homeOf, stateDirectory } from "../../system/user_directories.ts";

const NEEDS_SESSIONS = "This server gives each session the directory that its client names as its first root, and " +
  "version 2026-07-28 has no sessions: begin with initialize, or start the server with --sandbox-scope DIR";

type OpenChildSource = (scopes: readonly PinnedDirectory[]) => Promise<ChildSource>;

/** Sessions with a child server for each client. */
export async function isolatedServices(
  options: ComposeHttpOptions,
  stack: AsyncDisposableStack,
): Promise<HttpServices> {
  const { http } = options;
  const processor = supportedProcessor(Deno.build.os, Deno.build.arch);
  if (!processor.ok) throw new UserError(processor.problem);
  const libc = stack.use(new Libc());
  const ceiling = ceilingOf(options, libc);
  const scopes = new AllowedScopes({ libc, ceiling, ...facts(options), reserved: reservedDirectories(options) });
  const open = http.serverCommand === undefined
    ? pooledChildren(stack.use(poolOf(options)), scopes)
    : thirdPartyChildren(options, http.serverCommand, scopes);
  const initializeAnswer = await learnAnswer(options, { open, libc });
  stack.use(new StartMemory()).begin();
  const enforced = options.settings.sandbox.enforce && !(http.serverCommand !== undefined && http.openServer);
  return {
    open: isolatedBackends({
      initializeAnswer,
      settle: (path) => scopes.settle(path),
      fallback: ceiling,
      open,
      abi: enforced ? libc.landlockAbi() : 0,
      ...childServerOptions(options),
      ...http.serverCommand === undefined && { requestTimeout: ownTimeout(options) },
      own: http.serverCommand === undefined ? ownProgram(options) : undefined,
    }),
    stateless: await isolatedStateless(options, ceiling, stack),
    peerProblem: refuseOwnCommands({ system: systemSockets(libc), token: options.token !== undefined }),
  };
}

function ownProgram({ settings: { toolPrefix } }: ComposeHttpOptions): OwnProgram {
  return {
    statusName: `${toolPrefix}status`,
    isReadOnlyTool: (name) =>
      name.startsWith(toolPrefix) && builtinTraits(name.slice(toolPrefix.length))?.readOnly === true,
  };
}

/** Our own tools have their own limits; everything else has the bridge's (H10). */
function ownTimeout(options: ComposeHttpOptions): (method: string) => TimeLimit | undefined {
  const { requestTimeout } = childServerOptions(options);
  return (method) => method === "tools/call" ? undefined : requestTimeout(method);
}

/** Stateless requests where sessions are isolated; they get the scope of `--sandbox-scope`. */
async function isolatedStateless(
  options: ComposeHttpOptions,
  ceiling: readonly PinnedDirectory[] | undefined,
  stack: AsyncDisposableStack,
) {
  if (options.http.serverCommand !== undefined) return refuseStateless(SESSIONS_ONLY);
  if (ceiling === undefined) return refuseStateless(NEEDS_SESSIONS);
  // Its clients share one sandbox: the answer of one person would hold for all (S35).
  const program = stack.use(await compose({ ...options, settings: { ...options.settings, asks: [] } }));
  program.afterFirstAnswer();
  const { maxConcurrency } = options.settings;
  return statelessHandler(options, program, new Turns(maxConcurrency));
}

function facts({ settings, environment }: ComposeHttpOptions) {
  return { home: homeOf(environment), allowBroad: settings.sandbox.allowBroad };
}

function ceilingOf(options: ComposeHttpOptions, libc: Libc): readonly PinnedDirectory[] | undefined {
  const { scopes } = options.settings.sandbox;
  if (scopes.length === 0) return undefined;
  const choice = { scopes, workingDirectory: Deno.cwd(), ...facts(options) };
  const missing = missingScope(choice);
  if (missing !== undefined) throw new UsageError(missing);
  const settled = settleScopes(choice, libc);
  if (!settled.ok) throw new UserError(settled.problem);
  return settled.value;
}

function reservedDirectories({ environment }: ComposeHttpOptions): readonly string[] {
  const state = stateDirectory(environment);
  return state === undefined ? [] : [realPath(state) ?? state];
}

/** The pool of child servers of our own program. */
function poolOf({ flags, environment, settings, http, log }: ComposeHttpOptions): ChildPool {
  return new ChildPool({
    ...childProgram({ flags, environment, directory: Deno.cwd(), network: mayUseNetwork(settings) }),
    most: http.maxSessions,
    log,
  });
}

function pooledChildren(pool: ChildPool, allowed: AllowedScopes): OpenChildSource {
  return (scopes) => {
    const start = allowed.startUnchanged(scopes, (hooks) => Promise.resolve(pool.start(scopes, hooks)));
    return Promise.resolve({ start, close: () => Promise.resolve() });
  };
}

function thirdPartyChildren(
  options: ComposeHttpOptions,
  argv: readonly string[],
  allowed: AllowedScopes,
): OpenChildSource {
  const settings = thirdPartySettings(options);
  return async (pinned) => {
    const scopes = pinned.map(({ path }) => path);
    const program = await compose({
      ...options,
      settings: { ...settings, sandbox: { ...settings.sandbox, scopes, pinned } },
    });
    const start = allowed.startUnchanged(pinned, startInSandboxOf(program, { argv, log: options.log }));
    return { start, close: async () => await program[Symbol.asyncDispose]() };
  };
}

/**
 * The answer of such a child server to `initialize`, from one that is started in an empty directory and ended. The
 * bridge answers clients with it before their own child is started. A server that cannot start is detected here too
 * (S12).
 */
async function learnAnswer(
  options: ComposeHttpOptions,
  { open, libc }: { readonly open: OpenChildSource; readonly libc: Libc },
): Promise<InitializeAnswer> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "ahma_mcp_empty-" }));
  try {
    const identity = libc.identityOf(path);
    if (identity === undefined) throw new UserError(`Cannot use the temporary directory "${path}"`);
    const source = await open([{ path, ...identity }]);
    const server = new Supervisor({
      start: source.start,
      initialize: OWN_INITIALIZE,
      onMessage() {},
      ...childServerOptions(options),
    });
    try {
      return withoutDirectory(await raceAbort(server.initialized, options.stop), path);
    } catch (thrown) {
      const name = options.http.serverCommand?.join(" ") ?? "ahma_mcp";
      throw new UserError(`Cannot start the server "${name}": ${messageOf(thrown)}`, { cause: thrown });
    } finally {
      await server.close(GRACE_MS);
      await source.close();
    }
  } finally {
    await Deno.remove(path, { recursive: true });
  }
}

/** The answer with the directory of the start left out of the instructions; a session's own is not known yet. */
function withoutDirectory(answer: InitializeAnswer, path: string): InitializeAnswer {
  const { instructions } = answer;
  if (typeof instructions !== "string") return answer;
  const root = "the first root of the client";
  return { ...answer, instructions: instructions.replaceAll(`"${path}"`, root).replaceAll(path, root) };
}

/**
 * Refuses sessions to this server's own commands (S6), which would get another directory than their sandbox grants.
 * `token`: requests must carry one, which no command can read.
 */
export function refuseOwnCommands(
  { system, token }: { readonly system: SocketSystem; readonly token: boolean },
): PeerProblem {
  const server = { server: Deno.pid, uid: Deno.uid() ?? 0 };
  return (peer, ownPort) => admissionProblem(holderOf({ peerPort: peer.port, ownPort }, server, system), token);
}

/** Why this holder of the other end may begin no session; undefined: it may. Pure. */
export function admissionProblem(holder: SocketHolder, token: boolean): string | undefined {
  if (holder === "ours") {
    return "the connection comes from one of this server's own commands, which may begin no session";
  }
  // A client in a container or on another machine is always unknown; the token proves that it is not a command.
  if (holder === "others" || token) return undefined;
  return "the process at the other end of the connection cannot be determined, and one of this server's own commands " +
    "may begin no session. Start the server with --require-token";
}
