import type { CommandEnd } from "../../base/command/command_end.ts";
import { encodeText } from "../../base/text.ts";
import { offlinePolicy } from "../../sandbox/policy/offline.ts";
import type { SandboxPolicy } from "../../sandbox/policy/policy.ts";
import type { CommandRequest } from "../command_runner.ts";
import { encodeShellCommand } from "../shell.ts";
import type { LauncherImage, LauncherProcess } from "../spawn.ts";
import { writeAndClose } from "../write_and_close.ts";
import { Launch } from "./launch.ts";

/** What is written to a prewarmed process, and what its messages are about. */
interface CommandInput {
  readonly parts: readonly Uint8Array[];
  readonly steps: readonly string[];
  readonly program: string;
}

const NEVER_OFFLINE = "this system can keep no program from the network (no user namespaces, no seccomp)";

/** The launch of a command whose input is known: a prewarmed process runs it, or a fresh one where none waits. */
export class RunLaunch extends Launch<CommandRequest, CommandEnd> {
  launch(): Promise<CommandEnd> {
    const { request: { run, stdin, offline }, policy } = this;
    if (offline && policy !== undefined) return this.#runOffline(policy);
    return "shell" in run && stdin === undefined && this.tools.shell.canWait
      ? this.#runLine(run.shell)
      : this.#runProgram();
  }

  mayTryAgain(end: CommandEnd): boolean {
    return end.kind === "not_started" && !this.hooks.signal.aborted;
  }

  async #runLine(line: string): Promise<CommandEnd> {
    const { images, prewarmed, spawner } = this.tools;
    const { directory, environment } = this.request;
    const text = encodeText(encodeShellCommand(line, directory, environment));
    const waiting = prewarmed.acquireShell();
    const { steps } = images.prewarmedShell(this.policy);
    const end = waiting && await this.#runPrewarmed(waiting, { parts: [text], steps, program: "bash" });
    if (end !== undefined) return end;
    const image = images.prewarmedShell(this.policy);
    const fresh = spawner.start(image, "piped");
    const given = writeAndClose(fresh, text);
    const ended = await this.follow(fresh, image.steps, "bash").end;
    await given;
    return ended;
  }

  async #runProgram(): Promise<CommandEnd> {
    const { images, prewarmed } = this.tools;
    const { request, policy } = this;
    const block = prewarmed.hasLaunchers ? images.commandBlock(policy, request) : undefined;
    const waiting = block && prewarmed.acquireLauncher();
    if (block === undefined || waiting === undefined) return await this.#runFresh(images.command(policy, request));
    const { bytes, steps } = block;
    const parts = request.stdin === undefined ? [bytes] : [bytes, encodeText(request.stdin)];
    const end = await this.#runPrewarmed(waiting, { parts, steps, program: this.program });
    return end ?? await this.#runFresh(images.command(policy, request));
  }

  /** Undefined: the process died while it waited and has run nothing, so a fresh one must. */
  async #runPrewarmed(
    waiting: LauncherProcess,
    { parts, steps, program }: CommandInput,
  ): Promise<CommandEnd | undefined> {
    const given = writeAndClose(waiting, ...parts);
    const tree = this.follow(waiting, steps, program);
    const ended = await tree.end;
    await given;
    return tree.accepted || this.hooks.signal.aborted ? ended : undefined;
  }

  async #runOffline(policy: SandboxPolicy): Promise<CommandEnd> {
    const narrow = offlinePolicy(policy);
    if (narrow === undefined) return { kind: "not_started", message: NEVER_OFFLINE };
    return await this.#runFresh(this.tools.images.offlineCommand(narrow, this.request));
  }

  async #runFresh(image: LauncherImage): Promise<CommandEnd> {
    const { stdin } = this.request;
    const tree = this.start(image, stdin === undefined ? "null" : "piped");
    const given = stdin === undefined ? undefined : writeAndClose(tree, encodeText(stdin));
    const end = await tree.end;
    await given;
    return end;
  }
}
