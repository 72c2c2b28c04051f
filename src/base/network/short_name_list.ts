/** A list in as few words as it can be typed (S30). Pure. */
import { type NameList, narrowed, parseNameList, printNameList } from "./name_list.ts";
import { PRESETS } from "./presets.ts";

/** A list that parses to the same rules, with a preset for the rules that it holds; empty: the list is. */
export function shortNameList(list: NameList): string {
  const held = [...PRESETS.keys()].flatMap((name) => {
    const preset = parseNameList(name);
    return preset.ok && narrowed(list, preset.value).ok ? [{ name, list: preset.value }] : [];
  });
  const rest = list.filter((rule) => !held.some((preset) => narrowed(preset.list, [rule]).ok));
  return [...held.map(({ name }) => name), ...rest.length === 0 ? [] : [printNameList(rest)]].join(",");
}
