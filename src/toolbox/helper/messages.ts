/** Messages between a worker and its helpers, one frame each (K2). */
import type { Outcome } from "../../base/outcome.ts";
import type { WorkerSetup } from "../frame/messages.ts";

/** Memory that a helper may use in addition to the runtime's own, MiB. */
export const HELPER_MEBIBYTES = 280;

/** Makes the engine collect garbage before the kernel's limit, so that pages of twice the size can be read. */
export const HELPER_HEAP: readonly [name: string, value: string] = [
  "DENO_V8_FLAGS",
  "--max-old-space-size=224,--max-semi-space-size=4",
];

export type HelperKind = "page" | "pdf" | "search" | "rules";

/** To a helper: first the worker's setup, then one task after the other. */
export type ToHelper = { readonly setup: WorkerSetup } | { readonly kind: HelperKind; readonly task: unknown };

/** From a helper: first that it is ready, then for each task any number of partial answers and the end. */
export type FromHelper =
  | { readonly ready: true }
  | { readonly part: unknown }
  /** `isSpent`: the helper cannot do further tasks. */
  | { readonly end: Outcome<unknown>; readonly isSpent: boolean };

/** What a task may do before its end. */
export interface WorkHooks {
  /** Sends a part of the answer. */
  readonly post: (part: unknown) => void;
  /** Says that this helper cannot do further tasks. */
  readonly spend: () => void;
}

/** Does one task. `bytes`: sent with the task; empty: none. */
export type HelperWork = (task: never, bytes: Uint8Array<ArrayBuffer>) => Promise<unknown>;

/** The work of each kind of helper. */
export type HelperWorks = Readonly<Record<HelperKind, HelperWork>>;
