/** Checks the states of a flow before it runs (K7). Pure. */
import type { ReportFault } from "../../prompt/format/faults.ts";
import { END, type State } from "./flow.ts";

/** Reports states that cannot be reached or cannot reach the end, and arms that are never taken. */
export function checkStates(states: ReadonlyMap<string, State>, start: string, report: ReportFault): void {
  const fault = (severity: "error" | "warning", message: string, line: number) =>
    void report(severity, message, { line, column: 1 });
  const reached = reachable(states, start);
  const ending = canEnd(states);
  for (const state of states.values()) {
    const { name, line, arms } = state;
    if (!reached.has(name)) fault("warning", `State "${name}" is never reached`, line);
    else if (!ending.has(name)) fault("error", `From state "${name}" no way leads to the end "[*]"`, line);
    for (const [index, arm] of arms.entries()) {
      const { kind } = arm.condition;
      const hides = kind === "always" && index < arms.length - 1 && state.kind !== "fork";
      if (hides) {
        fault("error", `The arms after this one are never taken: give "${name} --> ${arm.to}" a label`, arm.line);
      }
      if (kind === "default" && arms.filter((one) => one.condition.kind === "default").length > 1) {
        fault("error", `State "${name}" has two arms "default": keep one`, arm.line);
      }
    }
  }
}

function reachable(states: ReadonlyMap<string, State>, start: string): ReadonlySet<string> {
  const seen = new Set<string>([start]);
  for (const name of seen) for (const { to } of states.get(name)?.arms ?? []) if (to !== END) seen.add(to);
  return seen;
}

/** The states from which the end can be reached. */
function canEnd(states: ReadonlyMap<string, State>): ReadonlySet<string> {
  const ending = new Set<string>();
  for (let before = -1; before < ending.size;) {
    before = ending.size;
    for (const { name, arms } of states.values()) {
      if (arms.some(({ to }) => to === END || ending.has(to))) ending.add(name);
    }
  }
  return ending;
}
