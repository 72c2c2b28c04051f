/**
 * Asks a person about what a command was denied, and remembers the answers (S35): one question at a time, equal ones
 * joined, ten a session. No answer, a cancel and a lost client mean no; two refusals of a kind close that kind for the
 * session.
 */
import { Emitter, type Unsubscribe } from "../base/emitter.ts";
import type { AskKind, GrantSubject } from "../base/command/grant_subject.ts";
import { subjectKey } from "../base/command/grant_subject.ts";
import {
  GRANT_ANSWERS,
  type GrantAnswer,
  type SessionGrant,
  type WaitingQuestion,
  type WaitingQuestions,
} from "../base/command/grant_answer.ts";
import type { Outcome } from "../base/outcome.ts";
import type { ConsentEvent } from "./consent_event.ts";
import { questionText, wishText } from "./form.ts";
import { type Given, OpenQuestion } from "./open_question.ts";
import type { Decision, Wish } from "./wish.ts";

/** Grants of earlier sessions (S36). */
export interface KeptConsent {
  subjects(): readonly GrantSubject[];
  /** The problem: it is not kept, and a sentence says why. */
  keep(subject: GrantSubject): Promise<Outcome<void>>;
}

export interface ConsentOptions {
  /** The kinds that are asked for; empty: none. */
  readonly kinds: ReadonlySet<AskKind>;
  /** Undefined: nothing is kept for a project. */
  readonly kept: KeptConsent | undefined;
  /** Records each event before it takes effect. A problem means no: nothing holds that was not recorded. */
  readonly record: (event: ConsentEvent) => Promise<Outcome<void>>;
  /** How long a shown question waits, milliseconds; absent: 55 s. Its commands wait five seconds longer. */
  readonly answerMs?: number;
}

/** The most questions of a session. */
const MOST_QUESTIONS = 10;
/** After this many refusals a kind is closed. */
const MOST_REFUSALS = 2;
const ANSWER_MS = 55_000;
/** A command waits a minute in all: longer than its own form, whose silence means no, but not for a queue of forms. */
const BEYOND_ANSWER_MS = 5_000;

/** Why there is no question; without a reason, its kind is never asked about. */
interface Unasked {
  readonly reason?: string;
  /** True: a person said no. */
  readonly isFinal?: true;
}

