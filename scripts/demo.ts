/**
 * `deno task demo`: shows the server at work in a temporary git project, started and called as an editor or agent would.
 * Every step checks its own result, and the exit code is 0 only if all succeed. Nothing is left behind.
 */
import { Agent } from "./client/agent.ts";
import { Project } from "./demo/project.ts";
import { DEMO_FLAGS, ownScreen, show } from "./demo/show.ts";
import { STEPS } from "./demo/steps.ts";
import { SERVER_RUN_FLAGS } from "./permissions.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const WORDS = ["run", ...SERVER_RUN_FLAGS, `${ROOT}dist/ahma_mcp.mjs`, "--tools-dir", `${ROOT}tools`, ...DEMO_FLAGS];

Deno.exitCode = await demonstrate() ? 0 : 1;

async function demonstrate(): Promise<boolean> {
  using project = new Project();
  await using agent = Agent.stdio(project.commandLine(WORDS));
  const screen = ownScreen();
  screen.title("ahma_mcp", "command-line programs as MCP tools, in the kernel's sandbox");
  return await show(STEPS, { agent, project, screen }, "Next: README.md shows how your editor gets this.");
}
