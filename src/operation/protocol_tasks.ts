import { Emitter, type Unsubscribe } from "../base/emitter.ts";
import { isEnded, type OperationState } from "./operation.ts";

/** How a call that is a task of the protocol was answered. */
export interface TaskAnswer {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The call's result. */
  readonly result: Readonly<Record<string, unknown>>;
  /** The operation was cancelled before the call had its answer. */
  readonly isCancelled: boolean;
}

/** A call that is itself a task of the protocol (X5a): the task is over with its answer, and its operation may continue. */
export class TaskCall {
  /** Resolves with the answer; never rejects. */
  readonly answered: Promise<void>;
  /** Undefined: the call waits. */
  answer: TaskAnswer | undefined;
  readonly #resolve: () => void;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.answered = promise;
    this.#resolve = resolve;
  }

  /** Ends the task; called once. */
  end(answer: TaskAnswer): void {
    this.answer = answer;
    this.#resolve();
  }
}

/** The task view of an operation. */
interface TaskFacts {
  readonly state: OperationState;
  readonly isTask: boolean;
  readonly taskCall: TaskCall | undefined;
}

/** Whether a task is over. */
export function isTaskOver({ taskCall, state }: Omit<TaskFacts, "isTask">): boolean {
  return taskCall === undefined ? isEnded(state) : taskCall.answer !== undefined;
}

/** Announces changes of operations as protocol tasks. */
export class ProtocolTasks<Operation extends TaskFacts> {
  readonly #changes: Emitter<Operation>;

  constructor(onListenerError: (thrown: unknown) => void) {
    this.#changes = new Emitter(onListenerError);
  }

  /** Calls the listener whenever a task has changed, for the last time when it is over. */
  subscribe(listener: (operation: Operation) => void): Unsubscribe {
    return this.#changes.subscribe(listener);
  }

  /** The operation has another state. */
  changed(operation: Operation): void {
    if (operation.isTask && operation.taskCall?.answer === undefined) this.#changes.emit(operation);
  }

  /** The call that is the task has its result, whether `operation` continues or not. */
  answer(operation: Operation, result: Readonly<Record<string, unknown>>): void {
    const { taskCall, state } = operation;
    if (taskCall === undefined || taskCall.answer !== undefined) return;
    taskCall.end({ at: Date.now(), result, isCancelled: state === "cancelled" });
    this.#changes.emit(operation);
  }
}
