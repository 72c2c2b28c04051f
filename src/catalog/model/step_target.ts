import type { Catalog, Leaf, LeafStep } from "./leaf.ts";
import { SHELL_TOOL_NAME } from "../format/builtin_traits.ts";
import { DEFAULT_LEAF } from "../format/names.ts";
import { resolveCall } from "./resolve.ts";

/** Whether a step is a shell command line of `sandboxed_shell`, the built-in tool that may be a step. */
export function isShellStep(step: LeafStep): boolean {
  return step.tool === SHELL_TOOL_NAME && step.subcommand === DEFAULT_LEAF;
}

/** The leaf that a step calls; undefined for a shell line and for what does not exist. */
export function stepTarget(catalog: Catalog, step: LeafStep): Leaf | undefined {
  if (isShellStep(step)) return undefined;
  const target = resolveCall(catalog, step.tool, { subcommand: step.subcommand });
  return target.ok ? target.value.leaf : undefined;
}
