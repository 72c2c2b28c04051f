/** The tool that runs flows (K7). */
import type { ToolDefinition } from "./tool_definition.ts";

export const FLOW_TOOLS: readonly ToolDefinition[] = [
  {
    name: "flow",
    title: "Run a workflow",
    description: "Runs a workflow of the project. Shell steps and decisions run by themselves; a step that needs you " +
      'ends the call with its instruction, and you go on with run_id and result. flow_name "list" shows workflows and ' +
      'their parameters, "status" the runs. Runs survive a restart.',
    parameters: [
      { name: "flow_name", type: { kind: "text" }, description: 'Workflow to start, or "list" or "status".' },
      { name: "parameters", type: { kind: "object" }, description: "Of the workflow." },
      { name: "run_id", type: { kind: "text" }, description: "Run to go on with." },
      { name: "result", type: { kind: "text" }, description: "Your answer to its step." },
      {
        name: "outcome",
        type: { kind: "choice", values: ["success", "failure"] },
        description: "How the step went. Default success.",
      },
      { name: "variables", type: { kind: "object" }, description: "Variables to set." },
      { name: "abort", type: { kind: "text" }, description: "Reason to end the run." },
      { name: "dry_run", type: { kind: "flag" }, description: "Show the plan, run nothing." },
      { name: "format", type: { kind: "choice", values: ["text", "json"] }, description: "" },
      { name: "verbose", type: { kind: "flag" }, description: "Also the states so far." },
    ],
    readOnly: false,
  },
];
