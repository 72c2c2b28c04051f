/** What a tool file says about how its leaves run: one at a time (X13), again after a failure (X16), or not at all (T11). */
import { type NetworkReach, readBound } from "../../base/network/network_bound.ts";
import type { Leaf, LeafRetry, Probe } from "./leaf.ts";
import type { SubcommandDefinition, ToolDefinition } from "../format/mtdf.ts";
import type { AvailabilityCheckDefinition } from "../format/mtdf_parts.ts";
import { commandWords } from "../format/names.ts";

type Node = ToolDefinition | SubcommandDefinition;

const DEFAULT_BACKOFF_MS = 1000;

/** Whether runs exclude each other; the node nearest to the leaf decides. `nodes` go from the tool to the leaf. */
export function exclusiveOf(nodes: readonly Node[]): boolean {
  return nodes.findLast((node) => node.concurrency !== undefined)?.concurrency === "exclusive";
}

/** What a node itself says about the answers of its calls, its input while it runs (X20 to X22), and repeated runs. */
export function answersOf(
  { until, until_port, until_quiet, watch, input, tty, idempotent }: Node,
): Pick<Leaf, "answersAt" | "watch" | "input" | "idempotent"> {
  const isSaid = until !== undefined || until_port !== undefined || until_quiet !== undefined;
  return {
    ...isSaid && { answersAt: { until, until_port, until_quiet } },
    ...watch !== undefined && { watch },
    ...(tty === true || input === true) && { input: tty === true ? "terminal" : "pipe" },
    ...idempotent === true && { idempotent },
  };
}

/** What a node itself says about the network; undefined: nothing. Unreadable lists were refused before. */
export function networkOf({ network }: Node): NetworkReach | undefined {
  if (network === undefined) return undefined;
  const read = readBound(network);
  return read.ok ? read.value : { network: "none", names: [] };
}

/** The retries of a leaf; undefined: none. */
export function retryOf(nodes: readonly Node[]): LeafRetry | undefined {
  const retry = nodes.findLast((node) => node.retry !== undefined)?.retry;
  return retry && { ...retry, backoff_ms: retry.backoff_ms ?? DEFAULT_BACKOFF_MS };
}

export interface ProbeParts {
  readonly nodes: readonly Node[];
  /** The tool's `command`. */
  readonly command: string;
  /** Words of the leaf after it. */
  readonly words: readonly string[];
  /** First words of the leaf's argv; empty for a sequence. */
  readonly argv: readonly string[];
}

/** The nearest check, else the program on the PATH; undefined for sequences and relative programs. */
export function probeOf({ nodes, command, words, argv }: ProbeParts): Probe | undefined {
  const index = nodes.findLastIndex((node) => node.availability_check !== undefined);
  const check = nodes[index]?.availability_check;
  if (check?.command === undefined && check?.args === undefined) return programProbe(argv[0]);
  const ofLeaf = index > 0 && check.skip_subcommand_args !== true;
  const program = commandWords(check.command ?? command);
  return commandProbe(check, [...program, ...ofLeaf ? words : [], ...check.args ?? []]);
}

function programProbe(program: string | undefined): Probe | undefined {
  if (program === undefined || program.includes("/") && !program.startsWith("/")) return undefined;
  return { kind: "program", program };
}

function commandProbe(check: AvailabilityCheckDefinition, argv: readonly string[]): Probe {
  const codes = check.success_exit_codes ?? [];
  return {
    kind: "command",
    argv,
    ...check.working_directory !== undefined && { directory: check.working_directory },
    successExitCodes: codes.length > 0 ? codes : [0],
  };
}
