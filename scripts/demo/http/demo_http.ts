/**
 * `deno task demo:http`: one server over HTTP with several agents, each in a directory, a process and a sandbox of its
 * own. Every step checks that it did what it says; the exit code is 0 only then. Nothing is left behind.
 */
import { HttpServer } from "../../client/http_server.ts";
import { HTTP_STEPS, type HttpStage } from "./http_steps.ts";
import { Project } from "../project.ts";
import { DEMO_FLAGS, ownScreen, show } from "../show.ts";
import { HTTP_PERMISSIONS, SERVER_RUN_FLAGS } from "../../permissions.ts";

const BUNDLE = new URL("../../../dist/ahma_mcp.mjs", import.meta.url).pathname;
const WORDS = [
  "run",
  ...SERVER_RUN_FLAGS,
  ...HTTP_PERMISSIONS,
  BUNDLE,
  "--mode",
  "http",
  "--http-port",
  "0",
  ...DEMO_FLAGS,
];

Deno.exitCode = await demonstrate() ? 0 : 1;

async function demonstrate(): Promise<boolean> {
  const screen = ownScreen();
  screen.title("ahma_mcp --mode http", "many agents, one address, a sandbox for each");
  if (Deno.build.os !== "linux") {
    screen.end("A process and a sandbox for each session (--session-isolation) need Linux", { good: false });
    return false;
  }
  using project = new Project();
  await using server = new HttpServer(
    project.commandLine([...WORDS, "--session-isolation", "--sandbox-scope", project.directory]),
  );
  const stage: HttpStage = { server, project, screen, agents: [] };
  try {
    return await show(HTTP_STEPS, stage, "Next: docs/http.md.");
  } finally {
    for (const { agent } of stage.agents) await agent[Symbol.asyncDispose]();
  }
}
