/** Asks the person at a call's client for what its command is denied (S35). */
import type { CommandEnd } from "../../base/command/command_end.ts";
import type { Unallowed, UnlistedHosts } from "../../base/command/unlisted_hosts.ts";
import type { Consent } from "../../consent/consent.ts";
import { type Asked, type Decision, type Wish, wishesOf } from "../../consent/wish.ts";
import type { CommandHooks, CommandRequest, SessionRunner } from "../../process/command_runner.ts";
import type { PathQuestions } from "./path_questions.ts";
import { RunnerDecorator } from "./runner_decorator.ts";

/** Names beyond the list that one command may look up: each takes an address of its session. */
const MOST_NAMES = 64;

export class AskingRunner extends RunnerDecorator {
  readonly #consent: Consent;
  readonly #paths: PathQuestions | undefined;

  /** `paths`: undefined where none can be opened while the server runs. */
  constructor(inner: SessionRunner, consent: Consent, paths: PathQuestions | undefined) {
    super(inner);
    this.#consent = consent;
    this.#paths = paths;
  }

  /** Commands of no operation ask nothing. */
  override async run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    const ended = new AbortController();
    const asked = wishesOf(ended, request, hooks);
    if (asked === undefined) return await this.inner.run(request, hooks);
    try {
      const asking = { ...hooks, unlisted: this.#unlisted(asked, ended.signal) };
      return await (this.#paths === undefined
        ? this.inner.run(request, asking)
        : this.#askingForPaths(this.#paths, asked, request, asking));
    } finally {
      ended.abort();
    }
  }

  async #askingForPaths(
    paths: PathQuestions,
    asked: Asked,
    request: CommandRequest,
    hooks: CommandHooks,
  ): Promise<CommandEnd> {
    const run = (one: CommandRequest, with_: CommandHooks) => this.inner.run(one, with_);
    const first = await paths.run(request, hooks, run);
    const { end, allowed } = await paths.ask(first, asked, { request, signal: hooks.signal });
    const mayRunAgain = allowed?.kind === "read" && request.isRepeatable === true && !hooks.signal.aborted;
    return mayRunAgain ? await paths.runAgain(allowed, request, hooks, run) : end;
  }

  #unlisted(asked: Asked, ended: AbortSignal): UnlistedHosts {
    const names = new Set<string>();
    const wish = (host: string, port: number): Wish => ({ ...asked, subject: { kind: "network", host, port } });
    return {
      mayConnect: (host) => {
        const canAsk = asked.person?.canBeAsked === true && this.#consent.hostProblem(host) === undefined;
        if (!canAsk && !this.#consent.isGranted(host, asked.run)) return false;
        if (names.size < MOST_NAMES) names.add(host);
        return names.has(host);
      },
      refuse: (host) => this.#consent.hostProblem(host) ?? unallowed(this.#consent.decideNow(wish(host, HTTPS))) ?? {},
      decide: async (host, port, signal) =>
        unallowed(await this.#consent.decide(wish(host, port), AbortSignal.any([signal, ended]))),
    };
  }
}

const HTTPS = 443;

function unallowed(decision: Decision): Unallowed | undefined {
  return decision.allowed ? undefined : decision;
}
