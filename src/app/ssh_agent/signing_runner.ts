/** Commands that get signatures of the user's ssh agent (S42): which, each one written down, and what was refused in the result. */
import type { CommandEnd } from "../../base/command/command_end.ts";
import type { Denial, OperationDenial } from "../../base/command/denial.ts";
import type { RunningCommand } from "../../base/command/running_command.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { shorten } from "../../base/visible_text.ts";
import type { CommandHooks, CommandRequest, SessionRunner } from "../../process/command_runner.ts";
import { type HostName, printHost } from "../../ssh_agent/hosts/host_name.ts";
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
}

type Operation = NonNullable<CommandRequest["operation"]>;

/** Refusals of one command that are told. */
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
    if (operation === undefined) return await this.inner.run(request, hooks);
    const command = new OneCommand(this.#options, operation);
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
  readonly #denials = new Map<string, OperationDenial>();
  /** Undefined: not yet. */
  running: RunningCommand | undefined;

  constructor(options: SigningOptions, operation: Operation) {
    this.#options = options;
    this.#operation = operation;
  }

  get denials(): readonly OperationDenial[] {
    return [...this.#denials.values()];
  }

  async permit(identity: Identity, purpose: Purpose): Promise<Outcome<void, Unsigned>> {
    const host = purpose.kind === "login" ? await this.#hostOf(purpose.hostKey) : success(undefined);
    if (!host.ok) return host;
    const written = await this.#options.audit?.signature({ operation: this.#operation }, {
      key: await fingerprintOf(identity.key),
      for: purpose.kind,
      ...host.value !== undefined && { host: printHost(host.value) },
      ...purpose.kind === "login" && { user: shorten(purpose.user) },
    });
    return written?.ok === false ? failure({ reason: written.problem }) : success(undefined);
  }

  refused({ reason, flag }: Unsigned): void {
    if (this.#denials.size >= MOST_TOLD || this.#denials.has(reason)) return;
    this.#denials.set(reason, {
      operation: "ssh_agent",
      subject: "ssh-agent",
      reason,
      scope: this.#options.scope,
      flags: flag === undefined ? [] : [flag],
    });
  }

  async #hostOf(hostKey: Uint8Array): Promise<Outcome<HostName, Unsigned>> {
    const { hosts, knownHosts } = this.#options;
    const known = await knownHosts();
    for (const host of hosts) if (await known.hasKey(host, hostKey)) return success(host);
    const { isKnown, name } = known.find(hostKey);
    const what = name === undefined ? `A host with the key ${await fingerprintOf(hostKey)}` : `"${shorten(name)}"`;
    const why = isKnown ? "" : ", and your known_hosts do not have it: log in there once outside the sandbox";
    return failure({
      reason: `${what} gets no signatures of your ssh agent: it is not on the list of --ssh-hosts${why}`,
      flag: `--ssh-hosts ${name === undefined ? "HOST" : shorten(name)}`,
    });
  }
}
