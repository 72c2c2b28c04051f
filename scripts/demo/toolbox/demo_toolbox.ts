/**
 * `deno task demo:toolbox`: native tools at work in a temporary project. Every step checks that it did what it says; the
 * exit code is 0 only then. Nothing is left behind.
 */
import { Agent } from "../../client/agent.ts";
import { Project } from "../project.ts";
import { DEMO_FLAGS, ownScreen, show } from "../show.ts";
import { prepareToolbox, TOOLBOX_STEPS } from "./toolbox_steps.ts";
import { SERVER_RUN_FLAGS } from "../../permissions.ts";

const BUNDLE = new URL("../../../dist/ahma_mcp.mjs", import.meta.url).pathname;

const screen = ownScreen();
screen.title("ahma_mcp --bundles toolbox", "files, workflows, issues and changes, each call inside the sandbox");
using project = new Project();
prepareToolbox(project);
await using agent = Agent.stdio(
  project.commandLine(["run", ...SERVER_RUN_FLAGS, "--allow-net", BUNDLE, "--bundles", "toolbox", ...DEMO_FLAGS]),
);
Deno.exitCode = await show(TOOLBOX_STEPS, { agent, project, screen }, "Next: docs/toolbox.md.") ? 0 : 1;
