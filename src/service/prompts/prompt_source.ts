/** The contract of an origin of prompts (Q2): directories of files, third-party servers, and further ones. */
import type { CompleteResult, GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import type { Unsubscribe } from "../../base/emitter.ts";
import type { Outcome } from "../../base/outcome.ts";

/** A `prompts/get` as the client sent it. */
export interface PromptRequest {
  readonly name: string;
  /** Empty: the client sent none. */
  readonly args: Readonly<Record<string, string>>;
}

/** A `completion/complete` for one argument of a prompt. */
export interface ArgumentRequest {
  readonly name: string;
  readonly argument: string;
  /** The value typed so far. */
  readonly typed: string;
  /** Other arguments that the client knows already. */
  readonly args: Readonly<Record<string, string>>;
}

/** Values in the protocol's form; the caller applies its limit of 100. */
export type Completion = CompleteResult["completion"];

/** The reason why a source gives no answer. */
export type PromptRefusal =
  /** It has no prompt of that name; `known` has its names, for a suggestion. */
  | { readonly kind: "unknown"; readonly known: Iterable<string> }
  /** It has the prompt but cannot render it; the message names the value and the remedy. */
  | { readonly kind: "refused"; readonly message: string };

/** The parts of a request other than its parameters. */
export interface PromptContext {
  /** Aborted when the client cancels this request or its connection ends. */
  readonly signal: AbortSignal;
}

export interface PromptSource {
  /** The current prompts in list order; the same array until they change. */
  list(): Promise<readonly Prompt[]>;
  /** One prompt with its arguments applied. */
  get(request: PromptRequest, context: PromptContext): Promise<Outcome<GetPromptResult, PromptRefusal>>;
  /** Completions for an argument; empty if it has none. */
  complete(request: ArgumentRequest, context: PromptContext): Promise<Outcome<Completion, PromptRefusal>>;
  /** Calls the listener once for each change of `list` or `get`; absent: they never change. */
  onChange?(listener: () => void): Unsubscribe;
  /** Lines for `status`; absent: it has none. */
  status?(): Promise<readonly string[]>;
}

/** The protocol's own limit. */
const MOST_VALUES = 100;

/** Values that begin with `typed`, else those that contain it; case is ignored. */
export function matching(all: readonly string[], typed: string): Completion {
  const lower = typed.toLowerCase();
  const beginning = all.filter((value) => value.toLowerCase().startsWith(lower));
  const values = beginning.length > 0 ? beginning : all.filter((value) => value.toLowerCase().includes(lower));
  return withinLimit({ values: [...values], total: values.length });
}

/** The same with at most as many values as the protocol takes. */
export function withinLimit({ values, total, hasMore = false }: Completion): Completion {
  return {
    values: values.slice(0, MOST_VALUES),
    ...total !== undefined && { total },
    hasMore: hasMore || values.length > MOST_VALUES,
  };
}
