import { shellWord } from "../../../../base/text.ts";
import { shorten } from "../../../../base/visible_text.ts";
import type { FlagName } from "../../../../settings/flags/flags.ts";
import { closedBy } from "../../../../settings/policy/held.ts";
import type { Policy } from "../../../../settings/policy/policy.ts";
import type { SandboxChoice } from "../../../../sandbox/policy/sandbox_settings.ts";
import { type Check, check } from "../../../terminal/check.ts";

/** A flag that a person can set. */
export interface NeededFlag {
  readonly name: FlagName;
  /** Absent: it is a switch. */
  readonly value?: string;
}

export interface ProjectCheck extends Check {
  /** What makes it work; empty: nothing is missing, or no flag should be set for it. */
  readonly flags: readonly NeededFlag[];
}

/** What works. */
export function works(id: string, title: string, message: string): ProjectCheck {
  return { ...check(id, title, "ok", message), flags: [] };
}

/** What does not, and the flags that make it work; none: a person does it. */
export function lacks(id: string, title: string, message: string, ...flags: readonly NeededFlag[]): ProjectCheck {
  // A name that draws on a terminal, or forges a line, is not recommended.
  const plain = flags.filter(({ value = "" }) => shorten(value, value.length) === value);
  return { ...check(id, title, "warning", message), flags: plain };
}

/** The check without the flags that the machine's policy refuses, which it names instead. */
export function heldCheck(policy: Policy | undefined, one: ProjectCheck): ProjectCheck {
  const refusals = one.flags.map(({ name, value = "" }) => closedBy(policy, name, value));
  const refused = refusals.find((problem) => problem !== undefined);
  if (refused === undefined) return one;
  const flags = one.flags.filter((_, at) => refusals[at] === undefined);
  return { ...one, message: `${one.message}. The ${refused}`, flags };
}

/** The flag as it is typed. */
export function typed({ name, value }: NeededFlag): string {
  return value === undefined ? `--${name}` : `--${name} ${shellWord(value)}`;
}

/** The values of a settings file by key. */
export type NeededSettings = Readonly<Record<string, string | boolean | readonly string[]>>;

/** The same flags as keys and values of a settings file; lists keep what they have already. */
export function settingsFor(
  flags: readonly NeededFlag[],
  { reads, writes, environmentNames }: Pick<SandboxChoice, "reads" | "writes" | "environmentNames">,
): NeededSettings {
  const lists: Partial<Record<FlagName, readonly string[]>> = { read: reads, write: writes, env: environmentNames };
  const names = [...new Set(flags.map(({ name }) => name))];
  return Object.fromEntries(names.map((name) => {
    const values = flags.flatMap((one) => one.name === name ? one.value ?? [] : []);
    const list = lists[name];
    return [name.replaceAll("-", "_"), list === undefined ? values[0] ?? true : [...new Set([...list, ...values])]];
  }));
}
