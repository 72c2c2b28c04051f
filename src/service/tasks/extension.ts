/** The extension of 2026-07-28 by which a server may answer a call with a task. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";
