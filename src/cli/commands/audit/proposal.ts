/** The narrowest settings that would allow what the sandbox denied (L11), and what a person must decide. Pure. */
import { shorten } from "../../../base/visible_text.ts";
import { isObject, member } from "../../../wire/json_value.ts";

/** Something that was denied, over all commands. */
export interface DeniedSubject {
  readonly subject: string;
  readonly times: number;
  /** When it was denied last, as the log has it. */
  readonly last: string;
  /** Names of tools. */
  readonly tools: readonly string[];
  /** The flag that opens least; undefined: none does. */
  readonly flag: string | undefined;
  /** The flag opens more than a project should have, so it is not proposed. */
  readonly isRisky: boolean;
}

/** Settings by key, as a settings file has them. */
export type ProposedSettings = Readonly<Record<string, boolean | readonly string[]>>;

/** Further subjects are left out. */
const MOST_DIFFERENT = 5_000;

/** Flags whose value a settings file takes in a list. */
const LISTED = /^--(read|write) (\S.*)$/;
const NAMED_HOST = /^--network (?:\.\.\.,)?(\S*\.\S*)$/;
const SWITCHES: Readonly<Record<string, string>> = { "--private-home": "private_home" };

/** What was denied by lines of an audit log, added up line by line. */
export class DeniedSubjects {
  readonly #found = new Map<string, DeniedSubject>();

  /** The most frequent first. */
  get found(): readonly DeniedSubject[] {
    return [...this.#found.values()].sort((one, other) => other.times - one.times);
  }

  /** Takes a line; gives the number of its denials. */
  add(line: unknown): number {
    const [time, tool, denials] = ["time", "tool", "denials"].map((name) => member(line, name));
    if (typeof time !== "string" || !Array.isArray(denials)) return 0;
    for (const denial of denials.filter(isObject)) {
      const subject = denial["path"] ?? denial["subject"];
      if (typeof subject !== "string") continue;
      const flag = narrowest(denial);
      const key = `${subject} ${flag ?? ""}`;
      const known = this.#found.get(key);
      if (known === undefined && this.#found.size >= MOST_DIFFERENT) continue;
      const tools = new Set([...known?.tools ?? [], ...typeof tool === "string" ? [tool] : []]);
      const last = known === undefined || time > known.last ? time : known.last;
      const isRisky = flag !== undefined && proposed(flag) === undefined;
      this.#found.set(key, { subject, times: (known?.times ?? 0) + 1, last, tools: [...tools], flag, isRisky });
    }
    return denials.length;
  }
}

/** To read is less than to write. */
function narrowest(denial: Readonly<Record<string, unknown>>): string | undefined {
  const { flags, access } = denial;
  const all = Array.isArray(flags) ? flags.filter((flag) => typeof flag === "string") : [];
  const wanted = Array.isArray(access) && !access.includes("read") ? "--write" : "--read";
  return all.find((flag) => flag.startsWith(wanted)) ?? all[0];
}

/** The settings that allow all that may be proposed, added to the present lists. */
export function proposedSettings(
  subjects: readonly DeniedSubject[],
  present: Readonly<Record<string, readonly string[]>>,
): ProposedSettings {
  const settings: Record<string, boolean | readonly string[]> = {};
  for (const { flag } of subjects) {
    const found = flag === undefined ? undefined : proposed(flag);
    if (found === undefined) continue;
    const [key, value] = found;
    if (value === undefined) settings[key] = true;
    else {
      const list = settings[key];
      settings[key] = [...new Set([...Array.isArray(list) ? list : present[key] ?? [], value])];
    }
  }
  return settings;
}

/** The key of a setting and the value that it gets in a list; undefined: the flag opens too much. */
function proposed(flag: string): readonly [key: string, value: string | undefined] | undefined {
  // A name that draws on a terminal, or forges a line, is not recommended.
  if (shorten(flag, flag.length) !== flag) return undefined;
  const [, name, value] = LISTED.exec(flag) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  const [, host] = NAMED_HOST.exec(flag) ?? [];
  if (host !== undefined) return ["network", host];
  const key = SWITCHES[flag];
  return key === undefined ? undefined : [key, undefined];
}
