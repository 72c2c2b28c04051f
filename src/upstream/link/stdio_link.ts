/** A stdio server in its own sandbox: started, restarted and ended by its supervisor (O2). */
import { messageOf } from "../../base/errors.ts";
import { aborted } from "../../base/time.ts";
import { VERSION } from "../../base/version.ts";
import type { StartChildServer } from "../../child_server/child_server.ts";
import { LastLines } from "../../child_server/last_lines.ts";
import type { Answer } from "../../child_server/pending_calls.ts";
import { Supervisor } from "../../child_server/supervisor.ts";
import { isSpecType, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { isObject, member } from "../../wire/json_value.ts";
import { CANCELLED, type Hello, type Link, type LinkHooks, type LinkRequest } from "./link.ts";

/** Time that a server has to end by itself, milliseconds. */
const GRACE_MS = 500;
/** Lines of stderr that explain why a server is down, and characters of each: they name what the sandbox denied it. */
const KEPT_LINES = 15;
const LONGEST_LINE = 4_096;
/** Warnings that npm prints at every start, and lines without a word. */
const NOISE = /^npm (?:warn|notice) |^[\s^~|-]*$/;

export interface StdioLinkOptions {
  readonly start: StartChildServer;
  /** Directories that the server may know of. */
  readonly roots: readonly string[];
  /** Time for the answer to `initialize`. */
  readonly startSeconds: number;
  /** Consecutive starts that may fail; absent: as many as the supervisor tries. */
  readonly mostStarts?: number;
}

/** Starts the server; rejects when it does not serve. */
export async function openStdioLink(
  { start, roots, startSeconds, mostStarts }: StdioLinkOptions,
  hooks: LinkHooks,
): Promise<Link> {
  const stderr = new LastLines({ most: KEPT_LINES, longest: LONGEST_LINE, noise: NOISE });
  let ofEnded: readonly string[] = [];
  const supervisor = new Supervisor({
    start,
    ...mostStarts !== undefined && { mostStarts },
    initialize: {
      // Every stdio server speaks a version with sessions; those that know newer ones answer this one too.
      protocolVersion: "2025-11-25",
      capabilities: { roots: {}, ...hooks.offers },
      clientInfo: { name: "ahma_mcp", version: VERSION },
    },
    onMessage: (message) => receive(message),
    onErrorLine: (line) => stderr.add(line),
    onEnd: () => {
      ofEnded = stderr.lines;
      stderr.clear();
      hooks.onDown(["The process ended", ...ofEnded].join("\n"));
    },
    onReady(times) {
      if (times === 1) return;
      hooks.onUp();
      hooks.onFresh();
    },
    handshakeTimeout: { ms: startSeconds * 1000, setting: "startSeconds" },
    isReadOnlyTool: hooks.isReadOnlyTool,
    log: hooks.log,
  });
  function receive(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    const { method, params } = message;
    if (!("id" in message)) return hooks.onNotification(method, params);
    const { id } = message;
    const own = ownAnswer(method, roots);
    if (own !== undefined) return supervisor.send({ jsonrpc: "2.0", id, ...own });
    void hooks.onRequest(method, params).then((answer) => supervisor.send({ jsonrpc: "2.0", id, ...answer }));
  }
  try {
    const initialized = await Promise.race([supervisor.initialized, aborted(hooks.stop)]);
    hooks.stop.throwIfAborted();
    return {
      hello: helloOf(initialized),
      request: (request) => ask(supervisor, request),
      close: () => supervisor.close(GRACE_MS),
    };
  } catch (thrown) {
    await supervisor.close(0);
    // The supervisor names fewer lines, all in one.
    const [how] = messageOf(thrown).split(" Its last words: ", 1);
    throw new Error([how, ...ofEnded].join("\n"), { cause: thrown });
  }
}

function helloOf(initialized: unknown): Hello {
  const [protocolVersion, capabilities] = [member(initialized, "protocolVersion"), member(initialized, "capabilities")];
  const [instructions, server] = [member(initialized, "instructions"), member(initialized, "serverInfo")];
  return {
    protocolVersion: typeof protocolVersion === "string" ? protocolVersion : "",
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === "string" ? instructions : undefined,
    server: isSpecType.Implementation(server) ? server : undefined,
  };
}

/** The answer that needs no client; undefined: one is asked. */
function ownAnswer(method: string, roots: readonly string[]): Answer | undefined {
  if (method === "ping") return { result: {} };
  if (method === "roots/list") {
    return { result: { roots: roots.map((path) => ({ uri: `file://${encodeURI(path)}` })) } };
  }
  return undefined;
}

async function ask(
  supervisor: Supervisor,
  { method, params, timeoutMs, onProgress, signal }: LinkRequest,
): Promise<Answer> {
  if (signal?.aborted) return CANCELLED;
  const meta = params["_meta"];
  const call = supervisor.call({
    method,
    // A token is always sent: its progress begins the time limit again.
    params: { ...params, ...method === "tools/call" && { _meta: { ...isObject(meta) && meta, progressToken: 0 } } },
    ...onProgress !== undefined && { onProgress },
    timeout: { ms: timeoutMs, setting: "timeoutSeconds" },
  });
  const cancelled = Promise.withResolvers<Answer>();
  const onAbort = () => {
    supervisor.cancel(call, "The client cancelled the request");
    cancelled.resolve(CANCELLED);
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  const answer = await Promise.race([call.answered, cancelled.promise]);
  signal?.removeEventListener("abort", onAbort);
  return answer;
}
