/** The code of the tools for issues, memos, lists of tasks and questions. */
import type { NativeTool } from "../project/native_tool.ts";
import { changeTools } from "./issues/change_tools.ts";
import { readTools } from "./issues/read_tools.ts";
import { memoTools } from "./memos/tools.ts";
import { questionTools } from "./question/tools.ts";
import { migrateTools } from "./migrate/migrate.ts";
import { resourceTools } from "./resources.ts";
import { Notes } from "./store/notes.ts";
import { todoTools } from "./todo/tools.ts";

/** Builds them; they share what a worker knows of notes. */
export function noteTools(): Readonly<Record<string, NativeTool>> {
  const notes = new Notes();
  return {
    ...readTools(notes),
    ...changeTools(notes),
    ...memoTools(notes),
    ...todoTools(notes),
    ...questionTools(notes),
    ...migrateTools(notes),
    ...resourceTools(notes),
  };
}
