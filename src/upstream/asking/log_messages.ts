/** Log messages of a server for the client it works for (C3): named, bounded, and only where wanted. */
import type { Logger } from "../../base/log.ts";
import { shorten, visibleStart } from "../../base/visible_text.ts";
import type { AskedClient } from "../../service/questions/question.ts";
import { isAtLeast, knownLevel } from "../../service/sdk/log_level.ts";
import { member } from "../../wire/json_value.ts";
import type { ServerSpec } from "../config/server_spec.ts";
import { cleaned } from "../definitions/definition.ts";

/** Messages that are passed on per second; a server may send without end. */
const MOST_IN_SECOND = 50;
/** Characters of the data as JSON; a longer one is cut to a text. */
const LONGEST_DATA = 16 * 1024;

export class LogMessages {
  readonly #spec: Pick<ServerSpec, "name" | "logs">;
  readonly #log: Logger;
  #second = 0;
  #sent = 0;

  constructor(spec: Pick<ServerSpec, "name" | "logs">, log: Logger) {
    this.#spec = spec;
    this.#log = log;
  }

  /** Takes the parameters of `notifications/message`; undefined: no client wants it, or several could. */
  forward(params: unknown, client: AskedClient | undefined): void {
    const { name, logs } = this.#spec;
    const level = knownLevel(member(params, "level"));
    if (level === undefined || this.#isFlood()) return;
    const data = bounded(member(params, "data"));
    this.#log.debug("A server wrote to its log", { server: name, level, data });
    // Unless the client or the configuration asks for it, no foreign text is shown.
    const least = client?.logLevel ?? (logs === true ? "debug" : undefined);
    if (logs === false || least === undefined || !isAtLeast(level, least)) return;
    const theirs = member(params, "logger");
    const logger = typeof theirs === "string" ? `${name}/${shorten(theirs)}` : name;
    client?.notify({ method: "notifications/message", params: { level, logger, data } });
  }

  #isFlood(): boolean {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) this.#sent = 0;
    this.#second = second;
    return ++this.#sent > MOST_IN_SECOND;
  }
}

function bounded(data: unknown): unknown {
  const text = JSON.stringify(data) ?? "null";
  return text.length > LONGEST_DATA ? visibleStart(text, LONGEST_DATA) : cleaned(data);
}
