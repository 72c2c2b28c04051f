import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
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

/** Whether commands are confined, in words for people and models (S14). */
export interface SandboxStatus {
  readonly enforced: boolean;
  /** One line: what enforces, or why nothing does. */
  readonly summary: string;
  /** The same with what is known only when the kernel has been asked; absent: the summary says it all. */
  readonly details?: () => Promise<string>;
}

/** What holds a session's commands. */
export interface SandboxFacts {
  /** The first directory commands may change. */
  readonly scope: string;
  /** All of them, where there are several. */
  readonly scopes?: readonly string[];
  /** Of Landlock. */
  readonly abi: number;
}

export interface ServiceSettings {
  /** `--sync`: every call waits for its result (X2). */
  readonly synchronous: boolean;
  /** `--timeout`, seconds (X9); undefined: no limit. */
  readonly defaultTimeoutSeconds: number | undefined;
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
  readonly sandbox: SandboxStatus;
}

/** 10 KiB and 250 lines (X4). */
export const DEFAULT_INLINE_LIMITS: ViewLimits = { bytes: 10 * 1024, lines: 250 };

/** A text in a file only its command can read (T7). */
export interface PrivateFile {
  readonly path: string;
  remove(): Promise<void>;
}

/** What the client asked for. */
export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A source does not have the tool of a call. */
export interface UnknownTool {
  /** Names of its tools, from which a suggestion is made. */
  readonly known: Iterable<string>;
  /** Why the tool is not offered although the source has heard of it; absent: it has not. */
  readonly unavailable?: string;
}

/** Where tools come from: the built-in ones, tool files and what comes. */
export interface ToolSource {
  /** The tools of this moment, in the order in which they are listed; the same array until they change. */
  list(): Promise<readonly Tool[]>;
  /** Does a call, from its begin to its end with the tools of this moment. A failure is not about its arguments. */
  call(service: Service, call: ToolCall, context: CallContext): Promise<Outcome<CallToolResult, UnknownTool>>;
  /** Hears each change of `list`, once; absent: there is none. */
  onChange?(listener: () => void): Unsubscribe;
}

/** All a connection works with. It lives longer than any `Server` of the SDK and is shared by all of them. */
export interface Service {
  readonly info: { readonly name: string; readonly version: string };
  /** In the order in which tools are listed; the first that knows a tool answers its call. */
  readonly sources: readonly ToolSource[];
  /** The tool files of this moment; they are read when this is first called. */
  readonly catalog: () => Promise<Catalog>;
  readonly runner: CommandRunner;
  readonly registry: OperationRegistry;
  readonly scope: Scope;
  readonly settings: ServiceSettings;
  readonly writePrivateFile: (text: string) => Promise<PrivateFile>;
  readonly log: Logger;
  /**
   * What is told to clients of the first era once the sandbox is known to hold (S17); rejects when it does not. Absent:
   * nothing is told.
   */
  readonly sandboxFacts?: () => Promise<SandboxFacts>;
  /** Checks of tool files that run now (T11); absent: none ever does. */
  readonly checks?: Pick<RunningChecks, "list" | "end">;
  /** Hears that `catalog` gives something else now; absent: it never does. */
  readonly onCatalogChange?: (listener: () => void) => Unsubscribe;
}

/** What one tool call brings beside its arguments. */
export interface CallContext {
  /** Aborted when the client cancels this request or its connection ends. */
  readonly signal: AbortSignal;
  /** Sends one progress notification; undefined: the client gave no token. */
  readonly sendProgress: ((progress: number, message: string) => Promise<void>) | undefined;
  /** The client takes a task of the protocol as the answer (X5a); absent: it does not. */
  readonly task?: TaskWish;
  /** The client has read a resource, so their addresses are of use to it; absent: it has not. */
  readonly readsResources?: boolean;
  /** It waits for a result as long as that takes, as a person on a terminal does; absent: with a progress token only. */
  readonly unhurried?: true;
  /** Told of an operation that goes on after the answer, unless it became a task; absent: no one is told. */
  readonly onBackground?: (operation: Operation) => void;
}

/** How a call may become a task. */
export interface TaskWish {
  /** True: whatever the mode of the call. False: only what would go on after the answer. */
  readonly required: boolean;
  /** Told of the operation right after its start; the answer of the call is then not sent. */
  readonly begin: (operation: Operation) => void;
}
