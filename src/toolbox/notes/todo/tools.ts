/** Tools for the list of tasks, which belongs to this moment and not to the repository. */
import { UserError } from "../../../base/errors.ts";
import { counted, shownValue } from "../../../base/text.ts";
import { shorten } from "../../../base/visible_text.ts";
import type { ToolArguments, ToolResult } from "../../frame/messages.ts";
import type { NativeTool, ToolContext } from "../../project/native_tool.ts";
import type { Project } from "../../project/project.ts";
import { said } from "../format/answer.ts";
import type { Yaml } from "../format/front_matter.ts";
import { textOf } from "../format/reading.ts";
import { isIdOrEnd, newUlid, shortForm } from "../format/ulid.ts";
import { NoteFolder } from "../store/note_folder.ts";
import { FOREIGN } from "../store/note_files.ts";
import type { Notes } from "../store/notes.ts";
import { STATE } from "../store/project_lock.ts";
import { LONGEST_TASK, MOST_TASKS, readTodo, type Task, todoText } from "./todo_file.ts";

const FILE = "todo.yaml";

export function todoTools(notes: Notes): Readonly<Record<string, NativeTool>> {
  return {
    todo_create: (args, context) => create(notes, args, context),
    todo_show: async (args, { project }) => {
      const { tasks } = load(await notes.yaml(), project);
      return said(shown(meant(tasks, textOf(args, "item") ?? "")));
    },
    todo_list: async (_, { project }) => {
      const { tasks, path } = load(await notes.yaml(), project);
      const lines = tasks.map(line);
      return said(lines.length === 0 ? "There are no tasks." : `${lines.join("\n")}${ofOther(path)}`);
    },
    todo_mark_complete: (args, context) => complete(notes, args, context),
  };
}

interface Loaded {
  readonly tasks: readonly Task[];
  /** Undefined: there is no file. */
  readonly text: string | undefined;
  readonly path: string;
}

/** Ours, else that of another program. */
function load(yaml: Yaml, project: Project): Loaded {
  for (const directory of [STATE, ...FOREIGN]) {
    const folder = NoteFolder.open(project, directory);
    if (folder === undefined) continue;
    try {
      const path = `${directory}/${FILE}`;
      const found = folder.read(FILE);
      if (found === undefined) continue;
      if ("problem" in found) throw new UserError(`Cannot read "${path}": ${found.problem}`);
      return { tasks: readTodo(yaml, found.text, path), text: found.text, path };
    } finally {
      folder[Symbol.dispose]();
    }
  }
  return { tasks: [], text: undefined, path: `${STATE}/${FILE}` };
}

function ofOther(path: string): string {
  return path.startsWith(STATE) ? "" : `\nRead from "${path}".`;
}

/** Only our own list is changed; that of another program stays unchanged. */
function store(project: Project, { text, path }: Loaded, after: string): void {
  const folder = NoteFolder.make(project, STATE);
  try {
    const isOurs = text !== undefined && path.startsWith(STATE);
    const done = isOurs ? folder.replace(FILE, { before: text, after }) : folder.create(FILE, after);
    if (!done) throw new UserError(`Cannot change "${STATE}/${FILE}": it has just been changed; call again`);
  } finally {
    folder[Symbol.dispose]();
  }
}

async function create(notes: Notes, args: ToolArguments, { project }: ToolContext): Promise<ToolResult> {
  const yaml = await notes.yaml();
  const [task = "", context] = ["task", "context"].map((name) => textOf(args, name));
  if (task.trim() === "") throw new UserError("The task is empty");
  const long = [task, context ?? ""].find(({ length }) => length > LONGEST_TASK);
  if (long !== undefined) {
    throw new UserError(`A task and its context have at most ${LONGEST_TASK} characters, not ${long.length}`);
  }
  return await notes.lock.hold(project, () => {
    const loaded = load(yaml, project);
    const kept = loaded.tasks.every(({ done }) => done) ? [] : loaded.tasks;
    if (kept.length >= MOST_TASKS) throw new UserError(`The list has ${MOST_TASKS} tasks: complete it first`);
    const added: Task = { id: newUlid(), task, context: context === "" ? undefined : context, done: false };
    const tasks = [...kept, added];
    store(project, loaded, todoText(yaml, tasks));
    return said(`Added ${line(added)}\n${counted(tasks.filter(({ done }) => !done).length, "task")} to do`);
  });
}

async function complete(notes: Notes, args: ToolArguments, { project }: ToolContext): Promise<ToolResult> {
  const yaml = await notes.yaml();
  return await notes.lock.hold(project, () => {
    const loaded = load(yaml, project);
    const task = meant(loaded.tasks, textOf(args, "id") ?? "");
    const tasks = loaded.tasks.map((one) => one === task ? { ...one, done: true } : one);
    if (!task.done) store(project, loaded, todoText(yaml, tasks));
    const left = tasks.filter(({ done }) => !done);
    const [next] = left;
    const head = `${task.done ? "Done already" : "Done"}: ${shorten(task.task)}`;
    if (next === undefined) return said(`${head}\nAll ${counted(tasks.length, "task")} done.`);
    return said(`${head}\nNext of ${left.length}: ${shown(next)}`);
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
