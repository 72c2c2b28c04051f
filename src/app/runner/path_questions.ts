/** Asks a person for paths that commands were denied, once they have ended, and opens what is allowed to others (S35). */
import type { CommandEnd } from "../../base/command/command_end.ts";
import type { Denial } from "../../base/command/denial.ts";
import type { GrantAnswer } from "../../base/command/grant_answer.ts";
import { pinKey, type PinnedSubject, subjectKey } from "../../base/command/grant_subject.ts";
import type { Logger } from "../../base/log.ts";
import { shorten } from "../../base/visible_text.ts";
import type { Consent } from "../../consent/consent.ts";
import { deniedSubjects } from "../../consent/denied_subject.ts";
import type { Asked } from "../../consent/wish.ts";
import type { CommandHooks, CommandRequest } from "../../process/command_runner.ts";
import { isWithin } from "../../system/paths.ts";
import type { PathGrants } from "./allowing_runner.ts";

export interface PathQuestionsOptions {
  readonly consent: Consent;
  readonly grants: PathGrants;
  /** The user's, canonical; undefined: unknown. */
  readonly home: string | undefined;
  /** Files of the server's that no command may be able to write. */
  readonly closed: readonly string[];
  /** Gets what becomes open to commands. */
  readonly onUse: (subject: PinnedSubject) => void;
  readonly log: Logger;
}

/** What became of the question that a command's end led to. */
interface Settled {
  readonly end: CommandEnd;
  /** What it may use now; undefined: nothing new. */
  readonly allowed: PinnedSubject | undefined;
}

/** Commands that were allowed something once and have not come again; the oldest is forgotten. */
const MOST_ONCE = 10;

export class PathQuestions {
  readonly #options: PathQuestionsOptions;
  /** By command: what it may use when it comes again. */
  readonly #once = new Map<string, PinnedSubject>();
  /** What the system could not open, and why. */
  readonly #impossible = new Map<string, string>();
  #settled = "";
  #settling: Promise<void> = Promise.resolve();

  constructor(options: PathQuestionsOptions) {
    this.#options = options;
  }

  /** Runs a command under what is allowed by now. `run`: how, where nothing is allowed to it alone. */
  async run(
    request: CommandRequest,
    hooks: CommandHooks,
    run: (request: CommandRequest, hooks: CommandHooks) => Promise<CommandEnd>,
  ): Promise<CommandEnd> {
    await this.#settle();
    const key = keyOf(request);
    const once = request.within === undefined ? this.#once.get(key) : undefined;
    if (once === undefined) return await run(request, hooks);
    this.#once.delete(key);
    return await this.#options.grants.runWith([once], request, hooks);
  }

  /** Asks about one path that the command was denied, and reports the outcome in its end. */
  async ask(
    end: CommandEnd,
    asked: Asked,
    { request, signal }: { readonly request: CommandRequest; readonly signal: AbortSignal },
  ): Promise<Settled> {
    const found = this.#askable(end.denials ?? []);
    if (found === undefined || signal.aborted) return { end, allowed: undefined };
    const { denial, subject } = found;
    const { consent } = this.#options;
    await this.#forgetOthersAt(subject);
    const decision = await consent.decide({ ...asked, subject }, signal);
    const withFacts = (facts: Pick<Denial, "question" | "answer">) => ({
      ...end,
      denials: (end.denials ?? []).map((one): Denial => one === denial ? { ...one, ...facts } : one),
    });
    if (!decision.allowed) {
      const { reason, question } = decision;
      const answer = reason === undefined ? {} : { answer: `It ${reason}` };
      return { end: withFacts({ ...question !== undefined && { question }, ...answer }), allowed: undefined };
    }
    if (decision.answer === "once") this.#keepOnce(keyOf(request), subject);
    else await this.#settle();
    const problem = this.#impossible.get(pinKey(subject));
    if (problem !== undefined) {
      return {
        end: withFacts({ answer: `A person allowed it, but it cannot be opened: ${problem}` }),
        allowed: undefined,
      };
    }
    return { end: withFacts({ answer: allowedNow(subject, decision.answer, request) }), allowed: subject };
  }

