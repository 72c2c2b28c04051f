/** What `doctor` says of GPUs (S41). */
import { gpuNodesHere, isGpu, openedNodes } from "../../../sandbox/grants/gpu.ts";
import { withLibc } from "../../../system/libc.ts";
import { type Check, check } from "../../terminal/check.ts";

/** One line where there is a GPU: what `--gpu` opens, or would open. */
export function gpuCheck(chosen: readonly string[]): readonly Check[] {
  const nodes = withLibc(gpuNodesHere);
  const gpus = nodes.filter(isGpu);
  if (gpus.length === 0) return [];
  const opened = openedNodes(chosen, nodes);
  const open = opened.ok ? opened.value : [];
  const closed = gpus.filter((path) => !open.includes(path));
  const said = [
    ...open.length === 0 ? [] : [`open to commands: ${open.join(", ")}`],
    ...closed.length === 0 ? [] : [`closed to commands: ${closed.join(", ")}`],
    ...open.length === 0 ? ["--gpu all opens them"] : [],
  ];
  return [check("gpu", "GPUs", "ok", said.join("; "))];
}
