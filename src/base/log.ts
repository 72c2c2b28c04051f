/** Facts that go with a log line; values must be JSON. Secrets are redacted by the sink. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where a room writes its log lines. The composer passes it in; the program logs in no other way. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** A logger that drops everything. */
export const SILENT: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
};
