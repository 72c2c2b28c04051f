import { shownValue } from "../../base/text.ts";
import { type LoggingLevel, ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";
import { ANYTHING, member } from "../../wire/lenient_params.ts";

/** The levels of the protocol, the least important first (RFC 5424). */
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

/**
 * Answers `logging/setLevel` (C3). The SDK's own handler answers a level that does not exist with -32603 and a dump of
 * its validator; the specification wants -32602.
 */
export class LogLevel {
  /** Until the client says otherwise, everything. */
  #least: LoggingLevel = "debug";

  constructor(server: Server) {
    server.setRequestHandler("logging/setLevel", { params: ANYTHING }, (params) => {
      const level = member(params, "level");
      const known = LEVELS.find((one) => one === level);
      if (known === undefined) {
        const message = `Invalid level ${shownValue(level)}: expected one of ${LEVELS.join(", ")}`;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
      }
      this.#least = known;
      return {};
    });
  }

  /** Whether the client wants to hear of `level`. */
  includes(level: LoggingLevel): boolean {
    return LEVELS.indexOf(level) >= LEVELS.indexOf(this.#least);
  }
}
