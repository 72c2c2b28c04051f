/** The file format of the task list, `{todo: [{id, task, context, done}]}`. Pure. */
import { parseDocument, stringify } from "yaml";
import { UserError } from "../../../base/errors.ts";
import { visibleText } from "../../../base/visible_text.ts";
import { isObject, member } from "../../../wire/json_value.ts";

export interface Task {
  readonly id: string;
  readonly task: string;
  readonly context: string | undefined;
  readonly done: boolean;
}

export const MOST_TASKS = 1_000;
/** Maximum length of a task and of its context, characters. */
export const LONGEST_TASK = 10_000;
/** Maximum length of a file, characters. */
const LONGEST_FILE = 512 * 1024;

/** The tasks in a text; `path` for messages. @throws {UserError} When it is not a list of tasks. */
export function readTodo(text: string, path: string): readonly Task[] {
  const list = member(parsed(text, path), "todo") ?? [];
  if (!Array.isArray(list)) throw unreadable(path, '"todo" is not a list');
  return list.slice(0, MOST_TASKS).flatMap((item: unknown) => {
    if (!isObject(item)) return [];
    const { id, task, context, done } = item;
    if (typeof id !== "string" || typeof task !== "string") return [];
    return [{
      id,
      task: visibleText(task),
      context: typeof context === "string" && context !== "" ? visibleText(context) : undefined,
      done: done === true,
    }];
  });
}

/** The text of a file with these tasks. */
export function todoText(tasks: readonly Task[]): string {
  const todo = tasks.map(({ id, task, context, done }) => ({
    id,
    task,
    ...context !== undefined && { context },
    done,
  }));
  return stringify({ todo }, { lineWidth: 0 });
}

function parsed(text: string, path: string): unknown {
  if (text.length > LONGEST_FILE) throw unreadable(path, `it has more than ${LONGEST_FILE} characters`);
  try {
    const document = parseDocument(text, { schema: "core", logLevel: "silent", prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined) throw unreadable(path, error.message);
    // No alias is expanded.
    return document.toJS({ maxAliasCount: 0 });
  } catch (thrown) {
    if (thrown instanceof RangeError || thrown instanceof ReferenceError) throw unreadable(path, thrown.message);
    throw thrown;
  }
}

function unreadable(path: string, why: string): UserError {
  return new UserError(`Cannot read "${path}": ${why.split("\n")[0] ?? ""}; fix or remove it`);
}
