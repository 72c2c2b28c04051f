import { shownValue } from "../../base/text.ts";
import { type LoggingLevel, ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";
import { member } from "../../wire/json_value.ts";
import { ANYTHING } from "./any_params.ts";

/** The levels of the protocol, the least important first (RFC 5424). */
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

/** Answers `logging/setLevel` (C3; docs/design.md, "SDK corrections": wrong parameters). */
export class LogLevel {
  #chosen: LoggingLevel | undefined;

  /** `onChoice` hears each level that the client asks for. */
  constructor(server: Server, onChoice: (level: LoggingLevel) => void = () => {}) {
    server.setRequestHandler("logging/setLevel", { params: ANYTHING }, (params) => {
      const level = member(params, "level");
      const known = knownLevel(level);
      if (known === undefined) {
        const message = `Invalid level ${shownValue(level)}: expected one of ${LEVELS.join(", ")}`;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
      }
      this.#chosen = known;
      onChoice(known);
      return {};
    });
  }

  /** The least important level that the client asked for; undefined: it did not ask. */
  get chosen(): LoggingLevel | undefined {
    return this.#chosen;
  }

  /** Whether the client wants messages of `level`: without a word of it, all. */
  includes(level: LoggingLevel): boolean {
    return isAtLeast(level, this.#chosen ?? "debug");
  }
}

/** The level of that name; undefined: there is none. */
export function knownLevel(value: unknown): LoggingLevel | undefined {
  return LEVELS.find((one) => one === value);
}

/** Whether `level` is as important as `least`, or more. */
export function isAtLeast(level: LoggingLevel, least: LoggingLevel): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}
