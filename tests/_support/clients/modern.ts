import { MODERN_META, type RpcMessage } from "../json_rpc.ts";
import type { ServerProcess } from "../server_process.ts";

/** The capabilities of a client that accepts tasks as answers. */
const WITH_TASKS = {
  ...MODERN_META,
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
};

/** Requests of 2026-07-28 from a client that declares the tasks extension. Ids begin at 1000. */
export class TaskClient {
  readonly #server: ServerProcess;
  #lastId = 1000;

  /** `server`: started with era 2026-07-28. */
  constructor(server: ServerProcess) {
    this.#server = server;
  }

  /** Sends a request and gives its response, an error response included. */
  async request(method: string, params: object = {}): Promise<RpcMessage> {
    const id = ++this.#lastId;
    const answer = this.#server.message((message) => message.id === id && message.method === undefined, {
      what: `the response to ${method} ${id}`,
    });
    await this.#server.send({ jsonrpc: "2.0", id, method, params: { ...params, _meta: WITH_TASKS } });
    return await answer;
  }

  /** Runs a shell line in the background. */
  async shell(command: string): Promise<RpcMessage> {
    return await this.request("tools/call", {
      name: "sandboxed_shell",
      arguments: { command, execution_mode: "AsyncResultPush" },
    });
  }
}

/** A task as `tasks/get` returns it. */
export interface SeenTask {
  readonly taskId: string;
  readonly status: string;
  readonly pollIntervalMs: number;
  readonly result?: { readonly content: readonly { readonly text: string }[]; readonly isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A result that is known to be a task. */
export function taskOf(message: RpcMessage): SeenTask {
  if (message.result === undefined) throw new Error(`No result: ${JSON.stringify(message)}`);
  // Tests compare its members.
  return message.result as unknown as SeenTask;
}

/** Polls at the requested interval until the task has ended; returns the task and the number of polls. */
export async function pollTask(client: TaskClient, first: SeenTask): Promise<{ task: SeenTask; questions: number }> {
  let task = first;
  let questions = 0;
  while (task.status === "working") {
    await new Promise((resolve) => setTimeout(resolve, task.pollIntervalMs));
    task = taskOf(await client.request("tasks/get", { taskId: task.taskId }));
    questions++;
  }
  return { task, questions };
}
