import type { Parameter } from "./parameters.ts";

/** Workers: for files without a network, for the network without files (K2), and for the record of changes (S39). */
export type WorkerKind = "project" | "web" | "undo";

/** The process that runs a tool: a worker, or the server if the tool opens no path from a call. */
export type ToolPlace = WorkerKind | "server";

/** One native tool: how it is listed, and how calls are checked before they reach a worker. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  /** For the model, under 400 characters. */
  readonly description: string;
  readonly parameters: readonly Parameter[];
  /** Whether it changes nothing. */
  readonly readOnly: boolean;
  /** The process that runs it; absent: that of its group. */
  readonly place?: ToolPlace;
  /** Whether a repeated call has no further effect; absent: as `readOnly`. */
  readonly idempotent?: boolean;
  /** Whether it loses no existing data; absent: as `readOnly`. */
  readonly harmless?: true;
  /** Whether it reaches other machines; absent: it does not. */
  readonly openWorld?: true;
  /** Whether it runs programs of the project, which may leave processes; absent: it does not. */
  readonly runsPrograms?: true;
}
