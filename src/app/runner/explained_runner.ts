/** Adds the sandbox's denials to the end of a tool's command (S15). */
import { withTimeout } from "../../base/time.ts";
import type { CommandEnd } from "../../base/command/command_end.ts";
import type { NetworkUse } from "../../base/command/network_use.ts";
import type { Denial } from "../../base/command/denial.ts";
import type { CommandHooks, CommandRequest, SessionRunner } from "../../process/command_runner.ts";
import { explainDenials } from "../../sandbox/denials/explain.ts";
import { pathsInCommand } from "../../sandbox/denials/mentioned_paths.ts";
import { allows } from "../../sandbox/denials/policy_query.ts";
import type { EndedCommand } from "../../sandbox/denials/question.ts";
import { copiedConfigurations } from "../../sandbox/grants/user_configuration.ts";
import { withoutPrivateSockets } from "../../sandbox/policy/confinement.ts";
import { narrowedPolicy } from "../../sandbox/policy/narrowed_network.ts";
import type { Sandbox } from "../../sandbox/prepare_linux.ts";
import { heldFlags } from "../../settings/policy/held.ts";
import type { Policy } from "../../settings/policy/policy.ts";
import { RingBuffer } from "../../operation/output/ring_buffer.ts";
import { RunnerDecorator } from "./runner_decorator.ts";

/** Paths can lie on file systems that hang; a result does not wait for them longer. */
const EXPLAIN_TIMEOUT_MS = 5_000;
/** The end of a command's output, where its errors most likely are. */
const TAIL_BYTES = 8192;

/** Refused names that are remembered; few of them are reported. */
const MOST_REFUSED = 16;

/** The facts about the sandbox for explanations. */
export type ExplainedSandbox = Pick<Sandbox, "scopes" | "environment" | "sensitive" | "guard" | "directories">;

/** A runner on Linux: its policy and mounts decide. */
export type ExplainableRunner = SessionRunner & {
  /** Protected paths that commands see read-only at this moment, canonical. */
  readonly readOnly: readonly string[];
  /** Unix sockets of other programs that are covered, canonical. */
  readonly coveredSockets: readonly string[];
  /** Why commands have no Unix sockets, though the policy gives them their own; undefined: they have. */
  readonly closedSockets: string | undefined;
};

export class ExplainedRunner extends RunnerDecorator<ExplainableRunner> {
  readonly #sandbox: ExplainedSandbox;
  readonly #policy: Policy | undefined;

  /** `policy`: of the machine; undefined: none holds. */
  constructor(inner: ExplainableRunner, sandbox: ExplainedSandbox, policy: Policy | undefined) {
    super(inner);
    this.#sandbox = sandbox;
    this.#policy = policy;
  }

  /** Commands of no operation, and those that were ended, are not explained. */
  override async run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    if (request.operation === undefined) return await this.inner.run(request, hooks);
    const { run, directory } = request;
    const tail = new RingBuffer(TAIL_BYTES);
    const began = Date.now();
    const changed: string[] = [];
    const refused = new Map<string, NetworkUse>();
    const running = this.inner.run(request, {
      ...hooks,
      onOutput: (chunk) => {
        tail.write(chunk);
        return hooks.onOutput(chunk);
      },
      onNetwork: (use) => {
        hooks.onNetwork?.(use);
        const key = `${use.name}:${use.port}`;
        // One whose socket was closed before its command was found has no question, and hides none.
        const isTold = use.refused?.question === undefined && refused.get(key)?.refused?.question !== undefined;
        if (use.refused !== undefined && refused.size < MOST_REFUSED && !isTold) refused.set(key, use);
      },
      onProtectedChange: (changes) => {
        changed.push(...changes.map(({ path }) => path));
        hooks.onProtectedChange?.(changes);
      },
    });
    const words = "shell" in run ? [run.shell] : run.argv;
    // While the command runs.
    const named = pathsInCommand(words, { directory, home: this.#sandbox.environment["HOME"] });
    const end = await running;
    if (hooks.signal.aborted) return end;
    const denials = await this.explain({
      words,
      named,
      directory,
      output: new TextDecoder().decode(tail.toBytes()),
      end,
      began,
      changed,
      network: request.network,
      refused: [...refused.values()],
    });
    return denials.length === 0 ? end : { ...end, denials };
  }

  /** What the sandbox kept from a command that ended; empty too where that is not known in time. */
  async explain(command: EndedCommand): Promise<readonly Denial[]> {
    const { scopes, environment, sensitive, guard, directories } = this.#sandbox;
    const [settled] = await Promise.allSettled([this.inner.policy]);
    const whole = settled.status === "fulfilled" ? settled.value : undefined;
    if (whole === undefined) return [];
    const policy = command.network === undefined ? whole : narrowedPolicy(whole, command.network);
    const { confinement } = policy;
    const home = guard?.home ?? environment["HOME"];
    const context = {
      policy: this.inner.closedSockets === undefined
        ? policy
        : { ...policy, confinement: withoutPrivateSockets(confinement) },
      scopes: scopes.map(({ path }) => path),
      home,
      homeInside: environment["HOME"],
      sensitive,
      covered: policy.namespaces ? (guard?.hidden ?? []).map(({ path }) => path) : [],
      copies: copiedConfigurations(directories.files, home),
      hasSshKeys: environment["SSH_AUTH_SOCK"] !== undefined ||
        home !== undefined && allows(policy, `${home}/.ssh`, "list"),
      readOnly: this.inner.readOnly,
      sockets: this.inner.coveredSockets,
    };
    const denials = explainDenials(command, context);
    const found = denials instanceof Promise ? await withTimeout(denials, EXPLAIN_TIMEOUT_MS) ?? [] : denials;
    return found.map((denial) => ({ ...denial, ...heldFlags(this.#policy, denial.flags) }));
  }
}
