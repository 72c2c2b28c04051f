/** Completes a path of the project that a person types in a client (C5). */
import { compareText } from "../../base/text.ts";
import { hiddenCharacter } from "../../base/visible_text.ts";
import { textResult, type ToolArguments, type ToolResult } from "../frame/messages.ts";
import type { ToolContext } from "../project/native_tool.ts";
import { listFiles } from "./list_files.ts";

const MOST_VALUES = 100;

/** Paths that begin with `typed`, or else contain it, and their number, as JSON. Case is ignored. */
export async function completePath(args: ToolArguments, { project, signal }: ToolContext): Promise<ToolResult> {
  using tree = await project.tree(".");
  const typed = String(args["typed"]).toLowerCase().replace(/^\.\//, "");
  const beginning: string[] = [];
  const containing: string[] = [];
  for await (const paths of listFiles(tree, { respectIgnore: true, signal })) {
    for (const path of paths.filter((one) => hiddenCharacter(one) === undefined)) {
      const at = path.toLowerCase().indexOf(typed);
      if (at >= 0) (at === 0 ? beginning : containing).push(path);
    }
  }
  const found = beginning.length > 0 ? beginning : containing;
  const values = found.toSorted(compareText).slice(0, MOST_VALUES);
  return textResult(JSON.stringify({ values, total: found.length }));
}
