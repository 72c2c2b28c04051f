/**
 * `deno task demo`: the server at work, started and spoken to as an editor or agent would do it, in a temporary git
 * project. Every step checks that it did what it says; the exit code is 0 only then. Nothing is left behind.
 */
import { Project } from "./demo/project.ts";
import { Screen } from "./demo/screen.ts";
import { Session } from "./demo/session.ts";
import { STEPS } from "./demo/steps.ts";
import { SERVER_RUN_FLAGS } from "./permissions.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const SERVER = [Deno.execPath(), "run", ...SERVER_RUN_FLAGS, `${ROOT}dist/ahma_mcp.mjs`, "--tools-dir", `${ROOT}tools`];

const encoder = new TextEncoder();
const screen = new Screen({
  colour: Deno.stdout.isTerminal() && !Deno.noColor,
  write: (text) => Deno.stdout.writeSync(encoder.encode(text)),
});

Deno.exitCode = await demonstrate() ? 0 : 1;

async function demonstrate(): Promise<boolean> {
  using project = new Project();
  await using session = new Session(project, SERVER);
  screen.title("ahma_mcp", "command-line programs as MCP tools, in the kernel's sandbox");
  for (const [index, { title, play }] of STEPS.entries()) {
    screen.step(index + 1, title);
    try {
      await play({ session, project, screen });
    } catch (error) {
      screen.bad(error instanceof Error ? error.message : String(error));
      screen.end(`Stopped at step ${index + 1} of ${STEPS.length}`, { good: false });
      return false;
    }
  }
  screen.end(`All ${STEPS.length} steps did what they say. Next: README.md shows how your editor gets this.`, {
    good: true,
  });
  return true;
}
