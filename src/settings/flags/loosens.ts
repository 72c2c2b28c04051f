/** Whether one value of a flag allows more than another. Pure. */
import { limitOf } from "./flag_values.ts";
import { type FlagName, flagNamed } from "./flags.ts";
import { widensNetwork } from "./network_value.ts";

/** Whether the values of a flag are ordered, so that a bound still allows narrower ones. */
export function isOrdered(name: FlagName): boolean {
  const { narrowsOnly, projectMost } = flagNamed(name);
  return narrowsOnly !== undefined || projectMost !== undefined || name === "require-abi";
}

/** Whether `value` allows more than `bound`; without an order every other value does. Both were checked. */
export function loosens(name: FlagName, value: string, bound: string): boolean {
  const { narrowsOnly, projectMost, choices, value: kind } = flagNamed(name);
  if (name === "require-abi") return Number(value) < Number(bound);
  if (projectMost !== undefined) return Number(value) > Number(bound);
  if (narrowsOnly === undefined) return value !== bound;
  if (kind === "network") return widensNetwork(value, bound);
  if (choices !== undefined) return choices.indexOf(value) < choices.indexOf(bound);
  return (limitOf(value) ?? Infinity) > (limitOf(bound) ?? Infinity);
}
