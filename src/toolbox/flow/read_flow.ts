/** Parses a Markdown file into a flow: front matter, a state diagram, and an action for each state (K7). */
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { ReportFault } from "../../prompt/format/faults.ts";
import { readFrontMatter, splitText } from "../../prompt/format/front_matter.ts";
import { readFacts } from "../../prompt/format/read_facts.ts";
import { hiddenCharacter } from "../../base/visible_text.ts";
import { expressionProblem } from "./expression.ts";
import { END, type Flow, type State, type StateAction } from "./flow.ts";
import { parseAction } from "./parse_action.ts";
import { type Diagram, parseDiagram } from "./parse_diagram.ts";

export interface FlowText {
  readonly name: string;
  /** Path for messages. */
  readonly file: string;
  readonly text: string;
}

/** `flow` is undefined if the file has an error. */
export interface ReadFlow {
  readonly flow: Flow | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

const MOST_STATES = 500;
/** Maximum characters of a line, because parsing one may take quadratic time. */
const LONGEST_LINE = 4_000;
const ACTION = /^\s*[-*]\s+(?:\*\*|`)?([\w-]+)(?:\*\*|`)?\s*:\s*(.*)$/;

/** Reads one file. Never throws because of its content. */
export async function readFlow({ name, file, text }: FlowText): Promise<ReadFlow> {
  const diagnostics: Diagnostic[] = [];
  const report: ReportFault = (severity, message, { line, column }) => {
    diagnostics.push({ severity, file, pointer: "", line, column, message });
    return undefined;
  };
  const flow = await flowOf({ name, file, text: text.replaceAll("\r\n", "\n") }, report);
  return { flow: diagnostics.some(({ severity }) => severity === "error") ? undefined : flow, diagnostics };
}

async function flowOf({ name, file, text }: FlowText, report: ReportFault): Promise<Flow | undefined> {
  const split = splitText(text);
  if (split === "unclosed") {
    return report("error", 'The front matter is not closed: end it with a line of "---"', { line: 1, column: 1 });
  }
  const matter = await readFrontMatter(split.head, report);
  if (matter === undefined) return undefined;
  const { facts } = readFacts(matter, report);
  const lines = split.body.split("\n");
  for (const [index, line] of lines.entries()) {
    const hidden = hiddenCharacter(line);
    if (line.length > LONGEST_LINE) {
      return fault(
        report,
        split.linesBefore + index + 1,
        `The line has ${line.length} characters, at most ${LONGEST_LINE} are read`,
      );
    }
    if (hidden !== undefined) fault(report, split.linesBefore + index + 1, `The hidden character ${hidden}: remove it`);
  }
  const fence = lines.findIndex((line) => /^\s*```\s*mermaid\b/.test(line));
  const end = lines.findIndex((line, index) => index > fence && /^\s*```\s*$/.test(line));
  if (fence === -1 || end === -1) {
    return fault(report, split.linesBefore + 1, "There is no diagram: add a block of mermaid with stateDiagram-v2");
  }
  const diagram = parseDiagram(lines.slice(fence + 1, end).join("\n"), split.linesBefore + fence + 2);
  const actions = actionsOf(lines, split.linesBefore);
  const states = await statesOf(diagram, actions, report);
  const start = startOf(diagram, report);
  if (start === undefined) return undefined;
  checkStates(states, start, report);
  return {
    name,
    file,
    title: facts.title,
    description: facts.description,
    parameters: facts.parameters,
    start,
    states,
  };
}

function startOf({ starts, unread, states }: Diagram, report: ReportFault): string | undefined {
  for (const { text, line } of unread) {
    fault(report, line, `"${text}" is not a known line of a state diagram`);
  }
  if (states.size > MOST_STATES) {
    return fault(report, 1, `The flow has ${states.size} states, at most ${MOST_STATES} are read`);
  }
  const [start, second] = starts;
  if (start === undefined) return fault(report, 1, 'The flow has no start: add a line as in "[*] --> first"');
  if (second !== undefined) return fault(report, second.line, "The flow has two starts: keep one");
  if (start.state === END) return fault(report, start.line, "The flow has no state");
  return start.state;
}

interface ActionLine {
  readonly text: string;
  readonly line: number;
}

/** Lines below `## Actions`, or else the first line below each heading of `## States`. */
function actionsOf(lines: readonly string[], linesBefore: number): ReadonlyMap<string, ActionLine> {
  const found = new Map<string, ActionLine>();
  let section = "";
  let heading: string | undefined;
  for (const [index, line] of lines.entries()) {
    const title = /^(#{2,4})\s+(.+?)\s*$/.exec(line);
    if (title !== null) {
      const words = title[2] ?? "";
      if (title[1] === "##") section = words.toLowerCase();
      heading = section === "states" && title[1] !== "##" ? words : undefined;
      continue;
    }
    const action = section === "actions" ? ACTION.exec(line) : null;
    if (action !== null) found.set(action[1] ?? "", { text: action[2] ?? "", line: linesBefore + index + 1 });
    else if (heading !== undefined && line.trim() !== "" && !found.has(heading)) {
      found.set(heading, { text: line.replace(/^\s*[-*]\s+/, ""), line: linesBefore + index + 1 });
    }
  }
  return found;
}

async function statesOf(
  diagram: Diagram,
  actions: ReadonlyMap<string, ActionLine>,
  report: ReportFault,
): Promise<ReadonlyMap<string, State>> {
  for (const [name, { line }] of actions) {
    if (!diagram.states.has(name)) {
      report("warning", `The action of "${name}" is never run: the diagram has no such state`, { line, column: 1 });
    }
  }
  const states = new Map<string, State>();
  for (const [name, { kind, arms, line }] of diagram.states) {
    const action = actionOf(actions.get(name), report);
    states.set(name, { name, kind, action, arms, line });
    for (const arm of arms) {
      if (arm.condition.kind !== "expression") continue;
      const problem = await expressionProblem(arm.condition.text);
      if (problem !== undefined) fault(report, arm.line, problem);
    }
  }
  return states;
}

function actionOf(found: ActionLine | undefined, report: ReportFault): StateAction | undefined {
  if (found === undefined) return undefined;
  const action = parseAction(found.text);
  if (action.ok) return action.value;
  return fault(report, found.line, action.problem);
}

function fault(report: ReportFault, line: number, message: string): undefined {
  return report("error", message, { line, column: 1 });
}

/** Reports states that cannot be reached or cannot reach the end, and arms that are never taken. */
function checkStates(states: ReadonlyMap<string, State>, start: string, report: ReportFault): void {
  const reached = reachable(states, start);
  const ending = canEnd(states);
  for (const state of states.values()) {
    const { name, line, arms } = state;
    if (!reached.has(name)) report("warning", `State "${name}" is never reached`, { line, column: 1 });
    else if (!ending.has(name)) fault(report, line, `From state "${name}" no path leads to the end "[*]"`);
    for (const [index, arm] of arms.entries()) {
      const { kind } = arm.condition;
      const hides = kind === "always" && index < arms.length - 1 && state.kind !== "fork";
      if (hides) {
        fault(report, arm.line, `The arms after this one are never taken: give "${name} --> ${arm.to}" a label`);
      }
      if (kind === "default" && arms.filter((one) => one.condition.kind === "default").length > 1) {
        fault(report, arm.line, `State "${name}" has two arms "default": keep one`);
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
