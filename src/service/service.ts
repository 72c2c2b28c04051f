import type { CallToolResult, LoggingLevel, Tool } from "@modelcontextprotocol/server";
import type { Outcome } from "../base/outcome.ts";
import type { Unsubscribe } from "../base/emitter.ts";
import type { Logger } from "../base/log.ts";
import type { Scope } from "../system/path_scope.ts";
import type { Catalog } from "../catalog/model/leaf.ts";
import type { RunningChecks } from "../catalog/load/running_checks.ts";
import type { Operation } from "../operation/operation_record.ts";
import type { OperationRegistry } from "../operation/registry.ts";
import type { ViewLimits } from "../operation/output/text_view.ts";
import type { CommandRunner } from "../process/command_runner.ts";
import type { ToolStyle } from "../catalog/format/mtdf.ts";
import type { ConnectionShells } from "./shells/connection_shells.ts";
import type { PromptSource } from "./prompts/prompt_source.ts";
import type { ResourceSource } from "./resource_source.ts";
import type { TraceContext } from "../wire/trace_context.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { HeldCalls } from "./questions/asking_call.ts";
import type { AskedClient, ClientOffers } from "./questions/question.ts";
import type { OpenInputs } from "../operation/concurrency.ts";

/** The protocol revision of a server; the first means all earlier ones, which have sessions. */
export type Revision = "2025-11-25" | "2026-07-28";

/** Whether commands are confined, for people and models (S14). */
export interface SandboxStatus {
  readonly enforced: boolean;
  /** One line: what enforces the sandbox, or why nothing does. */
  readonly summary: string;
  /** The summary after the probe of the kernel; absent: the probe adds nothing. */
  readonly details?: () => Promise<string>;
  /** One line about control groups of commands; absent: this system has none. */
  readonly groups?: () => Promise<string>;
}

/** The loopback port of this machine that leads to a command's `port`; undefined: none does. */
export type PublishedAs = (port: number) => number | undefined;

/** The sandbox of this server's commands. */
export interface SandboxFacts {
  /** The first directory commands may change. */
  readonly scope: string;
  /** All of them, where there are several. */
  readonly scopes?: readonly string[];
  /** Version of Landlock. */
  readonly abi: number;
}

export interface ServiceSettings {
  /** `--sync`: every call waits for its result (X2). */
  readonly synchronous: boolean;
  /** `--timeout`, seconds (X9); undefined: no limit. */
  readonly timeoutSeconds: number | undefined;
  /** The same for a command whose output is waited for or watched, or whose input is open. */
  readonly longTimeoutSeconds: number | undefined;
  /** Size of one result's text (X4). */
  readonly inline: ViewLimits;
  /** `--inline-wait`: how long a call waits for its result, milliseconds; 0: not at all (X1). */
  readonly inlineWaitMs: number;
  /** `--tool-prefix`: before the name of each tool that a client sees; absent: nothing. */
  readonly toolPrefix?: string;
  /** `--tool-style`, for tool files that say nothing; absent: `leaf`. */
  readonly toolStyle?: ToolStyle;
  /** `--keep-ansi` (X8). */
  readonly keepAnsi: boolean;
  /** `--push-results` (X5). */
  readonly pushResults: boolean;
  /** `--exit-errors`: a command that failed is an error result (X4). */
  readonly exitErrors: boolean;
  /** `--preview`: calls may run on a copy of the scope (S40); absent: they may not. */
  readonly preview?: { readonly isOn: boolean };
  readonly sandbox: SandboxStatus;
  /** Absent: a person reaches no port of commands (S34). */
  readonly publishedAs?: PublishedAs | undefined;
}

/** 10 KiB and 250 lines, and 120 lines of what is longer (X4). */
export const DEFAULT_INLINE_LIMITS = { bytes: 10 * 1024, lines: 250, cutLines: 120 } satisfies ViewLimits;

/** This many lines for this many bytes; fewer bytes do not mean fewer lines (X4). */
export function inlineLimits(bytes: number): ViewLimits {
  const times = Math.max(1, bytes / DEFAULT_INLINE_LIMITS.bytes);
  const { lines, cutLines } = DEFAULT_INLINE_LIMITS;
  return { bytes, lines: Math.floor(lines * times), cutLines: Math.floor(cutLines * times) };
}

/** A text in a file only its command can read (T7). */
export interface PrivateFile {
  readonly path: string;
  remove(): Promise<void>;
}

/** A call as the client sent it, without the prefix of the name. */
export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A source does not have the tool of a call. */
export interface UnknownTool {
  /** Names of its tools, from which a suggestion is made. */
  readonly known: Iterable<string>;
  /** The reason why a known tool is not offered; absent: the source does not know the name. */
  readonly unavailable?: string;
}

