/** Runs a flow until it needs an answer or has ended, one effect after the other (K7). */
import type { Outcome } from "../../base/outcome.ts";
import type { Evaluate } from "./expression.ts";
import type { Action, Flow, ShellOptions } from "./flow.ts";
import {
  type ActionEnd,
  advanced,
  ended,
  entered,
  logged,
  type Run,
  topOf,
  type Waiting,
  withVariables,
} from "./machine.ts";
import { renderAll, renderTemplate, type ShellText, shellText, type Variables } from "./template.ts";

/** A shell line with its values filled in. */
export interface ShellCall extends ShellText {
  readonly timeoutSeconds: number | undefined;
  /** Undefined: the project's directory. */
  readonly directory: string | undefined;
}

/** The effects of actions. None of them rejects because of something that a flow does. */
export interface FlowHost {
  flow(name: string): Promise<Outcome<Flow>>;
  /** The initial variables of a flow; the problem names an invalid parameter. */
  start(flow: Flow, given: Variables): Outcome<Variables>;
  prompt(name: string, args: Readonly<Record<string, string>>): Promise<Outcome<string>>;
  shell(call: ShellCall): Promise<ActionEnd>;
  tool(name: string, args: Readonly<Record<string, string>>): Promise<ActionEnd>;
  /** Waits; false: the call was cancelled meanwhile. */
  wait(seconds: number): Promise<boolean>;
  /** Saves the run after each change of its state, and reports progress. */
  save(run: Run, flow: Flow): Promise<void>;
  readonly signal: AbortSignal;
  readonly evaluate: Evaluate;
}

/** Runs until the run waits or has ended, and returns it. A cancelled run keeps its state and can continue. */
export async function drive(begun: Run, host: FlowHost): Promise<Run> {
  let run = begun;
  while (run.status === "running" && !host.signal.aborted) {
    const { flow: name, state } = topOf(run);
    const flow = await host.flow(name);
    if (!flow.ok) return ended(run, "failed", flow.problem);
    const action = flow.value.states.get(state)?.action?.action;
    const next = await act(run, flow.value, action, host);
    if (host.signal.aborted) break;
    run = await afterFlow(next, host);
    await host.save(run, flow.value);
  }
  return run;
}

/** Continues a run with the answer that it waited for. */
export async function answered(run: Run, end: ActionEnd, host: FlowHost): Promise<Run> {
  const { waiting: _, ...rest } = run;
  const going: Run = { ...rest, status: "running" };
  const flow = await host.flow(topOf(run).flow);
  if (!flow.ok) return ended(run, "failed", flow.problem);
  return await afterFlow(advanced(going, flow.value, end, host.evaluate), host);
}

/** Ends the action that called a flow, once that flow has ended. */
async function afterFlow({ returned, ...run }: Run, host: FlowHost): Promise<Run> {
  if (returned === undefined || run.status !== "running") return run;
  const caller = await host.flow(topOf(run).flow);
  if (!caller.ok) return ended(run, "failed", caller.problem);
  return await afterFlow(advanced(run, caller.value, returned, host.evaluate), host);
}

const DONE: ActionEnd = { success: true, content: "" };

async function act(run: Run, flow: Flow, action: Action | undefined, host: FlowHost): Promise<Run> {
  const { variables } = topOf(run);
  const go = (end: ActionEnd, from = run) => advanced(from, flow, end, host.evaluate);
  switch (action?.kind) {
    case undefined:
      return go(DONE);
    case "log":
      return go(DONE, logged(run, `${action.level}: ${renderTemplate(action.text, variables)}`));
    case "set":
      return go(DONE, withVariables(run, { [action.variable]: renderTemplate(action.value, variables) }));
    case "wait":
      return await host.wait(action.seconds) ? go(DONE) : run;
    case "abort":
      return ended(run, "aborted", renderTemplate(action.reason, variables));
    case "shell":
      return go(await host.shell(shellCall(action.command, action.options, variables)));
    case "tool":
      return go(await host.tool(action.name, renderAll(action.args, variables)));
    case "run": {
      const called = await host.flow(action.flow);
      if (!called.ok) return go({ success: false, content: called.problem });
      const given = host.start(called.value, renderAll(action.args, variables));
      return given.ok ? entered(run, called.value, given.value) : go({ success: false, content: given.problem });
    }
    case "prompt": {
      const text = await host.prompt(action.name, renderAll(action.args, variables));
      if (!text.ok) return go({ success: false, content: text.problem });
      return waits(run, { kind: "prompt", text: text.value, expect: action.expect });
    }
    case "ask":
      return waits(run, { kind: "ask", text: renderTemplate(action.question, variables), expect: action.expect });
  }
}

function shellCall(command: Parameters<typeof shellText>[0], options: ShellOptions, variables: Variables): ShellCall {
  const { line, environment } = shellText(command, variables);
  return {
    line,
    environment: { ...renderAll(options.environment, variables), ...environment },
    timeoutSeconds: options.timeoutSeconds,
    directory: options.directory && renderTemplate(options.directory, variables),
  };
}

function waits(run: Run, waiting: Waiting): Run {
  return { ...run, status: "waiting", waiting };
}
