/** Flows of the user and the project, read on demand (K7). */
import { describeDiagnostic, type Diagnostic } from "../../base/diagnostic.ts";
import { didYouMean } from "../../base/suggest.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { type PromptDirectory, readPrompts } from "../../prompt/load/read_prompts.ts";
import type { Flow } from "../flow/flow.ts";
import { readFlow } from "../flow/read_flow.ts";

/** All flows of one moment. */
export interface FlowSet {
  /** By name, in its order. */
  readonly flows: ReadonlyMap<string, Flow>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads every flow; if two have the same name, the last directory wins. Faults name files relative to `root`. */
export async function readFlows(directories: readonly PromptDirectory[], root: string): Promise<FlowSet> {
  const flows = new Map<string, Flow>();
  const diagnostics: Diagnostic[] = [];
  for (const directory of directories) {
    const read = readPrompts(directory);
    diagnostics.push(...read.diagnostics);
    for (const text of read.texts) {
      const { flow, diagnostics: found } = await readFlow(text);
      diagnostics.push(...found);
      if (flow !== undefined) flows.set(flow.name, flow);
    }
  }
  const faults = [...flows.values()].map((flow) => [flow.name, unknownFlows(flow, flows)] as const);
  diagnostics.push(...faults.flatMap(([, found]) => found));
  const whole = [...flows].filter(([name]) => !faults.some(([other, found]) => other === name && found.length > 0));
  return {
    flows: new Map(whole.toSorted(([one], [other]) => one < other ? -1 : 1)),
    diagnostics: diagnostics.map((one) => ({ ...one, file: seenFrom(root, one.file) })),
  };
}

/** The path relative to `root`; a path outside is unchanged. */
export function seenFrom(root: string, path: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

/** The flow of a name; the problem is worded for the agent. */
export function flowNamed({ flows, diagnostics }: FlowSet, name: string): Outcome<Flow> {
  const flow = flows.get(name);
  if (flow !== undefined) return success(flow);
  const faults = diagnostics.filter(({ file, severity }) => severity === "error" && file.includes(`/${name}.`));
  if (faults.length > 0) return failure(`Flow "${name}" has errors:\n${faults.map(describeDiagnostic).join("\n")}`);
  return failure(`There is no flow "${name}"${didYouMean(name, flows.keys()) || '; flow_name "list" shows all'}`);
}

/** Reports calls of missing flows and calls that lead back to the flow itself. */
function unknownFlows(flow: Flow, flows: ReadonlyMap<string, Flow>): readonly Diagnostic[] {
  return callsOf(flow).flatMap(({ called, line }) => {
    const way = flows.has(called) ? wayBack(called, flow.name, flows) : undefined;
    const problem = !flows.has(called)
      ? `There is no flow "${called}"${didYouMean(called, flows.keys())}`
      : way === undefined
      ? undefined
      : `Flows call each other in a cycle: ${[flow.name, ...way].join(" -> ")}`;
    if (problem === undefined) return [];
    return [{ severity: "error" as const, file: flow.file, pointer: "", line, column: 1, message: problem }];
  });
}

function callsOf({ states }: Flow): readonly { readonly called: string; readonly line: number }[] {
  return [...states.values()].flatMap(({ action, line }) =>
    action?.action.kind === "run" ? [{ called: action.action.flow, line }] : []
  );
}

/** The chain of calls from flow `from` to flow `to`, inclusive; undefined: there is none. */
function wayBack(from: string, to: string, flows: ReadonlyMap<string, Flow>): readonly string[] | undefined {
  const ways = new Map<string, readonly string[]>([[from, [from]]]);
  for (const [name, way] of ways) {
    if (name === to) return way;
    const flow = flows.get(name);
    for (const { called } of flow === undefined ? [] : callsOf(flow)) {
      if (!ways.has(called)) ways.set(called, [...way, called]);
    }
  }
  return undefined;
}
