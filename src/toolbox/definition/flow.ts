/** The tool that runs flows (K7). */
import { choice, flag, object, text } from "./kinds.ts";
import type { ToolDefinition } from "./tool_definition.ts";

export const FLOW_TOOLS = [
  {
    name: "flow",
    title: "Run a workflow",
    description: "Runs a workflow of the project. Shell steps and decisions run by themselves; a step that needs you " +
      'ends the call with its instruction, and you go on with run_id and result. flow_name "list" shows workflows and ' +
      'their parameters, "status" the runs. Runs survive a restart.',
    parameters: [
      text("flow_name", 'Workflow to start, or "list" or "status".'),
      object("parameters", "Of the workflow."),
      text("run_id", "Run to continue."),
      text("result", "Your answer to the step."),
      choice("outcome", ["success", "failure"], "How the step went. Default success."),
      object("variables", "Variables to set."),
      text("abort", "Reason to end the run."),
      flag("dry_run", "Show the plan, run nothing."),
      choice("format", ["text", "json"]),
      flag("verbose", "Also the states so far."),
    ],
    readOnly: false,
  },
] as const satisfies readonly ToolDefinition[];
