/** Tools for the task list, which is temporary and not part of the repository. */
import { UserError } from "../../../base/errors.ts";
import { counted, shownValue } from "../../../base/text.ts";
import { shorten } from "../../../base/visible_text.ts";
import type { CallOf } from "../../definition/groups.ts";
import { textResult, type ToolResult } from "../../frame/messages.ts";
import type { ToolContext } from "../../project/native_tool.ts";
import type { Project } from "../../project/project.ts";
import { isIdOrEnd, newUlid, shortForm } from "../format/ulid.ts";
import { inFolder, inMadeFolder } from "../store/note_folder.ts";
import { FOREIGN } from "../store/note_files.ts";
import { Notes } from "../store/notes.ts";
import { STATE } from "../store/project_lock.ts";
import { LONGEST_TASK, MOST_TASKS, readTodo, type Task, todoText } from "./todo_file.ts";

const FILE = "todo.yaml";

interface Loaded {
  readonly tasks: readonly Task[];
  readonly text: string | undefined;
  readonly path: string;
}

/** Reads our list, or else that of another program. */
function load(project: Project): Loaded {
  for (const directory of [STATE, ...FOREIGN]) {
    const path = `${directory}/${FILE}`;
    const found = inFolder(project, directory, (folder) => folder.read(FILE));
    if (found === undefined) continue;
    if (found.text === undefined || found.problem !== undefined) {
      throw new UserError(`Cannot read "${path}": ${found.problem}`);
    }
    return { tasks: readTodo(found.text, path), text: found.text, path };
  }
  return { tasks: [], text: undefined, path: `${STATE}/${FILE}` };
}

/** Writes our list only; the list of another program stays unchanged. */
function store(project: Project, { text, path }: Loaded, tasks: readonly Task[]): void {
  const after = todoText(tasks);
  const isOurs = text !== undefined && path.startsWith(STATE);
  const done = inMadeFolder(
    project,
    STATE,
    (folder) => isOurs ? folder.replace(FILE, { before: text, after }) : folder.create(FILE, after),
  );
  if (!done) throw new UserError(`Cannot change "${STATE}/${FILE}": it has just been changed; call again`);
}

/** `todo_show`. */
export function showTask({ item }: CallOf<"todo_show">, { project }: ToolContext): ToolResult {
  return textResult(shown(meant(load(project).tasks, item)));
}

/** `todo_list`. */
export function listTasks(_: unknown, { project }: ToolContext): ToolResult {
  const { tasks, path } = load(project);
  if (tasks.length === 0) return textResult("There are no tasks.");
  return textResult(tasks.map(line).join("\n") + (path.startsWith(STATE) ? "" : `\nRead from "${path}".`));
}

/** `todo_create`. */
export async function createTask(
  { task, context = "" }: CallOf<"todo_create">,
  { project }: ToolContext,
): Promise<ToolResult> {
  if (task.trim() === "") throw new UserError("The task is empty");
  const long = [task, context].find(({ length }) => length > LONGEST_TASK);
  if (long !== undefined) {
    throw new UserError(`A task and its context have at most ${LONGEST_TASK} characters, not ${long.length}`);
  }
  return await project.kept(Notes).lock.hold(() => {
    const loaded = load(project);
    const kept = loaded.tasks.every(({ done }) => done) ? [] : loaded.tasks;
    if (kept.length >= MOST_TASKS) throw new UserError(`The list has ${MOST_TASKS} tasks: complete it first`);
    const added: Task = { id: newUlid(), task, context: context || undefined, done: false };
    const tasks = [...kept, added];
    store(project, loaded, tasks);
    return textResult(`Added ${line(added)}\n${counted(tasks.filter(({ done }) => !done).length, "task")} to do`);
  });
}

/** `todo_mark_complete`. */
export async function completeTask(
  { id }: CallOf<"todo_mark_complete">,
  { project }: ToolContext,
): Promise<ToolResult> {
  return await project.kept(Notes).lock.hold(() => {
    const loaded = load(project);
    const task = meant(loaded.tasks, id);
    const tasks = loaded.tasks.map((one) => one === task ? { ...one, done: true } : one);
    if (!task.done) store(project, loaded, tasks);
    const left = tasks.filter(({ done }) => !done);
    const [next] = left;
    const head = `${task.done ? "Done already" : "Done"}: ${shorten(task.task)}`;
    if (next === undefined) return textResult(`${head}\nAll ${counted(tasks.length, "task")} done.`);
    return textResult(`${head}\nNext of ${left.length}: ${shown(next)}`);
  });
}

/** @throws {UserError} When there is none, or all are done. */
function meant(tasks: readonly Task[], reference: string): Task {
  if (reference === "next") {
    const next = tasks.find(({ done }) => !done);
    if (next === undefined) throw new UserError("There is no next task: all are done");
    return next;
  }
  const [found, ...more] = tasks.filter(({ id }) => isIdOrEnd(id, reference));
  if (found === undefined || more.length > 0) {
    throw new UserError(`There is no task ${shownValue(reference)}; todo_list shows the ids`);
  }
  return found;
}

function line({ id, task, done }: Task): string {
  return `${shortForm(id)} [${done ? "x" : " "}] ${shorten(task)}`;
}

function shown({ id, task, context, done }: Task): string {
  return `${shortForm(id)} [${done ? "x" : " "}] ${task}${context === undefined ? "" : `\n${context}`}`;
}
