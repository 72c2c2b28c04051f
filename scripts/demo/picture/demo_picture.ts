/** `deno task demo:picture`: plays the demonstration and writes what it showed to docs/demo.svg, for docs/guide.md. */
import { Agent } from "../../client/agent.ts";
import { pictureOf } from "./picture.ts";
import { Project } from "../project.ts";
import { Screen } from "../screen.ts";
import { show } from "../show.ts";
import { STEPS } from "../steps.ts";
import { SERVER_RUN_FLAGS } from "../../permissions.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;
const WORDS = ["run", ...SERVER_RUN_FLAGS, `${ROOT}dist/ahma_mcp.mjs`, "--tools-dir", `${ROOT}tools`];
/** Of the demonstration, as the picture has room. */
const SHOWN = STEPS.filter(({ title }) => /^(A synchronous|In the background|The sandbox|Cancel)/.test(title));

Deno.exitCode = await play() ? 0 : 1;

async function play(): Promise<boolean> {
  using project = new Project();
  await using agent = Agent.stdio(project.commandLine(WORDS));
  await agent.connect();
  let text = "";
  const screen = new Screen({ colour: true, write: (some) => text += some });
  screen.title("ahma_mcp", "command-line programs as MCP tools, in the kernel's sandbox");
  const good = await show(SHOWN, { agent, project, screen }, "");
  // The place is that of this run.
  const named = text.replaceAll(project.home, "/home/me").replaceAll(project.directory, "/home/me/project")
    .replaceAll(project.outside, "/home/me/outside.txt").replace(/\n.*All \d+ steps[^\n]*\n/, "\n");
  if (good) await Deno.writeTextFile(`${ROOT}docs/demo.svg`, pictureOf(named));
  else await Deno.stderr.write(new TextEncoder().encode(text));
  return good;
}
