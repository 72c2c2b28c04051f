import { shownValue } from "../../base/text.ts";
import { type LoggingLevel, ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";
import { member } from "../../wire/json_value.ts";
import { ANYTHING } from "./any_params.ts";

/** The levels of the protocol, the least important first (RFC 5424). */
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

/** Answers `logging/setLevel` (C3; docs/design.md, "SDK corrections": wrong parameters). */
export class LogLevel {
  /** The default is every level. */
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

  /** Whether the client asked for messages of `level`. */
  includes(level: LoggingLevel): boolean {
    return LEVELS.indexOf(level) >= LEVELS.indexOf(this.#least);
  }
}