export class Consent implements WaitingQuestions {
  readonly #options: ConsentOptions;
  readonly #session = new Map<string, { readonly id: string; readonly subject: GrantSubject }>();
  readonly #once = new WeakMap<object, Set<string>>();
  /** What was logged as used. */
  readonly #used = new WeakMap<object, Set<string>>();
  readonly #refused = new Map<string, Unasked>();
  readonly #refusals = new Map<AskKind, number>();
  readonly #open = new Map<string, OpenQuestion>();
  readonly #changes = new Emitter<void>(() => {});
  #asked = 0;
  /** The last question. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ConsentOptions) {
    this.#options = options;
  }

  /** The grants that last until the server ends, in order. */
  get session(): readonly GrantSubject[] {
    return [...this.#session.values()].map(({ subject }) => subject);
  }

  /** The grants for every command that starts now. */
  get granted(): readonly GrantSubject[] {
    const { kinds, kept } = this.#options;
    return [...this.session, ...kept?.subjects() ?? []].filter(({ kind }) => kinds.has(kind));
  }

  /** Whether a host was granted to a command on some port. */
  isGranted(host: string, run: object): boolean {
    if (!this.#options.kinds.has("network")) return false;
    const isOf = (subject: GrantSubject) => subject.kind === "network" && subject.host === host;
    const once = this.#once.get(run)?.keys().some((key) => isOfHost(key, host)) === true;
    return once || this.session.some(isOf) || this.#options.kept?.subjects().some(isOf) === true;
  }

  /** Why a person is not asked about a host, before the port is known; undefined: a person can be asked. */
  hostProblem(host: string): Unasked | undefined {
    const [refused] = this.#refused.entries().filter(([key]) => isOfHost(key, host)).map(([, why]) => why);
    return refused ?? this.#closed({ kind: "network", host, port: HTTPS });
  }

  /** The kinds that are asked for. */
  get kinds(): ReadonlySet<AskKind> {
    return this.#options.kinds;
  }

  /** The known answer to a wish, without a form; if there is none, a question starts to wait for a terminal. */
  decideNow(wish: Wish): Decision {
    const known = this.#known(wish);
    if (known !== undefined) return known;
    const key = subjectKey(wish.subject);
    return { allowed: false, question: (this.#open.get(key) ?? this.#begin(key, { ...wish, person: undefined })).id };
  }

  /** Asks, if no answer is known. Aborting `signal`, when the command no longer waits, withdraws the question. */
  async decide(wish: Wish, signal: AbortSignal): Promise<Decision> {
    const { subject, run } = wish;
    const waiting = AbortSignal.any([signal, AbortSignal.timeout(this.#answerMs + BEYOND_ANSWER_MS)]);
    for (;;) {
      const known = this.#known(wish);
      if (known?.allowed === true) return await this.#use(wish, known);
      if (known !== undefined) return known;
      const key = subjectKey(subject);
      const open = this.#open.get(key) ?? this.#begin(key, wish);
      if (open.way === "terminal") return { allowed: false, question: open.id };
      wish.onForm(subject);
      const { answer, reason } = await open.join(waiting);
      if (answer === "no") return { allowed: false, ...refusal(reason) };
      // A grant for another command's single use does not count here.
      if (answer === "once" && open.run === run) add(this.#once, run, key);
    }
  }

  list(): readonly WaitingQuestion[] {
    return [...this.#open.values()].map(({ id, wish: { subject, by }, asked }) => ({
      id,
      text: questionText(subject, by),
      answers: this.#answers.filter((answer) =>
        answer !== "once" || this.#open.get(subjectKey(subject))?.way === "form"
      ),
      asked,
    }));
  }

  answer(id: string, answer: GrantAnswer): string | undefined {
    const open = this.#open.values().find((one) => one.id === id);
    if (open === undefined) return `No question "${id}" waits for an answer here`;
    if (!this.#answers.includes(answer)) return "Nothing is kept for this project here: answer for this session";
    if (answer === "once" && open.way === "terminal") {
      return "Its command has ended: answer for this session, or the project";
    }
    open.answer({ answer, from: "terminal" });
    return undefined;
  }

  sessionGrants(): readonly SessionGrant[] {
    return [...this.#session.values()].map(({ id, subject }) => ({ id, text: wishText(subject) }));
  }

  subscribe(listener: () => void): Unsubscribe {
    return this.#changes.subscribe(listener);
  }

  async takeBack(id: string): Promise<string | undefined> {
    const found = this.#session.values().find((one) => one.id === id);
    if (found === undefined) return `Nothing was allowed for this session as "${id}"`;
    await this.revoke(found.subject);
    return undefined;
  }

  /** Revokes a grant of this session; false: there is none. */
  async revoke(subject: GrantSubject): Promise<boolean> {
    const had = this.#session.delete(subjectKey(subject));
    if (had) await this.#options.record({ event: "revoked", subject });
    if (had) this.#changes.emit();
    return had;
  }

  get #answerMs(): number {
    return this.#options.answerMs ?? ANSWER_MS;
  }

  get #answers(): readonly GrantAnswer[] {
    return this.#options.kept === undefined ? GRANT_ANSWERS.filter((one) => one !== "project") : GRANT_ANSWERS;
  }

  /** Undefined: a person must be asked. */
  #known({ subject, run }: Wish): Decision | undefined {
    const answer = this.#granted(subject, run);
    if (answer !== undefined) return { allowed: true, answer };
    const closed = this.#closed(subject);
    return closed && { allowed: false, ...closed };
  }

  async #use({ subject, run, by }: Wish, decision: Decision): Promise<Decision> {
    const key = subjectKey(subject);
    if (this.#used.get(run)?.has(key) === true) return decision;
    add(this.#used, run, key);
    const written = await this.#options.record({ event: "use", subject, by });
    return written.ok ? decision : { allowed: false, reason: written.problem };
  }

  #granted(subject: GrantSubject, run: object): Exclude<GrantAnswer, "no"> | undefined {
    const { kinds, kept } = this.#options;
    const key = subjectKey(subject);
    if (!kinds.has(subject.kind)) return undefined;
    if (this.#once.get(run)?.has(key)) return "once";
    if (this.#session.has(key)) return "session";
    return kept?.subjects().some((one) => subjectKey(one) === key) === true ? "project" : undefined;
  }

  /** Why a person is not asked; undefined: a person is asked. */
  #closed(subject: GrantSubject): Unasked | undefined {
    const { kind } = subject;
    const key = subjectKey(subject);
    if (!this.#options.kinds.has(kind)) return {};
    const refused = this.#refused.get(key);
    if (refused !== undefined) return refused;
    if (this.#open.has(key)) return undefined;
    if ((this.#refusals.get(kind) ?? 0) >= MOST_REFUSALS) return { reason: CLOSED };
    return this.#asked >= MOST_QUESTIONS ? { reason: TOO_MANY } : undefined;
  }

  #begin(key: string, wish: Wish): OpenQuestion {
    this.#asked++;
    const way = wish.person?.canBeAsked === true ? "form" : "terminal";
    const open = new OpenQuestion({ id: `q_${crypto.randomUUID().slice(0, 6)}`, way, wish, answers: this.#answers });
    this.#open.set(key, open);
    this.#changes.emit();
    const put = () => open.put(this.#answerMs);
    const { id } = open;
    const settled = this.#options.record({ event: "question", id, by: wish.by, way, subject: wish.subject })
      .then((written) => written.ok ? this.#turnOf(way, put) : open.answer({ answer: "no", reason: written.problem }))
      .then(() => open.given)
      .then((given) => this.#take(key, open, given));
    open.settle(settled);
    return open;
  }

  /** Forms are shown one after the other; questions that wait for a terminal block nothing. */
  #turnOf(way: OpenQuestion["way"], put: () => Promise<void>): Promise<void> {
    if (way === "terminal") return Promise.resolve();
    const turn = this.#turn.then(put);
    this.#turn = turn;
    return turn;
  }

  async #take(key: string, { wish: { subject }, id }: OpenQuestion, given: Given): Promise<Given> {
    const { answer, from, reason, isWithdrawn } = given;
    const event = {
      event: "answer",
      id,
      subject,
      answer,
      ...from !== undefined && { from },
      ...reason !== undefined && { reason },
    } as const;
    const written = await this.#options.record(event);
    const problem = written.ok ? await this.#keep({ id, subject }, answer) : written.problem;
    this.#open.delete(key);
    this.#changes.emit();
    if (problem === undefined && answer !== "no") return given;
    const why = problem ?? reason;
    // The command has ended, and no person said no.
    if (isWithdrawn !== true) {
      this.#refused.set(key, refusal(why));
      this.#refusals.set(subject.kind, (this.#refusals.get(subject.kind) ?? 0) + 1);
    }
    return { answer: "no", ...why !== undefined && { reason: why } };
  }

  /** The problem: why it is not granted. */
  async #keep(
    { id, subject }: { readonly id: string; readonly subject: GrantSubject },
    answer: GrantAnswer,
  ): Promise<string | undefined> {
    if (answer === "session") this.#session.set(subjectKey(subject), { id, subject });
    if (answer !== "project") return undefined;
    const kept = await this.#options.kept?.keep(subject);
    return kept === undefined || kept.ok ? undefined : kept.problem;
  }
}

function add(sets: WeakMap<object, Set<string>>, run: object, key: string): void {
  sets.set(run, (sets.get(run) ?? new Set()).add(key));
}

/** Undefined: a person said no. */
function refusal(reason: string | undefined): Unasked {
  return reason === undefined ? { reason: REFUSED, isFinal: true } : { reason };
}

function isOfHost(key: string, host: string): boolean {
  return key.startsWith(`network ${host}:`);
}

const HTTPS = 443;
const REFUSED = "was refused by the person who was asked";
const CLOSED = "is not asked for: two of its kind were not allowed in this session";
const TOO_MANY = `is not asked for: this session has had its ${MOST_QUESTIONS} questions`;
