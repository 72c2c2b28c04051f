/** The shortest form of a list that a person can type (S30). Pure. */
import { type NameList, narrowed, parseNameList, PRESETS, printHosts } from "./name_list.ts";

/**
 * A list that parses to the same rules, with presets where possible; empty if the list is. A list with more than
 * `longest` characters is shortened for people, with the number of entries left out.
 */
export function shortNameList(list: NameList, longest = Infinity): string {
  const held = [...PRESETS.keys()].flatMap((name) => {
    const preset = parseNameList(name);
    return preset.ok && narrowed(list, preset.value).ok ? [{ name, list: preset.value }] : [];
  });
  const rest = list.filter((rule) => !held.some((preset) => narrowed(preset.list, [rule]).ok));
  const entries = [...held.map(({ name }) => name), ...printHosts(rest)];
  const texts = entries.map((_, left) => {
    const shown = entries.slice(0, entries.length - left).join(",");
    return left === 0 ? shown : `${shown} and ${left} more`;
  });
  return texts.find((text) => text.length <= longest) ?? (entries.length === 0 ? "" : `${entries.length} hosts`);
}
