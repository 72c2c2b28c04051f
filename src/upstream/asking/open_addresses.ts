/** Addresses that a server has sent users to: it may say later that it is done with one (2025-11-25). */
import { type AskedClient, modeOf, type Question } from "../../service/questions/question.ts";
import { member } from "../../wire/json_value.ts";
import { addressId } from "./asked_question.ts";

/** Addresses that are remembered; the oldest ones are forgotten. */
const MOST = 100;

export class OpenAddresses {
  readonly #server: string;
  readonly #clients = new Map<unknown, AskedClient>();

  constructor(server: string) {
    this.#server = server;
  }

  /** Notes which client was sent where; does nothing for other questions. */
  opened({ params }: Question, client: AskedClient): void {
    const id = params["elicitationId"];
    if (modeOf(params) !== "url" || id === undefined) return;
    this.#clients.delete(id);
    this.#clients.set(id, client);
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > MOST) this.#clients.delete(oldest);
  }

  /** Takes the parameters of `notifications/elicitation/complete`; the client that was sent there is notified once. */
  completed(params: unknown): void {
    const elicitationId = addressId(this.#server, member(params, "elicitationId"));
    this.#clients.get(elicitationId)?.notify({
      method: "notifications/elicitation/complete",
      params: { elicitationId },
    });
    this.#clients.delete(elicitationId);
  }
}
