/** The log of a run that starts commands, and the warnings before the start (requirements L8, S14). */
import { userDirectory } from "../../system/user_directories.ts";
import { VERSION } from "../../base/version.ts";
import { createLog, type Log } from "../../logging/log.ts";
import { isInOpenTree, openTrees } from "../../app/writable_trees.ts";
import { printProblem } from "./print.ts";
import type { CommandContext } from "./command_context.ts";

const NO_SANDBOX =
  "Sandbox off (--no-sandbox): commands run with all your permissions and can read and change anything you can";

/** Warning at the start of a third-party server without a sandbox (S3). */
export const NO_SANDBOX_SERVER =
  "Sandbox off for the third-party server (--no-sandbox-server): it runs with all your permissions and can change anything you can";

type RunLogOptions = Pick<CommandContext, "settings" | "warnings" | "environment">;

/** Opens the log, and writes the warnings to it and to stderr. */
export function openRunLog({ settings, warnings, environment }: RunLogOptions): Log {
  const caches = userDirectory(environment, "XDG_CACHE_HOME");
  const directory = caches === undefined ? undefined : `${caches}/ahma_mcp/logs`;
  const open = settings.sandbox.enforce && directory !== undefined &&
    isInOpenTree(directory, openTrees(settings.sandbox, environment));
  if (open && !settings.logToStderr) {
    void printProblem(
      `Warning: the log is not written: commands can write to "${directory}", and a link there could redirect it`,
    );
  }
  const log = createLog({
    toStderr: settings.logToStderr,
    debug: settings.debug,
    directory: open ? undefined : directory,
    colour: Deno.stderr.isTerminal() && (environment["NO_COLOR"] ?? "") === "",
    warn: (sentence) => void (open || printProblem(sentence)),
  });
  log.logger.info("Starting", { version: VERSION, pid: Deno.pid });
  for (const warning of settings.sandbox.enforce ? warnings : [NO_SANDBOX, ...warnings]) {
    log.logger.warn(warning);
    if (!settings.logToStderr) void printProblem(`Warning: ${warning}`);
  }
  return log;
}
