/** Which tools of a server are offered, in the words of every dialect. Pure. */
import { glob } from "../../base/glob.ts";
import type { EntryReader } from "./entry_reader.ts";
import type { ToolFilter } from "./server_spec.ts";

/** Whether a tool of this name is offered. */
export function isOffered({ include, exclude }: ToolFilter, name: string): boolean {
  return (include === undefined || include.some((pattern) => glob(pattern, "name")(name))) &&
    !exclude.some((pattern) => glob(pattern, "name")(name));
}

/** Reads the filter of an entry. */
export function readFilter(entry: EntryReader): ToolFilter {
  const include = entry.texts("includeTools", "enabled_tools", "enabledTools");
  const exclude = entry.texts("excludeTools", "disabled_tools", "disabledTools");
  const tools = entry.part("tools");
  const filter = entry.part("options").part("toolFilter");
  const mode = filter.choice(["allow", "block"], "mode");
  const list = filter.texts("list");
  return {
    include: include ?? tools.texts("include") ?? (mode === "block" ? undefined : list),
    exclude: [...exclude ?? [], ...tools.texts("exclude") ?? [], ...mode === "block" ? list ?? [] : []],
  };
}
