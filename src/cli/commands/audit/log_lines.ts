/** The lines of audit logs, in bounded memory whatever their size (V1). */
import { messageOf, UsageError } from "../../../base/errors.ts";
import { isObject, parseJson } from "../../../wire/json_value.ts";
import { textLines } from "../../../wire/message_reader.ts";

/** Bytes; the line of the longest command is shorter. */
const LONGEST_LINE = 4 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;
/** The beginning of each line, so that old lines need not be parsed. */
const TIME = '{"time":"';
const TIME_LENGTH = "2026-03-02T10:00:00.000Z".length;

/** A line as it was written. */
export type AuditLine = Readonly<Record<string, unknown>>;

/** What was read of a file. */
export interface ReadLog {
  readonly path: string;
  readonly lines: number;
  /** Lines that are cut off, too long, or not of a log. */
  readonly bad: number;
  /** Why it could not be read; absent: it could. */
  readonly problem?: string;
}

/** Passes each line since a time to `take`. `since`: milliseconds since 1970. Never rejects because of a file. */
export async function readLog(path: string, since: number, take: (line: AuditLine) => void): Promise<ReadLog> {
  const earliest = new Date(since).toISOString();
  let [lines, bad] = [0, 0];
  const takeText = (text: string | undefined) => {
    if (text === "") return;
    lines++;
    if (text?.startsWith(TIME) && text.slice(TIME.length, TIME.length + TIME_LENGTH) < earliest) return;
    const parsed = text === undefined ? undefined : parseJson(text);
    const line = parsed?.ok === true && isObject(parsed.value) ? parsed.value : undefined;
    const time = Date.parse(String(line?.["time"]));
    if (line === undefined || Number.isNaN(time) || typeof line["event"] !== "string") bad++;
    else if (time >= since) take(line);
  };
  try {
    using file = await Deno.open(path);
    const splitter = textLines(LONGEST_LINE);
    const buffer = new Uint8Array(READ_BYTES);
    for (let length = await file.read(buffer); length !== null; length = await file.read(buffer)) {
      for (const text of splitter.push(buffer.subarray(0, length))) takeText(text);
    }
    if (splitter.begun !== undefined) takeText(splitter.end());
    return { path, lines, bad };
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return { path, lines, bad, problem: messageOf(thrown) };
  }
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** How long ago `--since` means, milliseconds. @throws {UsageError} When it says no time. */
export function sinceMs(since: string): number {
  const [, count, unit = ""] = /^(\d{1,4})([hdw])$/.exec(since) ?? [];
  if (count !== undefined) return Number(count) * (UNITS[unit] ?? 0);
  throw new UsageError(`Cannot use --since "${since}": expected hours, days or weeks, as in 12h, 7d, 2w`);
}
