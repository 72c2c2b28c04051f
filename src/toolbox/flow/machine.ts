/** A run of a flow and its transitions between states (K7). Pure: the caller does the effects. */
import type { Evaluate } from "./expression.ts";
import { type Arm, END, type Expected, type Flow, type State } from "./flow.ts";
import type { Variables } from "./template.ts";

/** One flow on the stack of a run. */
export interface Frame {
  readonly flow: string;
  readonly state: string;
  readonly variables: Variables;
  /** Branches of forks that have not run yet, innermost last. */
  readonly branches: readonly (readonly string[])[];
}

/** What the run waits for. */
export interface Waiting {
  readonly kind: "prompt" | "ask" | "variables";
  /** For the model. */
  readonly text: string;
  readonly expect: Expected;
}

/** One run. It consists of JSON values only, so that it can be stored. */
export interface Run {
  readonly id: string;
  /** The flow it was started with. */
  readonly flow: string;
  /** The stack of flows; the last one is running. */
  readonly frames: readonly Frame[];
  readonly status: "running" | "waiting" | "completed" | "failed" | "aborted";
  readonly waiting?: Waiting;
  /** Why it failed or was aborted. */
  readonly message?: string;
  /** Number of transitions so far. */
  readonly transitions: number;
  /** The latest transitions, as `flow.state`. */
  readonly trace: readonly string[];
  /** The result of a called flow that has just ended; absent: none has. */
  readonly returned?: ActionEnd;
  /** Lines that the flow logged. */
  readonly log: readonly string[];
}

/** How the action of a state ended. */
export interface ActionEnd {
  readonly success: boolean;
  readonly content: string;
  /** Additional members of `result`, such as `exit_code`; absent: none. */
  readonly facts?: Variables;
  /** The value for the action's own result variable; absent: the content. */
  readonly value?: unknown;
}

const MOST_TRANSITIONS = 1_000;
const MOST_TRACE = 60;
const MOST_LOG = 200;
export const DEEPEST_FLOWS = 10;

/** A run at the start of its flow. */
export function newRun(id: string, flow: Flow, variables: Variables): Run {
  const run: Run = { id, flow: flow.name, frames: [], status: "running", transitions: 0, trace: [], log: [] };
  return entered(run, flow, variables);
}

/** The flow that runs now. */
export function topOf({ frames }: Pick<Run, "frames">): Frame {
  const frame = frames.at(-1);
  if (frame === undefined) throw new RangeError("A run has a frame");
  return frame;
}

/** Pushes a flow onto the stack of a run. */
export function entered(run: Run, flow: Flow, variables: Variables): Run {
  if (run.frames.length >= DEEPEST_FLOWS) return ended(run, "failed", `Flows call each other ${DEEPEST_FLOWS} deep`);
  const frame: Frame = { flow: flow.name, state: flow.start, variables, branches: [] };
  return traced({ ...run, frames: [...run.frames, frame] }, frame);
}

/** Continues a run after its state's action: the next state, the end, or a wait for variables of conditions. */
export function advanced(run: Run, flow: Flow, end: ActionEnd, evaluate: Evaluate): Run {
  const frame = topOf(run);
  const state = flow.states.get(frame.state);
  if (state === undefined) return ended(run, "failed", `Flow "${flow.name}" has no state "${frame.state}" any more`);
  const variables = withResult(frame.variables, state, end);
  const settled = withTop(run, { ...frame, variables });
  const [first, ...others] = state.arms;
  if (state.kind === "fork" && first !== undefined) {
    const branches = [...frame.branches, others.map(({ to }) => to)];
    return moved(withTop(settled, { ...frame, variables, branches }), flow, first.to);
  }
  const chosen = chooseArm(state, end.success, variables, evaluate);
  if (chosen.kind === "arm") return moved(settled, flow, chosen.arm.to);
  if (chosen.kind === "unknown") {
    const known = Object.keys(variables).join(", ");
    const text = `State "${state.name}" cannot continue: ${chosen.message}. Known variables: ${known}. ` +
      'Give what is missing as "variables".';
    return { ...settled, status: "waiting", waiting: { kind: "variables", text, expect: "text" } };
  }
  const why = end.success ? "" : `: ${end.content.slice(0, 500)}`;
  return ended(
    settled,
    "failed",
    `No arm of state "${state.name}" fits after its action ${end.success ? "succeeded" : "failed"}${why}`,
  );
}

