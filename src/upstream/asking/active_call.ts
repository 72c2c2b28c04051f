/** One call that a server works on (O2): how long it may be silent, its questions, and what was refused. */
import type { Answer } from "../../child_server/pending_calls.ts";
import type { AskedClient, Question } from "../../service/questions/question.ts";
import type { LinkRequest } from "../link/link.ts";

/** A request that a server works on for a client. */
export interface ServerCall {
  readonly request: Omit<LinkRequest, "timeoutMs">;
  /** Undefined: no client can be asked. */
  readonly client: AskedClient | undefined;
  /** Why it is not sent, checked once the newest list of the server is known; undefined: it is sent. */
  readonly problem: () => string | undefined;
}

export interface CallAnswer {
  readonly answer: Answer;
  readonly refused: readonly Refused[];
}

/** A request of the server that was refused. */
export interface Refused {
  /** A sentence with the reason. */
  readonly text: string;
  /** Whether it asked for this very call; false: for one of several open calls. */
  readonly isOwn: boolean;
}

/** Refused requests that the result of a call reports. */
const MOST_REFUSED = 20;

export class ActiveCall {
  /** Undefined: no client accepts questions. */
  readonly client: AskedClient | undefined;
  readonly silence: SilenceLimit;
  readonly questions: CallQuestions = new CallQuestions();
  /** Aborted when the call ends early: its client cancels, or the server is silent too long. */
  readonly signal: AbortSignal;
  readonly #refused: Refused[] = [];

  /** `signal`: of the client's request; undefined: nothing cancels it. */
  constructor({ client, request: { signal } }: Pick<ServerCall, "client" | "request">, silentMs: number) {
    this.client = client;
    this.silence = new SilenceLimit(silentMs);
    this.signal = AbortSignal.any([this.silence.signal, ...signal === undefined ? [] : [signal]]);
  }

  get refused(): readonly Refused[] {
    return this.#refused;
  }

  /** Notes what was refused to the server, up to a limit. */
  noteRefused(refused: Refused): void {
    if (this.#refused.length < MOST_REFUSED) this.#refused.push(refused);
  }
}

/** Questions that one call may ask; a completion by itself asks no person. */
const MOST: Readonly<Record<Question["method"], number>> = { "elicitation/create": 20, "sampling/createMessage": 100 };
/** How many questions of a call may be declined, cancelled or left unanswered. */
const MOST_DECLINED = 2;

/** The questions of one call: limits their number, and asks no more after a person has refused twice. */
export class CallQuestions {
  readonly #put = { "elicitation/create": 0, "sampling/createMessage": 0 };
  readonly #end = new AbortController();
  #declined = 0;

  /** Aborted when no more questions are asked: open ones are withdrawn. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Why a question is not asked; undefined: it is asked, and counts. */
  refusal(method: Question["method"]): string | undefined {
    if (this.#declined >= MOST_DECLINED) return `${MOST_DECLINED} of its questions in this call were not accepted`;
    if (this.#put[method] >= MOST[method]) return `it has put ${MOST[method]} of these questions in this call`;
    this.#put[method]++;
    return undefined;
  }

  /** Must be called when a question was declined, cancelled or left unanswered. */
  declined(): void {
    this.#declined++;
    if (this.#declined >= MOST_DECLINED) this.#end.abort();
  }
}

/** How long a server may be silent in a call: restarts with each progress, and pauses while a person is asked. */
export class SilenceLimit {
  readonly #ms: number;
  readonly #end = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #holds = 0;

  /** Begins with the first restart. */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Aborted when the server was silent too long. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  restart(): void {
    clearTimeout(this.#timer);
    if (this.#holds === 0) this.#timer = setTimeout(() => this.#end.abort(), this.#ms);
  }

  /** Stops the clock while `work` runs. */
  async during<Value>(work: Promise<Value>): Promise<Value> {
    this.#holds++;
    clearTimeout(this.#timer);
    try {
      return await work;
    } finally {
      this.#holds--;
      this.restart();
    }
  }

  stop(): void {
    this.#holds = Infinity;
    clearTimeout(this.#timer);
  }
}
