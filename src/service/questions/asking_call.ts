/** A call of 2026-07-28 that may ask before its result (SEP-2322); the client repeats it with answers and state. */
import { LOG_LEVEL_META_KEY, type Result, type ServerContext } from "@modelcontextprotocol/server";
import { failure, success } from "../../base/outcome.ts";
import { isObject, member } from "../../wire/json_value.ts";
import { knownLevel } from "../sdk/log_level.ts";
import type { AskedClient, ClientNotice, ClientOffers, Question, QuestionAnswer } from "./question.ts";
import { ANSWER_MS } from "./session_client.ts";

type Request = ServerContext["mcpReq"];

/** The parts that a call needs. */
export interface AskingParts {
  readonly client: AskedClient;
  /** Aborted when the client cancels the current request, or does not return with its answers. */
  readonly signal: AbortSignal;
  /** The waiting request; undefined: the client has not returned yet, or has its result. */
  readonly request: () => Request | undefined;
}

/** Calls that wait for a client's answer, by the state that the client returns. */
export type HeldCalls = Map<string, AskingCall>;

interface Asked {
  readonly question: Question;
  readonly answered: PromiseWithResolvers<QuestionAnswer>;
}

export class AskingCall {
  /** The fingerprint of the call, so that the state cannot continue another one. */
  readonly #fingerprint: () => string;
  readonly #held: HeldCalls;
  readonly #result: Promise<Result>;
  readonly #end = new AbortController();
  readonly #open = new Map<string, Asked>();
  #hasAsked = Promise.withResolvers<undefined>();
  #request: Request | undefined;
  /** Ends the held call if its client does not come back. */
  #giveUp: ReturnType<typeof setTimeout> | undefined;
  #lastKey = 0;
  #isOver = false;

  /** Begins it; `fingerprint` gives texts that are equal for equal calls only. */
  constructor(
    parts: { readonly fingerprint: () => string; readonly held: HeldCalls; readonly owner: object } & {
      readonly offers: ClientOffers;
      /** The first request. */
      readonly request: Request;
    },
    run: (parts: AskingParts) => Promise<Result>,
  ) {
    const { fingerprint, held, owner, offers, request } = parts;
    this.#fingerprint = fingerprint;
    this.#held = held;
    this.#request = request;
    const isOpen = () => !this.#isOver;
    const client: AskedClient = {
      owner,
      offers,
      get canAsk() {
        return isOpen();
      },
      // In this version each request says which log messages it wants.
      logLevel: knownLevel(member(request.envelope, LOG_LEVEL_META_KEY)),
      notify: (notice) => this.#notify(notice),
      ask: (question, signal) => this.#ask(question, signal),
    };
    this.#result = run({ client, signal: this.#end.signal, request: () => this.#request });
    // Its failure becomes the failure of the waiting request.
    this.#result.catch(() => {}).finally(() => this.#isOver = true);
  }

  /** Takes the call that is held under `state`; undefined: there is none with this fingerprint. */
  static heldAs(held: HeldCalls, state: string, fingerprint: () => string): AskingCall | undefined {
    const call = held.get(state);
    if (call === undefined || call.#fingerprint() !== fingerprint()) return undefined;
    held.delete(state);
    clearTimeout(call.#giveUp);
    return call;
  }

  /** Answers `request`, which may bring answers, with the result or further questions. */
  async answer(request: Request): Promise<Result> {
    this.#request = request;
    const cancel = () => this.#end.abort();
    request.signal.addEventListener("abort", cancel, { once: true });
    if (request.signal.aborted) cancel();
    this.#take(request.inputResponses ?? {});
    const result = await Promise.race([this.#result, this.#hasAsked.promise]);
    request.signal.removeEventListener("abort", cancel);
    this.#request = undefined;
    return result ?? this.#questions();
  }

  /** This version cannot tell a user that an address is no longer needed. */
  #notify({ method, params }: ClientNotice): void {
    if (method !== "notifications/message") return;
    // A client that has gone reads nothing.
    this.#request?.notify({ method, params: { ...params } }).catch(() => {});
  }

  #ask(question: Question, signal: AbortSignal): Promise<QuestionAnswer> {
    if (this.#isOver) return Promise.resolve(failure(IN_BACKGROUND));
    const key = `question_${++this.#lastKey}`;
    const answered = Promise.withResolvers<QuestionAnswer>();
    this.#open.set(key, { question, answered });
    signal.addEventListener("abort", () => this.#settle(key, failure("The question was taken back")), { once: true });
    this.#hasAsked.resolve(undefined);
    return answered.promise;
  }

  #settle(key: string, answer: QuestionAnswer): void {
    this.#open.get(key)?.answered.resolve(answer);
    this.#open.delete(key);
  }

  /** Answers all questions: the client has been told each of them. */
  #take(answers: Readonly<Record<string, unknown>>): void {
    this.#hasAsked = Promise.withResolvers();
    for (const key of [...this.#open.keys()]) {
      const answer = answers[key];
      this.#settle(key, isObject(answer) ? success(answer) : failure("The client came back without an answer"));
    }
  }

  #questions(): Result {
    const state = crypto.randomUUID();
    this.#held.set(state, this);
    const giveUp = setTimeout(() => {
      this.#held.delete(state);
      this.#end.abort();
    }, ANSWER_MS);
    Deno.unrefTimer(giveUp);
    this.#giveUp = giveUp;
    const inputRequests = Object.fromEntries([...this.#open].map(([key, { question }]) => [key, question]));
    return { resultType: "input_required", inputRequests, requestState: state };
  }
}

const IN_BACKGROUND = "The call goes on as an operation, and this version of the protocol asks during a request only";
