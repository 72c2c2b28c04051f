/** Sequence steps over all files: they must name something that exists, and must not run in a circle (T4, T14). */
import { errorAt, type Finding, warningAt } from "./finding.ts";
import type { PlacedLeaf } from "./flatten.ts";
import type { Catalog, Leaf, LeafStep } from "./leaf.ts";
import { DEFAULT_LEAF } from "./names.ts";
import { resolveCall } from "./resolve.ts";
import { stepArgumentFindings } from "./step_arguments.ts";

/** Sequences that call sequences: more levels than this are refused. */
const DEEPEST_SEQUENCE = 8;
const NO_COMMAND = '"sandboxed_shell" refuses this step: give it "args": { "command": "a shell line" }';

/** Errors about the steps of `leaf`; `catalog` holds everything that is in service so far. */
export function checkSteps(catalog: Catalog, { leaf, at }: PlacedLeaf): readonly Finding[] {
  return leaf.sequence.flatMap((step, index) => {
    const path = [...at, "sequence", index];
    if (isShellStep(step)) return [];
    const target = resolveCall(catalog, step.tool, { subcommand: step.subcommand });
    if (!target.ok) {
      const part = target.problem.kind === "unknown_tool" ? "tool" : "subcommand";
      return [errorAt([...path, part], `Step ${index} of "${leaf.name}" has no target: ${target.problem.message}`)];
    }
    const chain = chainFrom(catalog, target.value.leaf, [leaf]);
    return chain === undefined ? [] : [errorAt(path, `Step ${index} of "${leaf.name}" ${chain}`)];
  });
}

/** Warnings about the steps of `leaf`, whose targets all exist. */
export function stepWarnings(catalog: Catalog, { leaf, at }: PlacedLeaf): readonly Finding[] {
  return leaf.sequence.flatMap((step, index) => {
    const place = [...at, "sequence", index];
    if (isShellStep(step)) return typeof step.args.command === "string" ? [] : [warningAt(place, NO_COMMAND)];
    const target = resolveCall(catalog, step.tool, { subcommand: step.subcommand });
    return target.ok ? stepArgumentFindings(step, target.value.leaf, place) : [];
  });
}

/** `sandboxed_shell` is Ahma's own tool and may be a step. */
export function isShellStep(step: LeafStep): boolean {
  return step.tool === "sandboxed_shell" && step.subcommand === DEFAULT_LEAF;
}

/** What is wrong with going from `leaf` onward when `above` are already running; undefined: nothing. */
function chainFrom(catalog: Catalog, leaf: Leaf, above: readonly Leaf[]): string | undefined {
  if (leaf.sequence.length === 0) return undefined;
  const names = [...above, leaf].map((one) => one.name).join(" > ");
  if (above.includes(leaf)) return `runs in a circle: ${names}: remove one of these steps`;
  if (above.length >= DEEPEST_SEQUENCE) return `goes ${DEEPEST_SEQUENCE} sequences deep: ${names}: flatten them`;
  for (const step of leaf.sequence) {
    const target = isShellStep(step) ? undefined : resolveCall(catalog, step.tool, { subcommand: step.subcommand });
    const problem = target?.ok ? chainFrom(catalog, target.value.leaf, [...above, leaf]) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}
