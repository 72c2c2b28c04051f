/** Work in a thread, which ends with its call: bytes of others may take a parser without end (K3, K5). */
import { messageOf } from "../../base/errors.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { endThread } from "./end_thread.ts";

/** Does a task in a thread of its own, which is ended when `signal` is aborted. */
export type RunInThread<Task, Result> = (task: Task, signal: AbortSignal) => Promise<Outcome<Result>>;

/** What a thread has in addition to a program. */
interface ThreadScope<Task, Result> {
  onmessage: (event: { readonly data: Task }) => void;
  postMessage(message: Outcome<Result>): void;
}

/** Whether this is a thread, which serves one task and nothing else. */
export function isThread(): boolean {
  return "WorkerGlobalScope" in globalThis;
}

/**
 * Does `work` in threads. `module` is the address of the module that calls this at its top level: a thread loads it
 * again, so that a packed worker needs no second one, and `name` tells the thread what it is for.
 */
export function inThread<Task, Result>(
  module: string,
  name: string,
  work: (task: Task) => Promise<Result>,
): RunInThread<Task, Result> {
  if (isThread() && globalThis.name === name) {
    const scope = globalThis as unknown as ThreadScope<Task, Result>; // a thread's own, which the types of programs lack
    scope.onmessage = async ({ data }) => scope.postMessage(await outcomeOf(() => work(data)));
    keepGoing();
  }
  return (task, signal) => run(module, name, task, signal);
}

/** From now on, in this thread, an error of a promise that a package forgot ends nothing: the work answers all the same. */
export function keepGoing(): void {
  globalThis.addEventListener("unhandledrejection", (event) => event.preventDefault());
}

async function outcomeOf<Result>(work: () => Promise<Result>): Promise<Outcome<Result>> {
  try {
    return success(await work());
  } catch (thrown) {
    return failure(messageOf(thrown));
  }
}

async function run<Result>(module: string, name: string, task: unknown, signal: AbortSignal): Promise<Outcome<Result>> {
  const thread = new Worker(module, { type: "module", name });
  const { promise, resolve } = Promise.withResolvers<Outcome<Result>>();
  let isWorking = true;
  const answer = (outcome: Outcome<Result>) => {
    isWorking = false;
    resolve(outcome);
  };
  const cancel = () => resolve(failure("the call has ended"));
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  thread.onmessage = ({ data }: MessageEvent<Outcome<Result>>) => answer(data);
  thread.onerror = (event) => {
    event.preventDefault();
    answer(failure(event.message));
  };
  try {
    thread.postMessage(task);
    return await promise;
  } finally {
    signal.removeEventListener("abort", cancel);
    endThread(thread, { isWorking });
  }
}
