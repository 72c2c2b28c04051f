/** Asks the person at a call's client for what its command is denied (S35). */
import type { CommandEnd } from "../../base/command/command_end.ts";
import type { HostSubject } from "../../base/command/grant_subject.ts";
import type { Unallowed, UnlistedHosts } from "../../base/command/unlisted_hosts.ts";
import type { Consent } from "../../consent/consent.ts";
import type { Decision, Wish } from "../../consent/wish.ts";
import type { CommandHooks, CommandRequest, SessionRunner } from "../../process/command_runner.ts";
import { RunnerDecorator } from "./runner_decorator.ts";

/** Names beyond the list that one command may look up: each takes an address of its session. */
const MOST_NAMES = 64;

export class AskingRunner extends RunnerDecorator {
  readonly #consent: Consent;

  constructor(inner: SessionRunner, consent: Consent) {
    super(inner);
    this.#consent = consent;
  }

  /** Commands of no operation ask nothing. */
  override async run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    const { operation, run } = request;
    if (operation === undefined) return await this.inner.run(request, hooks);
    const ended = new AbortController();
    const command = "shell" in run ? run.shell : run.argv.join(" ");
    const asked: Omit<Wish, "subject"> = {
      by: { command, tool: operation.tool, operation: operation.id },
      run: ended,
      person: hooks.person,
    };
    try {
      return await this.inner.run(request, { ...hooks, unlisted: this.#unlisted(asked, ended.signal) });
    } finally {
      ended.abort();
    }
  }

  #unlisted(asked: Omit<Wish, "subject">, ended: AbortSignal): UnlistedHosts {
    const names = new Set<string>();
    const wish = (host: string, port: number): Wish => ({ ...asked, subject: hostAt(host, port) });
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

function hostAt(host: string, port: number): HostSubject {
  return { kind: "network", host, port };
}

function unallowed(decision: Decision): Unallowed | undefined {
  return decision.allowed ? undefined : decision;
}
