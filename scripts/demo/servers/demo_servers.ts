/**
 * `deno task demo:servers`: one entry in the client, and behind it a server from npm and one from PyPI, each in a sandbox
 * of its own. Every step checks that it did what it says; the exit code is 0 only then. Nothing is left behind.
 */
import { officialServer, testCache } from "../../../tests/_support/packages/npm_tools.ts";
import { pythonPackage } from "../../../tests/_support/packages/python_packages.ts";
import { Agent } from "../../client/agent.ts";
import { Project } from "../project.ts";
import { HONEST, IDLE_SECONDS, SERVERS_STEPS, type ServersStage, WAIT_MS } from "./servers_steps.ts";
import { ownScreen, show } from "../show.ts";
import { SERVER_RUN_FLAGS } from "../../permissions.ts";

const BUNDLE = new URL("../../../dist/ahma_mcp.mjs", import.meta.url).pathname;
const NOTES = await Deno.readTextFile(new URL("notes_server.py", import.meta.url));
const PYTHON_SDK = "1.30.0";

Deno.exitCode = await demonstrate() ? 0 : 1;

async function demonstrate(): Promise<boolean> {
  const screen = ownScreen();
  screen.title("ahma_mcp --mcp-config servers.json", "other people's servers, confined, remembered and pinned");
  const [{ python, ...pypi }, everything] = await Promise.all([
    pythonPackage("mcp", PYTHON_SDK),
    officialServer("everything"),
  ]);
  const problem = pypi.problem ?? everything.problem;
  if (problem !== undefined) {
    screen.end(`A server is not to be had: ${problem}`, { good: false });
    return false;
  }
  using project = new Project();
  const write = (name: string, text: string) => {
    Deno.writeTextFileSync(`${project.directory}/${name}`, text);
    return `${project.directory}/${name}`;
  };
  const description = write("description.txt", HONEST);
  const servers = {
    everything: { command: everything.command[0], waitMs: WAIT_MS },
    notes: {
      command: python,
      args: [write("notes.py", NOTES), description],
      write: ["scope"],
      network: "none",
      idleSeconds: IDLE_SECONDS,
    },
  };
  const config = write("servers.json", JSON.stringify({ mcpServers: servers }));
  const flags = ["--mcp-config", config, "--read", testCache()];
  const words = (more: readonly string[]) =>
    project.commandLine(["run", ...SERVER_RUN_FLAGS, BUNDLE, ...more, ...flags]);
  await using agent = Agent.stdio(words([]));
  const stage: ServersStage = {
    agent,
    project,
    screen,
    description,
    servers: async (more) => {
      const { command, args, directory, environment } = words(["servers", ...more]);
      const run = new Deno.Command(command, {
        args: [...args],
        cwd: directory,
        clearEnv: true,
        env: { ...environment },
      });
      const { success, stdout } = await run.output();
      return { succeeded: success, text: new TextDecoder().decode(stdout) };
    },
  };
  return await show(SERVERS_STEPS, stage, "Next: docs/servers.md.");
}