  /** Runs it again with what was just allowed. */
  async runAgain(
    allowed: PinnedSubject,
    request: CommandRequest,
    hooks: CommandHooks,
    run: (request: CommandRequest, hooks: CommandHooks) => Promise<CommandEnd>,
  ): Promise<CommandEnd> {
    hooks.say?.(`[reading ${shown(allowed)} is allowed now: run again]`);
    return await this.run(request, hooks, run);
  }

  /** Makes all that is allowed now, and no more, hold for commands that start later. */
  #settle(): Promise<void> {
    const { consent, grants } = this.#options;
    const wanted = consent.granted.flatMap((subject): readonly PinnedSubject[] => {
      if (!("path" in subject)) return [];
      const now = grants.pin(subject);
      if (now === undefined) return [];
      const pinned = { ...subject, identity: subject.identity ?? now.identity };
      const isThere = subject.kind === "protected" || pinKey(now) === pinKey(pinned);
      return isThere && !this.#impossible.has(pinKey(pinned)) ? [pinned] : [];
    });
    const key = wanted.map(pinKey).join("\n");
    if (key === this.#settled) return this.#settling;
    this.#settled = key;
    return this.#settling = this.#open(wanted);
  }

  async #open(wanted: readonly PinnedSubject[]): Promise<void> {
    const { grants, onUse, log } = this.#options;
    for (const one of wanted) onUse(one);
    if (await grants.settle(wanted) === undefined) return;
    const held: PinnedSubject[] = [];
    for (const one of wanted) {
      const problem = await grants.settle([...held, one]);
      if (problem === undefined) held.push(one);
      else {
        this.#impossible.set(pinKey(one), problem);
        log.warn("What a person allowed cannot be opened", { path: one.path, problem });
      }
    }
    await grants.settle(held);
    this.#settled = held.map(pinKey).join("\n");
  }

  #askable(denials: readonly Denial[]): { readonly denial: Denial; readonly subject: PinnedSubject } | undefined {
    const { consent, grants, home, closed } = this.#options;
    for (const denial of denials) {
      for (const subject of deniedSubjects(denial, { kinds: consent.kinds, home })) {
        const pinned = grants.pin(subject);
        const isClosed = subject.kind === "write" && closed.some((one) => isWithin(one, subject.path));
        if (pinned !== undefined && !isClosed) return { denial, subject: pinned };
      }
    }
    return undefined;
  }

  /** What was allowed for the path ends when another file is there. */
  async #forgetOthersAt(subject: PinnedSubject): Promise<void> {
    const { consent } = this.#options;
    for (const one of consent.session) {
      if (!("path" in one) || one.kind === "protected" || subjectKey(one) !== subjectKey(subject)) continue;
      const { identity } = one;
      if (identity !== undefined && pinKey({ ...one, identity }) !== pinKey(subject)) await consent.revoke(one);
    }
  }

  #keepOnce(key: string, subject: PinnedSubject): void {
    const [oldest] = this.#once.keys();
    if (this.#once.size >= MOST_ONCE && oldest !== undefined) this.#once.delete(oldest);
    this.#once.set(key, subject);
  }
}

function keyOf({ run, directory }: CommandRequest): string {
  return JSON.stringify([run, directory]);
}

const WHAT = { read: "Reading", write: "Changing", protected: "Changing" } as const;
const HOW_LONG = {
  once: "for one more run of this command",
  session: "for this session",
  project: "always for this project",
} as const;

/** A sentence without its end. */
function allowedNow(
  subject: PinnedSubject,
  answer: Exclude<GrantAnswer, "no">,
  { within }: Pick<CommandRequest, "within">,
): string {
  const where = within === undefined ? "call again" : "call again, outside this named shell or in a new one";
  return `${WHAT[subject.kind]} ${shown(subject)} is allowed now, ${HOW_LONG[answer]}: ${where}`;
}

function shown({ path }: PinnedSubject): string {
  return JSON.stringify(shorten(path));
}
