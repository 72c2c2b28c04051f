import type { CommandEnd } from "../../base/command/command_end.ts";
import type { CommandHooks, CommandRequest, OpenShell } from "../command_runner.ts";

/** Runs a request in a shell; only a line can run there. */
export async function runWithin(
  shell: OpenShell,
  { run, directory, environment }: CommandRequest,
  hooks: CommandHooks,
): Promise<CommandEnd> {
  if (!("shell" in run)) return { kind: "not_started", message: "A session runs lines only", fault: "server" };
  const target = directory === shell.directory ? undefined : directory;
  return await shell.run({ line: run.shell, directory: target, environment }, hooks);
}
