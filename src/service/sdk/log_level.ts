import { shownValue } from "../../base/text.ts";
import type { LoggingLevel } from "@modelcontextprotocol/server";
import { RequestError, RequestErrorCode } from "../../wire/request_error.ts";

/** The levels of the protocol, the least important first (RFC 5424). */
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

/** What `logging/setLevel` chooses (C3; docs/design.md, "SDK corrections": wrong parameters). */
export class LogLevel {
  #chosen: LoggingLevel | undefined;
  readonly #onChoice: (level: LoggingLevel) => void;

  /** `onChoice` is called with each level that the client asks for. */
  constructor(onChoice: (level: LoggingLevel) => void = () => {}) {
    this.#onChoice = onChoice;
  }

  /** @throws {RequestError} -32602 for what is not a level */
  choose(level: unknown): void {
    const known = knownLevel(level);
    if (known === undefined) {
      const message = `Invalid level ${shownValue(level)}: expected one of ${LEVELS.join(", ")}`;
      throw new RequestError(RequestErrorCode.InvalidParams, message);
    }
    this.#chosen = known;
    this.#onChoice(known);
  }

  /** The lowest level that the client asked for; undefined: it did not ask. */
  get chosen(): LoggingLevel | undefined {
    return this.#chosen;
  }

  /** Whether the client wants messages of `level`; by default it gets all. */
  includes(level: LoggingLevel): boolean {
    return isAtLeast(level, this.#chosen ?? "debug");
  }
}

/** The level of that name; undefined: there is none. */
export function knownLevel(value: unknown): LoggingLevel | undefined {
  return LEVELS.find((one) => one === value);
}

/** Whether `level` is at least as important as `least`. */
export function isAtLeast(level: LoggingLevel, least: LoggingLevel): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}
