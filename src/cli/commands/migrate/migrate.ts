/** `migrate` (K6): copies the notes, prompts, workflows and rules of SwissArmyHammer to `.ahma`, through the worker. */
import { compose } from "../../../app/compose_service.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { printResult } from "../../terminal/print.ts";
import { openRunLog } from "../../terminal/run_log.ts";

/** Our own directory is protected: this run alone may write to all of it, because a person asked for it. */
const OWN = ".ahma";

/** Copies, or with `--dry-run` tells what it would copy; resolves with the exit code. */
export async function migrate(
  { settings: given, flags, environment, warnings, stop }: CommandContext,
): Promise<number> {
  const { sandbox } = given;
  const settings = {
    ...given,
    bundles: ["toolbox"],
    pool: false,
    hotReload: false,
    sandbox: { ...sandbox, allowProtected: [...sandbox.allowProtected, OWN] },
  };
  await using log = openRunLog({ settings, warnings, environment });
  await using program = await compose({ settings, environment, log: log.logger });
  log.start();
  const result = await program.toolbox.migrate({ dryRun: flags.has("dry-run"), signal: stop });
  await printResult(result);
  return result.isError === true ? 1 : 0;
}
