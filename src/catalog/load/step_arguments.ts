import { closest } from "../../base/suggest.ts";
import { type UnplacedDiagnostic, warningAt } from "../format/diagnostic.ts";
import type { Leaf, LeafArgument, LeafStep } from "../model/leaf.ts";
import { metaParametersOf } from "../model/meta_parameters.ts";
import { expectedOf, ValueCheck } from "../model/value.ts";

/** Warns of `args` of steps that their targets would refuse (T4, T14): nothing can be added to them later. */
export class StepArguments {
  readonly #check = ValueCheck.ofCall();
  /** At most this many unknown names get a suggestion, because the search takes long for a target with many names. */
  #guesses = 20;
  /** What is asked about a target at every step that calls it. */
  readonly #targets = new Map<Leaf, Target>();

  /** Takes time in proportion to the step's arguments, and once for each target to the target's arguments. */
  *diagnostics(step: LeafStep, leaf: Leaf, at: readonly (string | number)[]): Generator<UnplacedDiagnostic> {
    const target = this.#targets.get(leaf) ?? targetOf(leaf);
    this.#targets.set(leaf, target);
    const place = Object.keys(step.args).length === 0 ? at : [...at, "args"];
    const refused = `"${leaf.name}" refuses this step`;
    for (const [name, value] of Object.entries(step.args)) {
      const argument = target.declared.get(name);
      const problem = argument && this.#check.problemOf(argument, value);
      if (problem !== undefined) yield warningAt([...place, name], `${refused}: argument "${name}" ${problem}`);
      if (argument !== undefined || target.meta.has(name)) continue;
      const diagnostic = warningAt(
        [...place, name],
        `${refused}: argument "${name}" is unknown; ${this.#advice(name, target)}`,
      );
      yield { ...diagnostic, at: "key" };
    }
    for (const argument of target.required) {
      if (Object.hasOwn(step.args, argument.name)) continue;
      yield warningAt(place, `${refused}: argument "${argument.name}" is missing, expected ${expectedOf(argument)}`);
    }
  }

  #advice(name: string, { declared, meta }: Target): string {
    const known = [...declared.keys(), ...meta].slice(0, MOST_COMPARED);
    const guess = this.#guesses-- > 0 ? closest(name, known) : undefined;
    if (guess !== undefined) return `did you mean "${guess}"?`;
    return `known arguments are ${known.slice(0, MOST_LISTED).join(", ")}${known.length > MOST_LISTED ? ", …" : ""}`;
  }
}

const MOST_COMPARED = 1_000;
const MOST_LISTED = 40;

interface Target {
  readonly declared: ReadonlyMap<string, LeafArgument>;
  readonly required: readonly LeafArgument[];
  readonly meta: ReadonlySet<string>;
}

function targetOf(leaf: Leaf): Target {
  const declared = [...leaf.options, ...leaf.positionals];
  return {
    declared: new Map(declared.map((argument) => [argument.name, argument])),
    required: declared.filter(({ required }) => required),
    meta: new Set(metaParametersOf(leaf).keys()),
  };
}
