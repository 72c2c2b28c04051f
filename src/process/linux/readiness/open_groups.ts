/** Asks the kernel for control groups by making one and starting a process in it (S38). */
import { messageOf } from "../../../base/errors.ts";
import { failure, type Outcome } from "../../../base/outcome.ts";
import { groupTable } from "../../../sandbox/launcher/policy_table.ts";
import type { ControlFiles } from "../../../system/open_files/control_files.ts";
import type { Processor } from "../../../system/syscalls.ts";
import { ControlGroups } from "../../groups/control_groups.ts";
import type { GroupLimits } from "../../groups/group_usage.ts";
import type { Spawner } from "../../spawn.ts";
import { describeFailure } from "../launch/launcher_reports.ts";
import { runTrial } from "../network/maker.ts";

export interface GroupsQuestion {
  readonly spawner: Spawner;
  readonly files: ControlFiles;
  readonly processor: Processor;
  readonly limits: GroupLimits;
}

/** The groups that launches get from now on. The problem is why they get none. */
export async function openGroups(
  { spawner, files, processor, limits }: GroupsQuestion,
): Promise<Outcome<ControlGroups>> {
  const directoriesIn = (path: string) => spawner.directoriesIn(path);
  const opened = ControlGroups.open({ files, limits, directoriesIn, uid: Deno.uid() ?? -1 });
  if (!opened.ok) return opened;
  spawner.useGroups(opened.value);
  const problem = await tryGroup(spawner, processor);
  if (problem === undefined) return opened;
  spawner.useGroups(undefined);
  opened.value[Symbol.dispose]();
  return failure(problem);
}

const NOT_STARTED = "this system starts no processes in control groups";

async function tryGroup(spawner: Spawner, processor: Processor): Promise<string | undefined> {
  try {
    const table = groupTable({ processor, serverPid: Deno.pid });
    const { code, failed } = await runTrial(spawner, table);
    if (code === 0) return undefined;
    return failed === undefined ? NOT_STARTED : describeFailure(failed, table.steps, "a command");
  } catch (thrown) {
    return messageOf(thrown);
  }
}
