/** Which tools of a server are offered, in the words of every dialect. Pure. */
import type { EntryReader } from "./entry_reader.ts";
import type { ToolFilter } from "./server_spec.ts";

/** Whether a tool of this name is offered. */
export function isOffered({ include, exclude }: ToolFilter, name: string): boolean {
  return (include === undefined || include.some((pattern) => matches(pattern, name))) &&
    !exclude.some((pattern) => matches(pattern, name));
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

function matches(pattern: string, name: string): boolean {
  const parts = pattern.split("*");
  const [first = "", ...rest] = parts;
  if (!name.startsWith(first)) return false;
  if (rest.length === 0) return name === first;
  const last = rest.pop() ?? "";
  let from = first.length;
  for (const part of rest) {
    const at = name.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
}
