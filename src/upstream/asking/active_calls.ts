/** The calls that a server works on, and the clients that its own requests are for (O2). */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { Answer } from "../../child_server/pending_calls.ts";
import { type AskedClient, modeOf, type Question, takes } from "../../service/questions/question.ts";
import { shorten } from "../../base/visible_text.ts";
import type { ServerSpec } from "../config/server_spec.ts";
import { addressId, askedQuestion } from "./asked_question.ts";
import type { ActiveCall } from "./active_call.ts";
import { isObject, member } from "../../wire/json_value.ts";

/** How many unanswered questions to clients a server may have. */
const MOST_OPEN = 8;
/** Characters of a method name, which the server chooses freely. */
const LONGEST_METHOD = 80;
const METHOD_NOT_FOUND = -32601;
/** The specification's code for a completion that the user did not want. */
const REJECTED = -1;
/** The question, worded for the result of a call. */
const WHAT: Readonly<Record<string, string>> = {
  "elicitation/create": "asked the user something",
  "sampling/createMessage": "asked for a completion of the client's model",
};

export class ActiveCalls {
  readonly #spec: ServerSpec;
  readonly #calls = new Set<ActiveCall>();
  readonly addresses: OpenAddresses;
  /** Questions that a client has not answered. */
  #open = 0;
  /** Of the last call. */
  #last: AskedClient | undefined;
  /** Whether different clients have called. */
  #hasSeveral = false;

  constructor(spec: ServerSpec) {
    this.#spec = spec;
    this.addresses = new OpenAddresses(spec.name);
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Counts `call` as active until `work` settles. */
  async during<Value>(call: ActiveCall, work: () => Promise<Value>): Promise<Value> {
    this.#calls.add(call);
    this.#hasSeveral ||= this.#last !== undefined && this.#last.owner !== call.client?.owner;
    this.#last = call.client;
    try {
      return await work();
    } finally {
      this.#calls.delete(call);
    }
  }

  /** The client whose call the server works on, or its only client so far; undefined: unknown. */
  get onlyClient(): AskedClient | undefined {
    if (this.#calls.size === 0) return this.#hasSeveral ? undefined : this.#last;
    const target = this.#target([...this.#calls]);
    return target.ok ? target.value.client : undefined;
  }

  /** Answers a request during `call` (undefined: unknown, then of the only active client). Never rejects. */
  async answer(method: string, params: unknown, call?: ActiveCall): Promise<Answer> {
    const concerned = call === undefined ? [...this.#calls] : [call];
    const refuse = (why: string) => {
      const what = `Server "${this.#spec.name}" ${
        WHAT[method] ?? `requested ${shorten(method, LONGEST_METHOD)}`
      }, which was refused: ${why}.`;
      for (const one of concerned) one.noteRefused({ text: what, isOwn: concerned.length === 1 });
      return what;
    };
    const asked = askedQuestion(this.#spec, method, params);
    const target = asked.ok ? this.#target(concerned) : asked;
    if (!asked.ok || !target.ok) return refusal(method, refuse(target.ok ? "" : target.problem));
    const { client, silence, signal, questions } = target.value;
    if (client === undefined || !takes(client.offers, asked.value)) {
      return refusal(method, refuse("the client does not take such questions"));
    }
    if (this.#open >= MOST_OPEN) return refusal(method, refuse(`it has ${MOST_OPEN} open questions`));
    const problem = questions.refusal(asked.value.method);
    if (problem !== undefined) return refusal(method, refuse(problem));
    this.addresses.opened(asked.value, client);
    this.#open++;
    const asking = client.ask(asked.value, AbortSignal.any([signal, questions.signal]));
    const answer = await silence.during(asking).finally(() => this.#open--);
    const isAccepted = answer.ok && (method === "sampling/createMessage" || answer.value["action"] === "accept");
    if (!isAccepted) questions.declined();
    if (answer.ok) return { result: answer.value };
    const what = refuse(answer.problem);
    return method === "elicitation/create" ? { result: { action: "cancel" } } : refusal(method, what, REJECTED);
  }

  /** The newest call of the only client; with several clients the right user is unknown. */
  #target(concerned: readonly ActiveCall[]): Outcome<ActiveCall> {
    const last = concerned.at(-1);
    if (last === undefined) return failure("it works on no call");
    const owners = new Set(concerned.map(({ client }) => client?.owner));
    return owners.size === 1 ? success(last) : failure("calls of several clients are in flight");
  }
}

function refusal(method: string, message: string, code = METHOD_NOT_FOUND): Answer {
  return method === "elicitation/create" ? { result: { action: "decline" } } : { error: { code, message } };
}

/** The error of a server that needs the user to open an address first. */
const URL_NEEDED = -32042;
const CANNOT_BE_USED = -32000;

/** The answer; such an error becomes one that says what came of its questions, which `ask` puts. The call is not repeated. */
export async function afterAddresses(answer: Answer, ask: (question: object) => Promise<Answer>): Promise<Answer> {
  const wanted = "error" in answer && answer.error.code === URL_NEEDED ? member(answer.error.data, "elicitations") : [];
  const questions = Array.isArray(wanted) ? wanted.filter(isObject).map((one) => ({ ...one, mode: "url" })) : [];
  if (questions.length === 0) return answer;
  const answers = await Promise.all(questions.map(ask));
  const agreed = answers.every((one) => "result" in one && one.result["action"] === "accept");
  const message = agreed
    ? "The user opens an address of the server: repeat the call when the user is done there"
    : "The server wants the user to open an address first, which did not happen";
  return { error: { code: CANNOT_BE_USED, message } };
}

/** How many addresses are remembered; the oldest ones are forgotten. */
const MOST = 100;

/** Addresses that a server has sent users to: it may say later that it is done with one (2025-11-25). */
class OpenAddresses {
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
