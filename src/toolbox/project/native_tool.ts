import type { ToolResult, WorkProgress } from "../frame/messages.ts";
import type { Project } from "./project.ts";

/** The context of a call, in addition to its arguments. */
export interface ToolContext {
  /** The directories that it may touch. */
  readonly project: Project;
  /** Aborted when the call is cancelled; the tool then ends soon, with any result. */
  readonly signal: AbortSignal;
  /** Reports the progress of the call. */
  readonly progress: (progress: WorkProgress) => void;
}

/**
 * The code of one tool. Mistakes in the call or the files give a result with `isError`; a thrown error becomes one too.
 * Each tool declares the type of its arguments, which its definition has checked.
 */
export type NativeTool = (args: never, context: ToolContext) => ToolResult | Promise<ToolResult>;
