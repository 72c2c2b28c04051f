/** For the tests of this room: a service whose commands are played by the test, and clients connected to it. */
import { OpenInputs } from "../../operation/concurrency.ts";
import type { CommandEnd } from "../../base/command/command_end.ts";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { SILENT } from "../../base/log.ts";
import type { Scope } from "../../system/path_scope.ts";
import { type Catalog, type Leaf } from "../../catalog/model/leaf.ts";
import { catalogOf } from "../../catalog/model/snapshot.ts";
import { OperationRegistry } from "../../operation/registry.ts";
import type { CommandHooks, CommandRequest, CommandRunner } from "../../process/command_runner.ts";
import { builtinSource } from "../builtin/builtin_source.ts";
import { buildServer, revisionOf } from "../connection/server.ts";
import { ToolFileSource } from "../tool_files/tool_file_source.ts";
import { DEFAULT_INLINE_LIMITS, type Revision, type Service, type ServiceSettings } from "../service.ts";

/** A command the test sees start and ends when it likes; it obeys an abort at once. */
export class PlayedCommand {
  readonly request: CommandRequest;
  readonly ended: Promise<CommandEnd>;
  readonly #hooks: CommandHooks;
  readonly #resolve: (end: CommandEnd) => void;

  constructor(request: CommandRequest, hooks: CommandHooks) {
    this.request = request;
    this.#hooks = hooks;
    const { promise, resolve } = Promise.withResolvers<CommandEnd>();
    this.ended = promise;
    this.#resolve = resolve;
    const obey = () => resolve({ kind: "signalled", signal: "SIGTERM" });
    hooks.signal.addEventListener("abort", obey, { once: true });
    if (hooks.signal.aborted) obey();
  }

  get aborted(): boolean {
    return this.signal.aborted;
  }

  get signal(): AbortSignal {
    return this.#hooks.signal;
  }

  /** What the reader of the output returns: a promise to wait for, or anything else. */
  write(text: string): unknown {
    return this.#hooks.onOutput(new TextEncoder().encode(text));
  }

  exit(code: number): void {
    this.#resolve({ kind: "exited", code });
  }
}

/** Plays commands: `script` may end each at once; else the test takes it from `next`. */
export class PlayedRunner implements CommandRunner {
  readonly requests: CommandRequest[] = [];
  readonly #script: (command: PlayedCommand) => void;
  #waiting: ((command: PlayedCommand) => void)[] = [];
  #started: PlayedCommand[] = [];

  constructor(script: (command: PlayedCommand) => void = () => {}) {
    this.#script = script;
  }

  run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    this.requests.push(request);
    const command = new PlayedCommand(request, hooks);
    this.#script(command);
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#started.push(command);
    else waiting(command);
    return command.ended;
  }

  /** The next command in the order they started. */
  next(): Promise<PlayedCommand> {
    const started = this.#started.shift();
    if (started !== undefined) return Promise.resolve(started);
    const { promise, resolve } = Promise.withResolvers<PlayedCommand>();
    this.#waiting.push(resolve);
    return promise;
  }
}

/** A scope of one directory that takes paths as they are written. */
export const PLAIN_SCOPE: Scope = {
  roots: ["/scope"],
  resolveDirectory: (path) => Promise.resolve(contained(path ?? ".", "/scope")),
  contains: (path, directory) => Promise.resolve(contained(path, directory)),
};

function contained(path: string, directory: string): Awaited<ReturnType<Scope["contains"]>> {
  const whole = path.startsWith("/") ? path : path === "." ? directory : `${directory}/${path}`;
  return whole.startsWith("/scope") && !whole.includes("..")
    ? { ok: true, value: whole }
    : { ok: false, problem: `"${path}" is outside` };
}

export const PLAIN_SETTINGS: ServiceSettings = {
  synchronous: false,
  timeoutSeconds: 360,
  longTimeoutSeconds: 7200,
  inline: DEFAULT_INLINE_LIMITS,
  inlineWaitMs: 0,
  keepAnsi: false,
  pushResults: false,
  exitErrors: false,
  sandbox: { enforced: true, summary: "Landlock" },
};

export interface ServiceParts {
  readonly runner?: CommandRunner;
  readonly catalog?: Catalog;
  readonly settings?: Partial<ServiceSettings>;
  readonly rest?: Partial<Service>;
}

export function makeService(parts: ServiceParts = {}): Service {
  const snapshot = parts.catalog ?? catalogOf([]);
  const catalog = () => Promise.resolve(snapshot);
  const facts = { scope: parts.rest?.scope ?? PLAIN_SCOPE, settings: { ...PLAIN_SETTINGS, ...parts.settings } };
  return {
    info: { name: "ahma_mcp", version: "0.0.0" },
    sources: [
      builtinSource(facts),
      new ToolFileSource({ facts, catalog, onChange: parts.rest?.onCatalogChange }),
    ],
    prompts: [],
    resources: [],
    catalog,
    runner: parts.runner ?? new PlayedRunner(),
    registry: new OperationRegistry({ maxConcurrency: 8, log: SILENT }),
    ...facts,
    writePrivateFile: () => Promise.reject(new Error("Not in this test")),
    log: SILENT,
    heldCalls: new Map(),
    openInputs: new OpenInputs(),
    ...parts.rest,
  };
}

/** A leaf without options that runs `argv`. */
export function makeLeaf(name: string, rest: Partial<Leaf> = {}): Leaf {
  return {
    name,
    tool: name,
    path: [],
    description: `Runs ${name}.`,
    argv: [name],
    options: [],
    positionals: [],
    positionalsFirst: false,
    allowArgs: false,
    endOfOptions: false,
    allowStdin: false,
    synchronous: undefined,
    timeoutSeconds: undefined,
    sequence: [],
    stepDelayMs: 0,
    ...rest,
  };
}

export const REVISIONS: readonly Revision[] = ["2025-11-25", "2026-07-28"];

/** A client of the SDK, connected to `service` the way stdio is. */
export async function connectClient(
  service: Service,
  revision: Revision = "2025-11-25",
): Promise<{ readonly client: Client } & AsyncDisposable> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const connection = serveStdio((context) => buildServer(service, { revision: revisionOf(context) }), {
    transport: serverSide,
  });
  const mode = revision === "2025-11-25" ? "legacy" : { pin: revision };
  const client = new Client({ name: "test", version: "0" }, { versionNegotiation: { mode } });
  await client.connect(clientSide);
  const close = async () => {
    await client.close();
    await connection.close();
    await service.registry.shutdown(0);
  };
  return { client, [Symbol.asyncDispose]: close };
}

/** The text blocks of a tool result. */
export function textsOf(result: { readonly content?: unknown }): readonly string[] {
  // What the SDK's client has checked to be content blocks.
  const blocks = (result.content ?? []) as readonly { readonly type: string; readonly text?: string }[];
  return blocks.map((block) => block.text ?? "");
}

/** The operation id a result's text begins with (or holds first). */
export function idOf(result: { readonly content?: unknown }): string {
  return /op_[0-9A-Z]+/.exec(textsOf(result)[0] ?? "")?.[0] ?? "";
}
