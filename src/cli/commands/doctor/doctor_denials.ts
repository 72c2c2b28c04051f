/** `doctor --denials` (L11): what the sandbox denied lately, by the audit log, and the settings that would allow it. */
import { counted } from "../../../base/text.ts";
import { UserError } from "../../../base/errors.ts";
import { printNameList } from "../../../base/network/name_list.ts";
import { shorten } from "../../../base/visible_text.ts";
import { userSettingsPath } from "../../../settings/settings_files.ts";
import { absolutePath } from "../../../system/paths.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { print } from "../../terminal/print.ts";
import { readLog, sinceMs } from "../audit/log_lines.ts";
import { type DeniedSubject, DeniedSubjects, type ProposedSettings, proposedSettings } from "../audit/proposal.ts";

const MOST_SHOWN = 40;

/** Resolves with the exit code. @throws {UsageError} when the words are wrong, {UserError} when there is no log */
export async function doctorDenials({ settings, environment, flags }: CommandContext): Promise<number> {
  const [since = "7d"] = flags.get("since") ?? [];
  const agoMs = sinceMs(since);
  if (settings.auditLog === undefined) {
    throw new UserError("Cannot tell what was denied: no audit log is kept. Start servers with --audit-log FILE");
  }
  const path = absolutePath(settings.auditLog, Deno.cwd());
  const denied = new DeniedSubjects();
  const { problem } = await readLog(path, Date.now() - agoMs, (line) => denied.add(line));
  if (problem !== undefined) throw new UserError(`Cannot read the audit log "${path}": ${problem}`);
  const subjects = denied.found;
  const { reads, writes, confinement: { names } } = settings.sandbox;
  const values = proposedSettings(subjects, {
    read: reads,
    write: writes,
    network: names.map((rule) => printNameList([rule])),
  });
  const file = userSettingsPath(environment);
  if (flags.has("json")) {
    await print(`${JSON.stringify({ since, denials: subjects, settings: { file, values } }, null, 2)}\n`);
  } else await print(reportText({ since, subjects, values, file }));
  return 0;
}

function reportText({ since, subjects, values, file }: {
  readonly since: string;
  readonly subjects: readonly DeniedSubject[];
  readonly values: ProposedSettings;
  readonly file: string | undefined;
}): string {
  if (subjects.length === 0) return `Nothing was denied in the last ${since}.\n`;
  const lines = subjects.slice(0, MOST_SHOWN).map(({ subject, times, tools, flag, isRisky }) => {
    const advice = flag === undefined
      ? "no flag opens it"
      : isRisky
      ? `${shorten(flag)} (left out below)`
      : shorten(flag);
    return `  ${counted(times, "time")}  ${shorten(subject)}  by ${tools.slice(0, 3).join(", ")}: ${advice}`;
  });
  const more = subjects.length > MOST_SHOWN ? [`  and ${subjects.length - MOST_SHOWN} more`] : [];
  const proposal = Object.keys(values).length === 0 ? ["No setting is proposed."] : [
    `Settings that would have allowed the rest, for ${file ?? "the settings file"}; read them first:`,
    "",
    `  ${JSON.stringify(values)}`,
  ];
  return [`Denied in the last ${since}:`, "", ...lines, ...more, "", ...proposal, ""].join("\n");
}
