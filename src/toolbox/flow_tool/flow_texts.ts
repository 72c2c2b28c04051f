/** The texts of flows and runs for the model (K7). Pure. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { describeDiagnostic } from "../../base/diagnostic.ts";
import { counted } from "../../base/text.ts";
import { visibleText } from "../../base/visible_text.ts";
import type { Action, Expected, Flow, Template } from "../flow/flow.ts";
import { type Run, topOf } from "../flow/machine.ts";
import type { SeenRun } from "../flow/run_store.ts";
import type { Variables } from "../flow/template.ts";
import type { FlowSet } from "./flow_files.ts";

/** Key of `_meta` with the facts of a run. */
const META_KEY = "ahma/flow";
const MOST_RESULT = 8_000;
const MOST_DIAGNOSTICS = 20;

export interface TextStyle {
  readonly asJson: boolean;
  readonly verbose: boolean;
  /** Number of log lines that were already reported. */
  readonly logged: number;
}

/** The state of a run and the next step. */
export function runResult(run: SeenRun, { asJson, verbose, logged }: TextStyle): CallToolResult {
  const facts = runFacts(run, { verbose });
  const text = asJson ? JSON.stringify(facts, null, 2) : runText(run, facts.state, { verbose, logged });
  return {
    content: [{ type: "text", text: visibleText(text) }],
    ...(facts.status === "failed" || facts.status === "aborted") && { isError: true },
    _meta: { [META_KEY]: { run_id: facts.run_id, flow: facts.flow, state: facts.state, status: facts.status } },
  };
}

/** A run as data. */
interface RunFacts {
  readonly run_id: string;
  readonly flow: string;
  readonly state: string;
  readonly status: SeenRun["status"];
  readonly transitions: number;
  readonly expect?: Expected;
  readonly instruction?: string;
  readonly message?: string;
  readonly trace?: Run["trace"];
  readonly variables?: Variables;
}

/** A run as data for the client; `verbose`: with its states so far and its variables. */
export function runFacts(run: SeenRun, { verbose }: Pick<TextStyle, "verbose">): RunFacts {
  const { id, flow, status, waiting, message } = run;
  const { state, flow: inner, variables } = topOf(run);
  return {
    run_id: id,
    flow,
    state: inner === flow ? state : `${inner}.${state}`,
    status,
    transitions: run.transitions,
    ...waiting !== undefined && { expect: waiting.expect, instruction: waiting.text },
    ...message !== undefined && { message },
    ...verbose && { trace: run.trace, variables },
  };
}

function runText(run: SeenRun, state: string, { verbose, logged }: Pick<TextStyle, "verbose" | "logged">): string {
  const { id, flow, status, waiting, message, transitions } = run;
  const lines = [...run.log.slice(logged), ...verbose ? [`States: ${run.trace.join(" -> ")}`] : []];
  const so = `after ${counted(transitions, "change")} of state`;
  if (waiting !== undefined) {
    return [
      ...lines,
      `Run ${id}, flow ${flow}, state ${state}:`,
      "",
      waiting.text.trim(),
      "",
      waiting.kind === "variables"
        ? `Then call flow {"run_id":"${id}","variables":{...}}.`
        : `Then call flow {"run_id":"${id}","result":${EXPECTED[waiting.expect]}}${HINT}`,
    ].join("\n");
  }
  const result = topOf(run).variables["last_action_result"];
  const last = status === "completed" && typeof result === "string" && result !== ""
    ? [result.slice(-MOST_RESULT)]
    : [];
  const why = message !== undefined
    ? `: ${message}`
    : status === "interrupted"
    ? `; flow {"run_id":"${id}"} goes on`
    : "";
  return [...lines, ...last, `Run ${id} of flow ${flow} ${VERBS[status]} in state ${state} ${so}${why}.`].join("\n");
}

const HINT = '; "outcome":"failure" if it cannot be done.';
const EXPECTED: Readonly<Record<Expected, string>> = {
  text: '"..."',
  yes_no: '"YES" or "NO"',
  json: '"JSON text"',
};
const VERBS: Readonly<Record<SeenRun["status"], string>> = {
  running: "is being worked on",
  interrupted: "was interrupted",
  waiting: "waits",
  completed: "completed",
  failed: "failed",
  aborted: "was aborted",
};

/** All flows with their parameters, and what is wrong with others. */
export function listText({ flows, diagnostics }: FlowSet, directories: readonly string[]): string {
  const lines = [...flows.values()].map(({ name, title, description, parameters }) => {
    const about = description ?? title;
    const taken = parameters.map((one) => `${one.name}${one.required ? "*" : ""}`).join(" ");
    return `${name}${taken === "" ? "" : ` (${taken})`}${
      about === undefined ? "" : `: ${about.replaceAll("\n", " ")}`
    }`;
  });
  const none = `There is no flow. Flows are Markdown files in ${directories.join(" or ")}.`;
  const faults = diagnostics.slice(0, MOST_DIAGNOSTICS).map(describeDiagnostic);
  return visibleText([...lines.length === 0 ? [none] : lines, ...faults].join("\n"));
}

/** The runs of the project, a line each. */
export function runsText(runs: readonly SeenRun[]): string {
  if (runs.length === 0) return "There is no run.";
  return runs.map((run) => {
    const { state, flow } = topOf(run);
    return `${run.id} ${run.flow} ${run.status}, state ${flow === run.flow ? state : `${flow}.${state}`}`;
  }).join("\n");
}

/** What a flow would do, without running it. */
export function planText(flow: Flow): string {
  const lines = [...flow.states.values()].map(({ name, kind, action, arms }) => {
    const does = action === undefined ? kind === "normal" ? "nothing" : kind : actionText(action.action);
    const ways = arms.map(({ to, label }) => `${to}${label === "" ? "" : ` (${label})`}`).join(", ");
    return `${name}: ${does}; then ${ways}`;
  });
  return visibleText([`Flow ${flow.name} starts in ${flow.start}; nothing was run.`, ...lines].join("\n"));
}

function actionText(action: Action): string {
  switch (action.kind) {
    case "prompt":
      return `asks you by prompt "${action.name}"`;
    case "shell":
      return `runs: ${templateText(action.command)}`;
    case "tool":
      return `calls tool "${action.name}"`;
    case "run":
      return `runs flow "${action.flow}"`;
    case "log":
      return `logs: ${templateText(action.text)}`;
    case "set":
      return `sets ${action.variable}`;
    case "wait":
      return `waits ${action.seconds} s`;
    case "ask":
      return `asks: ${templateText(action.question)}`;
    case "abort":
      return `aborts: ${templateText(action.reason)}`;
  }
}

function templateText(template: Template): string {
  return template.map((part) => typeof part === "string" ? part : `{{ ${part.path.join(".")} }}`).join("");
}
