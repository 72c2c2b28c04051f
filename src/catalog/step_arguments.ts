import { closest } from "../base/suggest.ts";
import { type Finding, warningAt } from "./finding.ts";
import type { Leaf, LeafStep } from "./leaf.ts";
import { metaParametersOf } from "./meta_parameters.ts";
import { expectedOf, problemOfValue } from "./value.ts";

/** Each is compared with all that are known, so more are not told of. */
const MOST_UNKNOWN = 20;

/**
 * Warnings for the `args` of a step that its target would refuse: the sequence loads, and every call of it fails before
 * the first step (T4, T14). A step gets its own arguments only, so nothing can be added later.
 */
export function stepArgumentFindings(
  step: LeafStep,
  target: Leaf,
  at: readonly (string | number)[],
): readonly Finding[] {
  const declared = [...target.options, ...target.positionals];
  const known = new Set([...declared.map(({ name }) => name), ...metaParametersOf(target).keys()]);
  const place = Object.keys(step.args).length === 0 ? at : [...at, "args"];
  const refused = `"${target.name}" refuses this step`;
  const strange = Object.keys(step.args).filter((name) => !known.has(name)).slice(0, MOST_UNKNOWN);
  const unknown = strange.map((name) => {
    const guess = closest(name, known);
    const advice = guess === undefined ? `known arguments are ${[...known].join(", ")}` : `did you mean "${guess}"?`;
    const finding = warningAt([...place, name], `${refused}: argument "${name}" is unknown; ${advice}`);
    return { ...finding, at: "key" as const };
  });
  const wrong = declared.flatMap((argument) => {
    if (!Object.hasOwn(step.args, argument.name)) {
      if (!argument.required) return [];
      return [warningAt(place, `${refused}: argument "${argument.name}" is missing, expected ${expectedOf(argument)}`)];
    }
    const problem = problemOfValue(argument, step.args[argument.name]);
    if (problem === undefined) return [];
    return [warningAt([...place, argument.name], `${refused}: argument "${argument.name}" ${problem}`)];
  });
  return [...unknown, ...wrong];
}
