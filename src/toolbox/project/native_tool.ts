import type { ToolResult, WorkProgress } from "../frame/messages.ts";
import type { Project } from "./project.ts";

/** What a tool works with in addition to its arguments. */
export interface ToolContext {
  /** The directories that it may touch. */
  readonly project: Project;
  /** Aborted when the call is cancelled; the tool then ends soon, with any result. */
  readonly signal: AbortSignal;
  /** Tells how far the call is. */
  readonly progress: (progress: WorkProgress) => void;
}

/**
 * The code of one tool. Mistakes in the call or the files give a result with `isError`; a thrown error becomes one too. Each
 * tool says the type of its own arguments, which were checked by its definition.
 */
export type NativeTool = (args: never, context: ToolContext) => ToolResult | Promise<ToolResult>;
