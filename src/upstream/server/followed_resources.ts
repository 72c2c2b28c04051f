/** The resources whose changes a server is to tell, for as long as a client wants them. */
import type { Answer } from "../../child_server/pending_calls.ts";
import type { Link, LinkRequest } from "../link/link.ts";

const TIMEOUT_MS = 30_000;

export class FollowedResources {
  /** By how many each is wanted. */
  readonly #wanted = new Map<string, number>();

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

  /** Ends one `follow`; with the last the server is told, where it is connected. */
  unfollow(uri: string, link: Promise<Link> | undefined): void {
    const left = (this.#wanted.get(uri) ?? 0) - 1;
    if (left > 0) return void this.#wanted.set(uri, left);
    this.#wanted.delete(uri);
    tell(link, subscription("unsubscribe", uri));
  }

  /** Asks a server that knows nothing of them any more. */
  again(link: Promise<Link> | undefined): void {
    for (const uri of this.#wanted.keys()) tell(link, subscription("subscribe", uri));
  }
}

/** A server that cannot be connected is told when it can. */
function tell(link: Promise<Link> | undefined, request: LinkRequest): void {
  void link?.then((opened) => opened.request(request), () => {});
}

function subscription(what: "subscribe" | "unsubscribe", uri: string): LinkRequest {
  return { method: `resources/${what}`, params: { uri }, timeoutMs: TIMEOUT_MS };
}
