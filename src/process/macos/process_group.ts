/**
 * Follows a command that leads a process group. No launcher tells when its tree is empty: a process in its own session
 * without a parent stays, in its sandbox.
 */
import type { CommandEnd } from "../../base/command/command_end.ts";
import { encodeText } from "../../base/text.ts";
import { delay } from "../../base/time.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { CommandHooks } from "../command_runner.ts";
import { BACKGROUND_GRACE_MS, drain, outputEnd, terminateOnAbort } from "../supervision.ts";
import { signalQuietly } from "../tree/descendants.ts";
import { familyOf, type ListedProcess } from "../tree/process_list.ts";
import type { LauncherProcess, LauncherStatus } from "../spawn.ts";

/** Between two attempts to kill what is left, milliseconds; doubled each time. */
const KILL_RETRY_DELAY_MS = 10;
/** A process that hangs in the kernel is given up after this many attempts, some ten seconds. */
const MOST_KILLS = 10;
/** How much of the output that replaces a start is kept, bytes. */
const MOST_SAID = 64 * 1024;

export interface GroupCommand {
  readonly process: LauncherProcess;
  /** What the prelude writes to stderr right before the command begins. */
  readonly startMark: string;
  /** Why nothing started. */
  readonly explain: (status: LauncherStatus, said: string) => string;
  /** Gets the command's stderr if it is not joined to its stdout. */
  readonly onError: (chunk: Uint8Array) => void;
  /** May reject: the group itself is ended without it. */
  readonly listProcesses: () => Promise<readonly ListedProcess[]>;
  readonly logger: Logger;
}

/** The processes of a command that leads a process group. */
export class ProcessGroup {
  /** How the command ended; after an abort, only once everything found of it is gone. */
  readonly end: Promise<CommandEnd>;
  /** Settles when everything found of it is gone. */
  readonly gone: Promise<void>;
  readonly #command: GroupCommand;
  readonly #output: ReadableStreamBYOBReader;
  readonly #errors: ReadableStreamBYOBReader;
  readonly #written: Promise<unknown>;
  /** Processes that may leave the group, seen when the end was asked for. */
  #strays: readonly ListedProcess[] = [];
  #terminating = false;
  #started = false;
  #said = "";
  #status: LauncherStatus | undefined;

  constructor(command: GroupCommand, { signal, onOutput }: Pick<CommandHooks, "signal" | "onOutput">) {
    this.#command = command;
    this.#output = command.process.output.getReader({ mode: "byob" });
    this.#errors = command.process.reports.getReader({ mode: "byob" });
    const decoder = new TextDecoder();
    this.#written = Promise.all([
      drain(this.#output, onOutput),
      drain(this.#errors, (chunk) => this.#takeError(chunk, decoder)),
    ]);
    const terminate = (killAfterMs: number) => void this.#terminate(killAfterMs);
    this.gone = terminateOnAbort(signal, terminate, this.#waitUntilGone());
    this.end = this.#waitForEnd();
  }

  async #waitForEnd(): Promise<CommandEnd> {
    await Promise.race([Promise.all([this.#command.process.status, this.#written]), this.gone]);
    if (this.#terminating) await this.gone;
    const status = this.#status ?? await this.#command.process.status;
    if (!this.#started && !this.#terminating) {
      return { kind: "not_started", message: this.#command.explain(status, this.#said) };
    }
    return status.signal === null
      ? { kind: "exited", code: status.code }
      : { kind: "signalled", signal: status.signal };
  }

  /** Sends SIGTERM to all processes found, and SIGKILL to the rest after this many milliseconds. */
  async #terminate(killAfterMs: number): Promise<void> {
    if (this.#terminating || this.#status !== undefined) return;
    this.#terminating = true;
    const { process } = this.#command;
    // Listed before the first signal: children of ended processes get another parent.
    this.#strays = familyOf(process.pid, [], await this.#list()).filter(({ group }) => group !== process.pid);
    if (this.#status !== undefined) return;
    signalQuietly(-process.pid, "SIGTERM");
    for (const { pid } of this.#strays) signalQuietly(pid, "SIGTERM");
    const late = setTimeout(() => signalQuietly(-process.pid, "SIGKILL"), killAfterMs);
    await process.status;
    clearTimeout(late);
  }

  async #waitUntilGone(): Promise<void> {
    this.#status = await this.#command.process.status;
    await this.#killRest();
    await outputEnd(this.#written, [this.#output, this.#errors]);
  }

  /** Ends what is left of the group and of the strays, until nothing is. */
  async #killRest(): Promise<void> {
    const group = this.#command.process.pid;
    if (this.#strays.length === 0 && !isThere(group)) return;
    await delay(this.#terminating ? 0 : BACKGROUND_GRACE_MS);
    for (let attempt = 0; attempt < MOST_KILLS; attempt++) {
      signalQuietly(-group, "SIGKILL");
      const left = familyOf(group, this.#strays, await this.#list());
      if (left.length === 0) return;
      this.#strays = left;
      for (const { pid } of left) signalQuietly(pid, "SIGKILL");
      await delay(KILL_RETRY_DELAY_MS * 2 ** attempt);
    }
    this.#command.logger.error("Processes of a command could not be ended", { processes: this.#strays.length });
  }

  async #list(): Promise<readonly ListedProcess[]> {
    const { listProcesses, logger } = this.#command;
    try {
      return await listProcesses();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      logger.warn("Processes cannot be listed: only a command's own process group is ended", {
        error: messageOf(error),
      });
      return [];
    }
  }

  /** Text before the mark is the sandbox's, text after it the command's. */
  #takeError(chunk: Uint8Array, decoder: TextDecoder): void {
    if (this.#started) return this.#command.onError(chunk);
    const { startMark } = this.#command;
    this.#said += decoder.decode(chunk, { stream: true });
    const at = this.#said.indexOf(startMark);
    this.#started = at >= 0;
    if (!this.#started) {
      this.#said = this.#said.slice(0, MOST_SAID);
      return;
    }
    const rest = this.#said.slice(at + startMark.length);
    if (rest !== "") this.#command.onError(encodeText(rest));
  }
}

/** Whether a process group has members, zombies included. */
function isThere(group: number): boolean {
  try {
    Deno.kill(-group, NO_SIGNAL);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    if (error instanceof Deno.errors.PermissionDenied) return true; // macOS's answer for dead processes
    throw error;
  }
}

/** kill(2): asks whether a process exists, and sends nothing. */
const NO_SIGNAL = 0;
