import { truncateCounting } from "../base/text.ts";
import type { LogFields } from "../base/log.ts";
import { writtenOut } from "../base/visible_text.ts";
import { redactFields, redactText } from "./redact.ts";

const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = typeof LOG_LEVELS[number];

/** One thing that happened. */
export interface LogRecord {
  readonly time: Date;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields | undefined;
  /** Identifies the run, because several write to one file. */
  readonly session: string;
}

const COLOURS: Readonly<Record<LogLevel, string>> = {
  debug: "\x1b[2m",
  info: "\x1b[36m",
  warn: "\x1b[33m",
  error: "\x1b[31m",
};
const RESET = "\x1b[0m";

/** The longest line, in characters. */
const LONGEST_LINE = 8192;

/** Cut only after secrets are out: a secret cut in half would not be recognised. */
const SLACK = 1024;

/**
 * A record as one line with its line feed: time (UTC), level, session, message, fields as JSON. Secrets are redacted
 * and control characters escaped, so that output of a command can neither forge a line nor colour it; only the
 * level is coloured, where asked for (requirement L8).
 */
export function formatLine(record: LogRecord, { colour }: { readonly colour: boolean }): string {
  const level = record.level.toUpperCase().padEnd(5);
  const shown = colour ? COLOURS[record.level] + level + RESET : level;
  const fields = record.fields === undefined ? "" : ` ${JSON.stringify(redactFields(record.fields))}`;
  const message = redactText(record.message.slice(0, LONGEST_LINE + SLACK));
  return `${record.time.toISOString()} ${shown} ${record.session} ${
    truncateCounting(escapeControls(message + fields), LONGEST_LINE)
  }\n`;
}

function escapeControls(text: string): string {
  return writtenOut(text).replaceAll("\n", "\\u000a").replaceAll("\t", "\\u0009");
}
