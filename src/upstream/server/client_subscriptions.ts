/** What clients subscribe to at a server: changes of resources, and log messages; for each connection to it. */
import { LOG_LEVEL_META_KEY, type LoggingLevel } from "@modelcontextprotocol/server";
import type { Answer } from "../../child_server/pending_calls.ts";
import type { Link, LinkRequest } from "../link/link.ts";

const TIMEOUT_MS = 30_000;
const MODERN = "2026-07-28";

export class ClientSubscriptions {
  /** How many clients want each. */
  readonly #wanted = new Map<string, number>();
  #level: LoggingLevel | undefined;

  /** How many there are. */
  get size(): number {
    return this.#wanted.size;
  }

  /** Asks the server, by `send`; its answer. */
  async follow(uri: string, send: (request: LinkRequest) => Promise<Answer>): Promise<Answer> {
    const answer = await send(subscription("subscribe", uri));
    if ("result" in answer) this.#wanted.set(uri, (this.#wanted.get(uri) ?? 0) + 1);
    return answer;
  }

  /** Ends one `follow`; after the last one a connected server is notified. */
  unfollow(uri: string, link: Promise<Link> | undefined): void {
    const left = (this.#wanted.get(uri) ?? 0) - 1;
    if (left > 0) return void this.#wanted.set(uri, left);
    this.#wanted.delete(uri);
    tell(link, subscription("unsubscribe", uri));
  }

  /** Asks a server that has lost them. */
  again(link: Promise<Link> | undefined): void {
    for (const uri of this.#wanted.keys()) tell(link, subscription("subscribe", uri));
    this.#tellLevel(link);
  }

  /** The level of log messages from now on. */
  setLevel(level: LoggingLevel, link: Promise<Link> | undefined): void {
    this.#level = level;
    this.#tellLevel(link);
  }

  /** The parameters of a request. Since 2026-07-28 each says which log messages it wants: `own`, else those that all clients want. */
  inParams(params: LinkRequest["params"], { hello }: Link, own: LoggingLevel | undefined): LinkRequest["params"] {
    const level = own ?? this.#level;
    if (level === undefined || hello.protocolVersion < MODERN) return params;
    return { ...params, _meta: { [LOG_LEVEL_META_KEY]: level } };
  }

  #tellLevel(link: Promise<Link> | undefined): void {
    const level = this.#level;
    void link?.then(async (opened) => {
      if (level === undefined || !("logging" in opened.hello.capabilities)) return;
      if (opened.hello.protocolVersion >= MODERN) return;
      await opened.request({ method: "logging/setLevel", params: { level }, timeoutMs: TIMEOUT_MS });
    }, () => {});
  }
}

/** A server that cannot be reached now is notified once it is connected. */
function tell(link: Promise<Link> | undefined, request: LinkRequest): void {
  void link?.then((opened) => opened.request(request), () => {});
}

function subscription(what: "subscribe" | "unsubscribe", uri: string): LinkRequest {
  return { method: `resources/${what}`, params: { uri }, timeoutMs: TIMEOUT_MS };
}
