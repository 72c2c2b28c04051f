/**
 * The log of one run (L8): records stay in memory until the first answer is out, and are then written asynchronously
 * to a daily file in the user's cache directory, or to stderr. It makes private files, removes old ones, redacts, and
 * loads nothing at start.
 */
import { encodeText } from "../base/text.ts";
import { writeAll } from "../base/write_all.ts";
import { messageOf } from "../base/errors.ts";
import type { LogFields, Logger } from "../base/log.ts";
import { openDailyFile } from "./daily_file.ts";
import { LineQueue, type LineTarget } from "./line_queue.ts";
import { formatLine, type LogLevel, type LogRecord } from "./log_line.ts";

export interface LogOptions {
  /** Stderr instead of the daily file. */
  readonly toStderr: boolean;
  /** With `debug` lines. */
  readonly debug: boolean;
  /** Directory of the daily files; undefined: none is known, which `warn` reports. */
  readonly directory: string | undefined;
  /** Colour the level; only ever with `toStderr`. */
  readonly colour: boolean;
  /** Writes one sentence to stderr, when the log itself fails. */
  readonly warn: (sentence: string) => void;
  /** Absent: the clock. */
  readonly now?: () => Date;
}

/** A log and its end: disposing of it writes the rest. */
export interface Log extends AsyncDisposable {
  readonly logger: Logger;
  /** Begins to write; until then records wait in memory. */
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
  if (options.directory === undefined) throw new Error("Neither XDG_CACHE_HOME nor HOME says where it belongs");
  return openDailyFile(options.directory, now);
}

const STDERR: LineTarget = {
  write: (text) => writeAll(Deno.stderr, encodeText(text)),
  close() {},
};
