/** Messages between the server and a worker, one frame each (K2). Pure. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { DENIED_META_KEY } from "../../base/command/denial.ts";
import type { ProjectDirectories } from "../../settings/project_directories.ts";
import { isObject } from "../../wire/json_value.ts";

/** The paths that a worker may use. The kernel enforces them; these facts are for its messages. */
export interface WorkerSetup {
  /** Canonical directories that calls may change, at least one; relative paths start in the first. */
  readonly scopes: readonly string[];
  /** Canonical directories that calls may also read. */
  readonly readable: readonly string[];
  /** Canonical directories outside the scopes that calls may also change (`--write`). */
  readonly writable: readonly string[];
  /** Paths in the scope that calls may not change, canonical as far as they exist; undefined: none. */
  readonly protection?: Protection | undefined;
  /** Links in the place of git's configuration lead into this directory (S24); absent: none do. */
  readonly configCopies?: string;
  /** Directories for notes and rules below the first scope; absent: the defaults. */
  readonly directories?: ProjectDirectories;
  /** Absolute directory of the worker's own data, such as grammars; undefined: it has none. */
  readonly data?: string | undefined;
  /** Absolute directory for data derived from the project and kept between starts, such as the index. */
  readonly cache?: string | undefined;
  /** Of the worker that keeps changes; absent: it is another. */
  readonly undo?: UndoSetup;
  /** Command line of its helpers; absent: it has none. */
  readonly helper?: readonly string[];
  /** Settings of the web worker; absent: it is the project worker. */
  readonly web?: WebSetup;
}

export interface UndoSetup {
  /** Absolute; no command reaches it. */
  readonly store: string;
  /** Bytes of ignored files that are recorded; absent: nothing is. */
  readonly ignoredBytes?: number;
  /** The directory of this server's previews in the store, and bytes of all together; absent: there are none (S40). */
  readonly previews?: { readonly session: string; readonly mostBytes: number };
}

/** Protected paths, as a second defence: the kernel knows only those that existed when the worker started. */
export interface Protection {
  readonly paths: readonly {
    readonly path: string;
    /** Whether only a file is protected, not a directory. */
    readonly fileOnly: boolean;
    /** Names of directories in it that calls may change; absent: none. */
    readonly writable?: readonly string[];
    /** Flags of the server that would allow changes. */
    readonly flags: readonly string[];
  }[];
  /** Not protected, even inside a repository. */
  readonly open: readonly string[];
}

/** Keys and addresses of search services, from the user's environment; absent: none. */
export interface SearchKeys {
  readonly searxng?: string;
  readonly brave?: string;
  readonly tavily?: string;
  readonly exa?: string;
}

/** What the web tools need of the user's settings. */
export interface WebSetup {
  /** Hosts that may be on this machine or a private network. */
  readonly allowedHosts: readonly string[];
  readonly providers: SearchKeys;
  /** Commands have no network, and so the worker has none. */
  readonly isOffline: boolean;
}

/** To a worker. `setup` comes once, before all calls. */
export type ToWorker =
  | { readonly kind: "setup"; readonly setup: WorkerSetup }
  | { readonly kind: "call"; readonly id: number; readonly tool: string; readonly args: ToolArguments }
  | { readonly kind: "cancel"; readonly id: number };

/** From a worker, one result for each call. `last`: it ends now and has answered every call that it began. */
export type FromWorker =
  | { readonly kind: "result"; readonly id: number; readonly result: ToolResult; readonly last?: true }
  | { readonly kind: "progress"; readonly id: number; readonly progress: WorkProgress };

/** Checked arguments of a call, by the names of the definition. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** The answer of a native tool: what the client receives. */
export type ToolResult = Pick<CallToolResult, "content" | "isError" | "_meta">;

/** A result that is one text. */
export function textResult(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}

/** Progress of a call; `progress` only increases. A worker's values are unchecked. */
export interface WorkProgress {
  readonly progress?: unknown;
  readonly total?: unknown;
  readonly message?: unknown;
}

/** Key of `_meta` for the fingerprint of what a call replaced. */
export const REPLACED_META_KEY = "ahma/replaced_rev";

/** Key of `_meta` for the counts of rule findings by severity. */
export const RULES_META_KEY = "ahma/rules";

/** Keys that a worker may set; others would name operations and tasks, which it does not have. */
const META_KEYS: readonly string[] = [DENIED_META_KEY, REPLACED_META_KEY, RULES_META_KEY];

/** Keeps known members only: a flaw in a parser may let a page control a worker. @throws {Error} For other messages. */
export function readAnswer(message: unknown): FromWorker {
  if (!isObject(message) || typeof message["id"] !== "number") throw new Error("A message of no known kind");
  const { kind, id, progress, result, last } = message;
  if (kind === "progress" && isObject(progress)) return { kind, id, progress };
  if (kind === "result" && isObject(result)) {
    return { kind, id, result: readResult(result), ...last === true && { last } };
  }
  throw new Error("A message of no known kind");
}

function readResult({ content, isError, _meta }: Readonly<Record<string, unknown>>): ToolResult {
  if (!Array.isArray(content)) throw new Error("A result without content");
  const known = isObject(_meta) ? Object.entries(_meta).filter(([key]) => META_KEYS.includes(key)) : [];
  return {
    content: content.map(readPart),
    ...isError === true && { isError },
    ...known.length > 0 && { _meta: Object.fromEntries(known) },
  };
}

function readPart(part: unknown): ToolResult["content"][number] {
  if (isObject(part)) {
    const { type, text, data, mimeType } = part;
    if (type === "text" && typeof text === "string") return { type, text };
    if (type === "image" && typeof data === "string" && typeof mimeType === "string") return { type, data, mimeType };
  }
  throw new Error("A result with a part that is neither text nor image");
}
