/** `doctor --denials` (L11): what the sandbox denied lately, by the audit log, and the settings that would allow it. */
import { counted } from "../../../../base/text.ts";
import { messageOf, UserError } from "../../../../base/errors.ts";
import { printNameList } from "../../../../base/network/name_list.ts";
import { shorten } from "../../../../base/visible_text.ts";
import { userSettingsPath } from "../../../../settings/settings_files.ts";
import { absolutePath } from "../../../../system/paths.ts";
import type { CommandContext } from "../../../terminal/command_context.ts";
import { print } from "../../../terminal/print.ts";
import { sinceMs } from "../../../terminal/since.ts";
import { type DeniedSubject, deniedSubjects, type ProposedSettings, proposedSettings } from "./proposal.ts";

const LONGEST_LOG = 256 * 1024 * 1024;
const MOST_SHOWN = 40;

/** Resolves with the exit code. @throws {UsageError} when the words are wrong, {UserError} when there is no log */
export async function doctorDenials({ settings, environment, flags }: CommandContext): Promise<number> {
  const [since = "7d"] = flags.get("since") ?? [];
  const agoMs = sinceMs(since);
  if (settings.auditLog === undefined) {
    throw new UserError("Cannot tell what was denied: no audit log is kept. Start servers with --audit-log FILE");
  }
  const path = absolutePath(settings.auditLog, Deno.cwd());
  const subjects = deniedSubjects(await linesOf(path), Date.now() - agoMs);
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

/** Each line of the log as it was written. @throws {UserError} When it cannot be read. */
async function linesOf(path: string): Promise<readonly unknown[]> {
  try {
    const { size } = await Deno.stat(path);
    if (size > LONGEST_LOG) throw new UserError(`Cannot read the audit log "${path}": it is larger than 256 MiB`);
    const text = await Deno.readTextFile(path);
    return text.split("\n").filter((line) => line.includes('"denials"')).flatMap((line) => parsed(line));
  } catch (thrown) {
    if (thrown instanceof UserError) throw thrown;
    throw new UserError(`Cannot read the audit log "${path}": ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** A line that was cut off is none. */
function parsed(line: string): readonly unknown[] {
  try {
    return [JSON.parse(line)];
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return [];
    throw thrown;
  }
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