/** One origin of tools: built-in tools, tool files, and further ones that implement this interface. */
export interface ToolSource {
  /** The current tools in list order; the same array until they change. */
  list(): Promise<readonly Tool[]>;
  /** Does a call with the current tools. Wrong arguments give a result; a failure means that the tool is not here. */
  call(service: Service, call: ToolCall, context: CallContext): Promise<Outcome<CallToolResult, UnknownTool>>;
  /** Gets a client's capabilities before its first list; absent: the source treats all clients alike. */
  noteOffers?(offers: ClientOffers): void;
  /** Calls the listener once for each change of `list`; absent: it never changes. */
  onChange?(listener: () => void): Unsubscribe;
  /** Whether `list` stays as it is, where `onChange` is absent; absent: it does. */
  isFinal?(): boolean;
  /** Origins whose tools are not yet known, each with the reason; absent: all are known. */
  unknown?(): readonly string[];
  /** Lines for `status`; absent: it has none. */
  status?(): Promise<readonly string[]>;
}

/** The parts that a connection works with; they outlive every `Server` of the SDK and are shared. */
export interface Service {
  readonly info: { readonly name: string; readonly version: string };
  /** In the order in which tools are listed; the first that knows a tool answers its call. */
  readonly sources: readonly ToolSource[];
  /** In the order in which prompts are listed; empty: prompts are not offered. */
  readonly prompts: readonly PromptSource[];
  /** Origins of resources next to our own, in the order in which they are listed. */
  readonly resources: readonly ResourceSource[];
  /** Further lines for the instructions of `initialize`; absent: there are none. */
  readonly instructions?: () => readonly string[];
  /** Gets the level of each `logging/setLevel`; absent: it applies only to our own messages. */
  readonly onLogLevel?: (level: LoggingLevel) => void;
  /** The current tool files, read at the first call. */
  readonly catalog: () => Promise<Catalog>;
  readonly runner: CommandRunner;
  readonly registry: OperationRegistry;
  readonly scope: Scope;
  readonly settings: ServiceSettings;
  readonly writePrivateFile: (text: string) => Promise<PrivateFile>;
  readonly log: Logger;
  /** The named shells of this connection (B5); absent: the connection lasts for only one call. */
  readonly shells?: ConnectionShells;
  /** The page of operations as HTML (V4); absent: clients get none. */
  readonly appPage?: () => Promise<string>;
  /** Calls that wait for a client's answer. */
  readonly heldCalls: HeldCalls;
  /** Commands that read while they run. */
  readonly openInputs: OpenInputs;
  /** Facts for clients up to 2025-11-25 after the self-test (S17); rejects when it failed. Absent: not sent. */
  readonly sandboxFacts?: () => Promise<SandboxFacts>;
  /** Checks of tool files that run now (T11); absent: none ever does. */
  readonly checks?: Pick<RunningChecks, "list" | "end">;
  /** Reports calls and operations to a collector (V5); absent: there is none. */
  readonly telemetry?: Pick<Telemetry, "call" | "child"> | undefined;
  /** Calls the listener when `catalog` has changed; absent: it never does. */
  readonly onCatalogChange?: (listener: () => void) => Unsubscribe;
}

/** The parts of a tool call other than its name and arguments. */
export interface CallContext {
  /** Aborted when the client cancels this request or its connection ends. */
  readonly signal: AbortSignal;
  /** Sends one progress notification; undefined: the client gave no token. */
  readonly sendProgress: ((progress: number, message?: string, total?: number) => Promise<void>) | undefined;
  /** How the client accepts a task as the answer (X5a); absent: it does not accept one. */
  readonly task?: TaskRequest;
  /** The client has read a resource, so results name addresses; absent: it has not. */
  readonly readsResources?: boolean;
  /** The caller waits without a limit, as a terminal does; absent: only a progress token lifts the limit. */
  readonly unhurried?: true;
  /** A project file makes the call, so tools of other servers are not approved for it; absent: the client calls. */
  readonly ownToolsOnly?: true;
  /** Name and version of the client, as it says; absent: it does not. */
  readonly clientInfo?: unknown;
  /** The place of the call in a trace; absent: its client gave none. */
  readonly trace?: TraceContext | undefined;
  /** The client, for servers that ask it something; absent: it takes no questions. */
  readonly client?: AskedClient;
  /** Receives an operation that continues after the answer and is not a task; absent: no receiver. */
  readonly onBackground?: (operation: Operation) => void;
}

export interface TaskRequest {
  /** True: in every mode of the call. False: only if the work would continue, or a call that waits takes long. */
  readonly required: boolean;
  /** Receives the operation after its start; the call's answer is not sent, but kept for a call that is the task. */
  readonly begin: (operation: Operation) => void;
  /** Whether the client got a task instead of this call's result, which is then dropped. */
  readonly replacesResult: () => boolean;
}
