/** Commands that get signatures of the user's ssh agent (S42): which, each one written down, and what was refused in the result. */
import { ASKED_ACCOUNT, type LoginSubject } from "../../base/command/grant_subject.ts";
import type { CommandEnd } from "../../base/command/command_end.ts";
import type { Denial, OperationDenial } from "../../base/command/denial.ts";
import type { RunningCommand } from "../../base/command/running_command.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { shorten } from "../../base/visible_text.ts";
import type { CommandHooks, CommandRequest, SessionRunner } from "../../process/command_runner.ts";
import type { Consent } from "../../consent/consent.ts";
import { type Asked, type Decision, wishesOf } from "../../consent/wish.ts";
import { heldFlags } from "../../settings/policy/held.ts";
import type { Policy } from "../../settings/policy/policy.ts";
import { type HostName, hostsIn, printHost } from "../../ssh_agent/hosts/host_name.ts";
import type { KnownHosts } from "../../ssh_agent/hosts/known_hosts.ts";
import type { Purpose } from "../../ssh_agent/judge.ts";
import type { SigningCommand, Unsigned } from "../../ssh_agent/socket/broker.ts";
import type { Identity } from "../../ssh_agent/wire/messages.ts";
import { fingerprintOf } from "../../ssh_agent/wire/public_key.ts";
import type { AuditLog } from "../runner/audit_log.ts";
import { RunnerDecorator } from "../runner/runner_decorator.ts";

export interface SigningOptions {
  /** Where keys may log in. */
  readonly hosts: readonly HostName[];
  /** As the user's files say at this moment. */
  readonly knownHosts: () => Promise<KnownHosts>;
  /** The trees that commands can change. */
  readonly scope: readonly string[];
  readonly audit: AuditLog | undefined;
  /** Asks a person for other hosts; undefined: no person is asked. */
  readonly consent: Consent | undefined;
  /** Hosts that a hashed line of the known hosts may be about. */
  readonly names: readonly HostName[];
  readonly policy: Policy | undefined;
}

type Operation = NonNullable<CommandRequest["operation"]>;
type Login = Extract<Purpose, { readonly kind: "login" }>;

/** What the questions of one command need. */
interface Asking {
  readonly asked: Asked;
  /** Aborted when it has ended. */
  readonly ended: AbortSignal;
}

/** Most refusals of one command that are reported. */
const MOST_TOLD = 4;

export class SigningRunner extends RunnerDecorator {
  readonly #options: SigningOptions;
  readonly #commands = new Set<OneCommand>();

  constructor(inner: SessionRunner, options: SigningOptions) {
    super(inner);
    this.#options = options;
  }

  /** The running command that a process belongs to; undefined: it is of none that a tool runs. */
  commandOf(process: number): SigningCommand | undefined {
    return this.#commands.values().find(({ running }) => running?.holds(process) === true);
  }

  /** Commands of no operation sign nothing. */
  override async run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    const { operation } = request;
    const ended = new AbortController();
    const asked = wishesOf(ended, request, hooks);
    if (operation === undefined || asked === undefined) return await this.inner.run(request, hooks);
    const command = new OneCommand(this.#options, operation, { asked, ended: ended.signal });
    this.#commands.add(command);
    try {
      const onRunning = (running: RunningCommand) => {
        command.running = running;
        hooks.onRunning?.(running);
      };
      const end = await this.inner.run(request, { ...hooks, onRunning });
      const denials = [...(end.denials ?? []).filter((one) => !isOfGit(one)), ...command.denials];
      return end.denials === undefined && denials.length === 0 ? end : { ...end, denials };
    } finally {
      ended.abort();
      this.#commands.delete(command);
    }
  }
}

/** What is said of git where commands have no keys. */
function isOfGit(denial: Denial): boolean {
  return !("path" in denial) && denial.operation === "program" && denial.subject === "git";
}

class OneCommand implements SigningCommand {
  readonly #options: SigningOptions;
  readonly #operation: Operation;
  readonly #asking: Asking;
  readonly #denials = new Map<string, OperationDenial>();
  /** Undefined: not yet. */
  running: RunningCommand | undefined;

  constructor(options: SigningOptions, operation: Operation, asking: Asking) {
    this.#options = options;
    this.#asking = asking;
    this.#operation = operation;
  }

  get denials(): readonly OperationDenial[] {
    return [...this.#denials.values()];
  }

  async permit(identity: Identity, purpose: Purpose, gone: AbortSignal): Promise<Outcome<void, Unsigned>> {
    const host = purpose.kind === "login" ? await this.#hostOf(identity, purpose, gone) : success(undefined);
    if (!host.ok) return host;
    const written = await this.#options.audit?.signature({ operation: this.#operation }, {
      key: await fingerprintOf(identity.key),
      for: purpose.kind,
      ...host.value !== undefined && { host: host.value },
      ...purpose.kind === "login" && { user: shorten(purpose.user) },
    });
    return written?.ok === false ? failure({ reason: written.problem }) : success(undefined);
  }

  refused({ reason, flag, question }: Unsigned): void {
    if (this.#denials.size >= MOST_TOLD || this.#denials.has(reason)) return;
    this.#denials.set(reason, {
      operation: "ssh_agent",
      subject: "ssh-agent",
      reason,
      scope: this.#options.scope,
      ...heldFlags(this.#options.policy, flag === undefined ? [] : [flag]),
      ...question !== undefined && { question },
    });
  }

  /** What the host is called: it is listed, or a person allows it. */
  async #hostOf(identity: Identity, login: Login, gone: AbortSignal): Promise<Outcome<string, Unsigned>> {
    const { hosts, knownHosts, names } = this.#options;
    const known = await knownHosts();
    for (const host of hosts) if (await known.hasKey(host, login.hostKey)) return success(printHost(host));
    const { by: { command } } = this.#asking.asked;
    const { isKnown, name = "" } = await known.find(login.hostKey, [...hostsIn(command), ...names]);
    const hostKey = await fingerprintOf(login.hostKey);
    const what = name === "" ? `A host with the key ${hostKey}` : `"${shorten(name)}"`;
    const refuse = (why: string) => `${what} gets no signatures of your ssh agent: it ${why}`;
    const flag = `--ssh-hosts ${name === "" ? "HOST" : shorten(name)}`;
    if (!isKnown) return failure({ reason: refuse(UNKNOWN), flag });
    const subject = { kind: "ssh", hostKey, name, account: login.user, ...await namesOf(identity) } as const;
    const decision = await this.#ask(subject, gone);
    if (decision === undefined) return failure({ reason: refuse(UNLISTED), flag });
    if (decision.allowed) return success(name === "" ? hostKey : name);
    const { reason = UNLISTED, question, isFinal } = decision;
    return failure({
      reason: refuse(reason),
      ...question !== undefined && { question },
      ...isFinal !== true && { flag },
    });
  }

  /** Undefined: no person is asked for this. */
  async #ask(subject: LoginSubject, gone: AbortSignal): Promise<Decision | undefined> {
    const { asked, ended } = this.#asking;
    const { consent } = this.#options;
    if (consent?.kinds.has("ssh") !== true || !ASKED_ACCOUNT.test(subject.account)) return undefined;
    return await consent.decide({ ...asked, subject }, AbortSignal.any([gone, ended]));
  }
}

async function namesOf({ key, comment }: Identity): Promise<Pick<LoginSubject, "key" | "comment">> {
  return { key: await fingerprintOf(key), comment };
}

const UNLISTED = "is not on the list of --ssh-hosts";
const UNKNOWN = `${UNLISTED}, and your known_hosts do not have it: log in there once outside the sandbox`;
