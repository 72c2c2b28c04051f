/** Sequence steps over all files: they must name something that exists, and must not form a cycle (T4, T14). */
import { errorAt, type UnplacedDiagnostic, warningAt } from "../format/diagnostic.ts";
import type { PlacedLeaf } from "../model/flatten.ts";
import type { Catalog, Leaf, LeafStep } from "../model/leaf.ts";
import { isShellStep, resolveCall, type ResolveProblem } from "../model/resolve.ts";
import { SequenceGraph } from "./sequence_graph.ts";
import { StepArguments } from "./step_arguments.ts";
import { SHELL_TOOL_NAME } from "../format/builtin_traits.ts";

/** How deeply sequences may call sequences. */
const DEEPEST_SEQUENCE = 8;
/** Steps of a sequence with those of the sequences it calls. */
const MOST_STEPS = 1_000;
const MOST_GUESSES = 20;
const NO_COMMAND = `"${SHELL_TOOL_NAME}" refuses this step: give it "args": { "command": "a shell line" }`;

/** Checks the steps of the leaves in `catalog`, which holds everything that is in service so far. */
export class SequenceCheck {
  readonly #catalog: Catalog;
  readonly #graph: SequenceGraph;
  readonly #arguments = new StepArguments();
  /** At most this many wrong steps get a suggestion, because the search takes long with many tools. */
  #guesses = MOST_GUESSES;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
    this.#graph = new SequenceGraph(catalog);
  }

  /** Yields errors about the steps of `leaf`; `onTarget` is called with each leaf that a step calls. */
  *errors(
    { leaf, at }: PlacedLeaf,
    onTarget: (target: Leaf, error: () => UnplacedDiagnostic) => void,
  ): Generator<UnplacedDiagnostic> {
    const place = [...at, "sequence"];
    const long = this.#graph.sizeOf(leaf)?.steps ?? 0;
    if (long > MOST_STEPS) yield errorAt(place, tooLong(leaf, long));
    for (const [index, step] of leaf.sequence.entries()) {
      if (isShellStep(step)) continue;
      const target = resolveCall(this.#catalog, step.tool, { subcommand: step.subcommand });
      const where = `Step ${index} of "${leaf.name}"`;
      if (!target.ok) {
        const part = target.problem.kind === "unknown_tool" ? "tool" : "subcommand";
        yield errorAt([...place, index, part], `${where} has no target: ${this.#messageOf(target.problem, step)}`);
        continue;
      }
      const called = target.value.leaf;
      const refused = `${where} has no target: Cannot call "${called.name}": its file is refused`;
      onTarget(called, () => errorAt([...place, index, "tool"], refused));
      const problem = this.#chainProblem(leaf, called);
      if (problem !== undefined) yield errorAt([...place, index], `${where} ${problem}`);
    }
  }

  /** Warnings about the steps of `leaf`, whose targets all exist, made one by one. */
  *warnings({ leaf, at }: PlacedLeaf): Generator<UnplacedDiagnostic> {
    for (const [index, step] of leaf.sequence.entries()) {
      const place = [...at, "sequence", index];
      if (isShellStep(step)) {
        if (typeof step.args.command !== "string") yield warningAt(place, NO_COMMAND);
        continue;
      }
      const target = resolveCall(this.#catalog, step.tool, { subcommand: step.subcommand });
      if (target.ok) yield* this.#arguments.diagnostics(step, target.value.leaf, place);
    }
  }

  #messageOf(problem: ResolveProblem, { tool, subcommand }: LeafStep): string {
    return this.#guesses-- > 0
      ? problem.message
      : `Cannot call "${tool}" with subcommand "${subcommand}": it is unknown`;
  }

  /** What is wrong with calling `target`; undefined: nothing. */
  #chainProblem(leaf: Leaf, target: Leaf): string | undefined {
    if (target.sequence.length === 0) return undefined;
    const size = this.#graph.sizeOf(target);
    if (size === undefined) {
      return `forms a cycle: ${this.#graph.circleFrom(leaf, target).join(" > ")}: remove one of these steps`;
    }
    if (size.levels < DEEPEST_SEQUENCE) return undefined;
    const names = this.#graph.deepestFrom(leaf, target).join(" > ");
    return `goes more than ${DEEPEST_SEQUENCE} sequences deep: ${names}: flatten them`;
  }
}

function tooLong({ name }: Leaf, steps: number): string {
  return `Sequence "${name}" runs ${steps} steps with those of the sequences it calls, at most ${MOST_STEPS}: shorten it`;
}
