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

/** The code of one tool, with the arguments that its definition has checked. What it throws is an error result. */
export type NativeTool = (args: never, context: ToolContext) => ToolResult | Promise<ToolResult>;