/** The run in its final status. */
export function ended(run: Run, status: "completed" | "failed" | "aborted", message?: string): Run {
  const { waiting: _, ...rest } = run;
  return { ...rest, status, ...message !== undefined && { message } };
}

/** The run with a line in its log. */
export function logged(run: Run, line: string): Run {
  return { ...run, log: [...run.log, line].slice(-MOST_LOG) };
}

/** Sets variables of the running flow. */
export function withVariables(run: Run, more: Variables): Run {
  const frame = topOf(run);
  return withTop(run, { ...frame, variables: { ...frame.variables, ...more } });
}

type Choice =
  | { readonly kind: "arm"; readonly arm: Arm }
  | { readonly kind: "unknown"; readonly message: string }
  | { readonly kind: "none" };

/** The first matching arm in the order of the file; `default` comes last. */
function chooseArm(state: State, isSuccess: boolean, variables: Variables, evaluate: Evaluate): Choice {
  let unknown: string | undefined;
  let conditions = 0;
  let unknowns = 0;
  for (const arm of state.arms) {
    const { condition } = arm;
    if (condition.kind === "always") return { kind: "arm", arm };
    if (condition.kind === (isSuccess ? "success" : "failure")) return { kind: "arm", arm };
    if (condition.kind !== "expression") continue;
    conditions++;
    const verdict = evaluate(condition.text, { ...variables, default: true });
    if (verdict.kind === "true") return { kind: "arm", arm };
    if (verdict.kind === "false") continue;
    unknowns++;
    unknown ??= `condition "${condition.text}": ${verdict.message}`;
  }
  const other = state.arms.find(({ condition }) => condition.kind === "default");
  if (other !== undefined) return { kind: "arm", arm: other };
  if (unknown !== undefined && unknowns === conditions) return { kind: "unknown", message: unknown };
  return { kind: "none" };
}

function moved(run: Run, flow: Flow, to: string): Run {
  if (run.transitions >= MOST_TRANSITIONS) {
    return ended(
      run,
      "failed",
      `The flow has changed its state ${MOST_TRANSITIONS} times; the last: ${run.trace.slice(-8).join(", ")}`,
    );
  }
  const counted = { ...run, transitions: run.transitions + 1 };
  if (to === END) return leave(counted);
  const onward = next(topOf(counted), flow, to);
  return traced(withTop(counted, onward), onward);
}

/** Moves the frame to state `to`; at a join, to the next pending branch of its fork. */
function next(frame: Frame, flow: Flow, to: string): Frame {
  const waiting = flow.states.get(to)?.kind === "join" ? frame.branches.at(-1) : undefined;
  if (waiting === undefined) return { ...frame, state: to };
  const [branch, ...rest] = waiting;
  const outer = frame.branches.slice(0, -1);
  return { ...frame, state: branch ?? to, branches: branch === undefined ? outer : [...outer, rest] };
}

/** Pops a flow that has ended; its end is also the end of the action that called it. */
function leave(run: Run): Run {
  if (run.frames.length === 1) return ended(run, "completed");
  const { flow, variables: { last_action_result: content, success } } = topOf(run);
  return {
    ...run,
    frames: run.frames.slice(0, -1),
    returned: { success: success !== false, content: typeof content === "string" ? content : "" },
    trace: [...run.trace, `${flow}.end`].slice(-MOST_TRACE),
  };
}

function withTop(run: Run, frame: Frame): Run {
  return { ...run, frames: [...run.frames.slice(0, -1), frame] };
}

function traced(run: Run, { flow, state }: Frame): Run {
  return { ...run, trace: [...run.trace, `${flow}.${state}`].slice(-MOST_TRACE) };
}

/** Sets the variables that describe the end of the last action. */
function withResult(
  variables: Variables,
  { action }: State,
  { success, content, facts = {}, value }: ActionEnd,
): Variables {
  if (action === undefined) return variables;
  const named = action.result === undefined ? {} : { [action.result]: value ?? content };
  return {
    ...variables,
    result: { content, ...facts },
    success,
    failure: !success,
    is_error: !success,
    last_action_result: content,
    ...named,
  };
}
