import type { Catalog, Leaf, LeafStep } from "./leaf.ts";
import { DEFAULT_LEAF } from "../format/names.ts";
import { resolveCall } from "./resolve.ts";

/** `sandboxed_shell` is Ahma's own tool and may be a step. */
export function isShellStep(step: LeafStep): boolean {
  return step.tool === "sandboxed_shell" && step.subcommand === DEFAULT_LEAF;
}

/** The leaf that a step calls; undefined for a shell line and for what does not exist. */
export function stepTarget(catalog: Catalog, step: LeafStep): Leaf | undefined {
  if (isShellStep(step)) return undefined;
  const target = resolveCall(catalog, step.tool, { subcommand: step.subcommand });
  return target.ok ? target.value.leaf : undefined;
}
