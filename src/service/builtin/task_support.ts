/** Built-in tools that answer at once or are the waiting itself. */
const WITHOUT_TASKS: readonly string[] = ["await", "cancel", "status"];

/** Whether a call of this tool may become a task of the protocol: whether it runs something (X5a). */
export function takesTasks(tool: string): boolean {
  return !WITHOUT_TASKS.includes(tool);
}
