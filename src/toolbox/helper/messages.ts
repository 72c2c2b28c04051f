/** What a worker and its helpers say to each other, one frame each (K2). */
import type { Outcome } from "../../base/outcome.ts";
import type { WorkerSetup } from "../frame/messages.ts";

/** A helper gets so much more memory than the runtime itself has. */
export const HELPER_MEBIBYTES = 280;

/**
 * Flags of a helper's engine, in a variable that reaches it in an executable too. It collects garbage before the memory
 * that the kernel gives it is full: it then reads pages of twice the size.
 */
export const HELPER_HEAP: readonly [name: string, value: string] = [
  "DENO_V8_FLAGS",
  "--max-old-space-size=224,--max-semi-space-size=4",
];

/** What a helper does. */
export type HelperKind = "page" | "pdf" | "search" | "rules";

/** To a helper: first the worker's setup, then one task after the other. */
export type ToHelper = { readonly setup: WorkerSetup } | { readonly kind: HelperKind; readonly task: unknown };

/** From a helper: word that it begins, then for each task any number of parts of the answer, and its end. */
export type FromHelper =
  | { readonly ready: true }
  | { readonly part: unknown }
  /** `isSpent`: it is of no use for further tasks. */
  | { readonly end: Outcome<unknown>; readonly isSpent: boolean };

/** What a task may do before its end. */
export interface WorkHooks {
  /** Sends a part of the answer. */
  readonly post: (part: unknown) => void;
  /** This helper is of no use for further tasks. */
  readonly spend: () => void;
}

/** Does one task after the other. `bytes`: those that came with the task; empty: none. */
export type HelperWork = (task: never, bytes: Uint8Array<ArrayBuffer>) => Promise<unknown>;

/** What a helper does, by the kind of a task. */
export type HelperWorks = Readonly<Record<HelperKind, HelperWork>>;
