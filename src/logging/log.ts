/**
 * The log of one run (L8): records stay in memory until the first answer is written. They are then written
 * asynchronously to a private daily file in the user's cache directory, or to stderr. Secrets are redacted, old files
 * removed, and nothing is loaded at start.
 */
import { encodeText, truncateCounting } from "../base/text.ts";
import { writeAll } from "../base/write_all.ts";
import { messageOf } from "../base/errors.ts";
import type { LogFields, Logger } from "../base/log.ts";
import { openDailyFile } from "./daily_file.ts";
import { LineQueue, type LineTarget } from "./line_queue.ts";
import { writtenOut } from "../base/visible_text.ts";
import { redactFields, redactText } from "./redact.ts";

export interface LogOptions {
  /** Stderr instead of the daily file. */
  readonly toStderr: boolean;
  /** With `debug` lines. */
  readonly debug: boolean;
  /** Directory of the daily files; undefined: none is known, which `warn` reports. */
  readonly directory: string | undefined;
  /** Colours the level; used only with `toStderr`. */
  readonly colour: boolean;
  /** Writes one sentence to stderr, when the log itself fails. */
  readonly warn: (sentence: string) => void;
  /** Absent: the clock. */
  readonly now?: () => Date;
}

/** A log and its end: disposing of it writes the rest. */
export interface Log extends AsyncDisposable {
  readonly logger: Logger;
  /** Starts to write; until then records wait in memory. */
  start(): void;
}

/** Makes the log of this run. */
export function createLog(options: LogOptions): Log {
  const now = options.now ?? (() => new Date());
  const session = crypto.randomUUID().slice(0, 8);
  const colour = options.toStderr && options.colour;
  const queue = new LineQueue<LogRecord>({
    format: (record) => formatLine(record, { colour }),
    open: () => openTarget(options, now),
    onFailure: (thrown) => options.warn(`Cannot write the log: ${messageOf(thrown)}; use "--log-to-stderr" to see it`),
  });
  const record = (level: LogLevel) => (message: string, fields?: LogFields) => {
    queue.add({ time: now(), level, message, fields, session });
  };
  return {
    logger: {
      debug: options.debug ? record("debug") : () => {},
      info: record("info"),
      warn: record("warn"),
      error: record("error"),
    },
    start: () => queue.start(),
    [Symbol.asyncDispose]: () => queue.close(),
  };
}

function openTarget(options: LogOptions, now: () => Date): Promise<LineTarget> {
  if (options.toStderr) return Promise.resolve(STDERR);
  if (options.directory === undefined) throw new Error("Neither XDG_CACHE_HOME nor HOME names a directory for it");
  return openDailyFile(options.directory, now);
}

const STDERR: LineTarget = {
  write: (text) => writeAll(Deno.stderr, encodeText(text)),
  close() {},
};

type LogLevel = "debug" | "info" | "warn" | "error";

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

/** Truncated only after redaction: half a secret would not be recognized. */
const SLACK = 1024;

/**
 * A record as one line with its line feed: time (UTC), level, session, message, fields as JSON. Secrets are redacted
 * and control characters escaped, so that output of a command can neither forge a line nor colour it. Only the level
 * is coloured, if requested (requirement L8).
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
