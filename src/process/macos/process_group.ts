/**
 * Follows one command that leads a process group, from its first byte to its end, where there is no launcher that
 * could tell when a tree is empty: macOS. What a command left behind in a session of its own, and whose parent is
 * gone when the command ends, is not found; it stays in its sandbox.
 */
import { encodeText } from "../../base/text.ts";
import { delay } from "../../base/time.ts";
import type { CommandEnd } from "../../base/command/command_end.ts";
import { messageOf } from "../../base/errors.ts";
import { killDelay } from "../../base/command/kill_delay.ts";
import type { Logger } from "../../base/log.ts";
import type { CommandHooks, TakeOutput } from "../command_runner.ts";
import { familyOf, type ListedProcess } from "../tree/process_list.ts";
import type { LauncherProcess, LauncherStatus } from "../spawn.ts";
import { drain } from "../linux/supervise.ts";

/** SIGTERM comes first; what is left after this many milliseconds gets SIGKILL (X9), unless the abort hurries (X14). */
const TERMINATE_GRACE_MS = 2_000;
/** What the command left running in the background may finish in this time after it (X10). */
const BACKGROUND_GRACE_MS = 250;
/** A descriptor that was passed elsewhere does not hold the result back longer. */
const OUTPUT_GRACE_MS = 1_000;
/** Between two hunts for what is left, milliseconds; doubled each time. */
const FIRST_HUNT_PAUSE_MS = 10;
/** A process that hangs in the kernel is given up after so many hunts, some ten seconds. */
const MOST_HUNTS = 10;
/** So much of what stands in place of a start is kept, bytes. */
const MOST_SAID = 64 * 1024;

export interface GroupSupervision {
  readonly process: LauncherProcess;
  /** What the prelude writes to stderr right before the command begins. */
  readonly startMark: string;
  /** Why nothing began. */
  readonly explain: (status: LauncherStatus, said: string) => string;
  /** Takes the command's stderr where it is not joined to its stdout. */
  readonly onError: (chunk: Uint8Array) => void;
  /** May reject: the group itself is ended without it. */
  readonly listProcesses: () => Promise<readonly ListedProcess[]>;
  readonly logger: Logger;
}

/** A command on its way. */
export interface GroupRun {
  /** How it ended; after an abort not before all that is found of it is gone. */
  readonly end: Promise<CommandEnd>;
  /** All that is found of it is gone. */
  readonly gone: Promise<void>;
}

/** Follows a command that was just started. */
export function superviseGroup(supervision: GroupSupervision, hooks: CommandHooks): GroupRun {
  const run = new SupervisedGroup(supervision, hooks.onOutput);
  const abort = () => void run.terminate(killDelay(hooks.signal, TERMINATE_GRACE_MS));
  hooks.signal.addEventListener("abort", abort, { once: true });
  if (hooks.signal.aborted) abort();
  const gone = run.gone.finally(() => hooks.signal.removeEventListener("abort", abort));
  return { end: run.end(), gone };
}

class SupervisedGroup {
  readonly gone: Promise<void>;
  readonly #supervision: GroupSupervision;
  readonly #output: ReadableStreamBYOBReader;
  readonly #errors: ReadableStreamBYOBReader;
  readonly #written: Promise<unknown>;
  /** Those who may leave the group, seen when the end was asked for. */
  #strays: readonly ListedProcess[] = [];
  #terminating = false;
  #started = false;
  #said = "";
  #status: LauncherStatus | undefined;

  constructor(supervision: GroupSupervision, onOutput: TakeOutput) {
    this.#supervision = supervision;
    this.#output = supervision.process.output.getReader({ mode: "byob" });
    this.#errors = supervision.process.reports.getReader({ mode: "byob" });
    const decoder = new TextDecoder();
    this.#written = Promise.all([
      drain(this.#output, onOutput),
      drain(this.#errors, (chunk) => this.#takeError(chunk, decoder)),
    ]);
    this.gone = this.#waitUntilGone();
  }

  async end(): Promise<CommandEnd> {
    await Promise.race([Promise.all([this.#supervision.process.status, this.#written]), this.gone]);
    if (this.#terminating) await this.gone;
    const status = this.#status ?? await this.#supervision.process.status;
    if (!this.#started && !this.#terminating) {
      return { kind: "not_started", message: this.#supervision.explain(status, this.#said) };
    }
    return status.signal === null
      ? { kind: "exited", code: status.code }
      : { kind: "signalled", signal: status.signal };
  }

  /** SIGTERM to all that is found, SIGKILL to what is left after so many milliseconds. */
  async terminate(killAfterMs: number): Promise<void> {
    if (this.#terminating || this.#status !== undefined) return;
    this.#terminating = true;
    const { process } = this.#supervision;
    // Seen before the first signal: later the children of those who end have another parent.
    this.#strays = familyOf(process.pid, [], await this.#list()).filter(({ group }) => group !== process.pid);
    if (this.#status !== undefined) return;
    signal(-process.pid, "SIGTERM");
    for (const { pid } of this.#strays) signal(pid, "SIGTERM");
    const late = setTimeout(() => signal(-process.pid, "SIGKILL"), killAfterMs);
    await process.status;
    clearTimeout(late);
  }

  async #waitUntilGone(): Promise<void> {
    this.#status = await this.#supervision.process.status;
    await this.#hunt();
    const late = setTimeout(() => {
      void this.#output.cancel();
      void this.#errors.cancel();
    }, OUTPUT_GRACE_MS);
    await this.#written;
    clearTimeout(late);
  }

  /** Ends what is left of the group and of the strays, until nothing is. */
  async #hunt(): Promise<void> {
    const group = this.#supervision.process.pid;
    if (this.#strays.length === 0 && !isThere(group)) return;
    await delay(this.#terminating ? 0 : BACKGROUND_GRACE_MS);
    for (let hunt = 0; hunt < MOST_HUNTS; hunt++) {
      signal(-group, "SIGKILL");
      const left = familyOf(group, this.#strays, await this.#list());
      if (left.length === 0) return;
      this.#strays = left;
      for (const { pid } of left) signal(pid, "SIGKILL");
      await delay(FIRST_HUNT_PAUSE_MS * 2 ** hunt);
    }
    this.#supervision.logger.error("Processes of a command could not be ended", { processes: this.#strays.length });
  }

  async #list(): Promise<readonly ListedProcess[]> {
    const { listProcesses, logger } = this.#supervision;
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

  /** Before the mark it is the sandbox that speaks, after it the command. */
  #takeError(chunk: Uint8Array, decoder: TextDecoder): void {
    if (this.#started) return this.#supervision.onError(chunk);
    const { startMark } = this.#supervision;
    this.#said += decoder.decode(chunk, { stream: true });
    const at = this.#said.indexOf(startMark);
    this.#started = at >= 0;
    if (!this.#started) {
      this.#said = this.#said.slice(0, MOST_SAID);
      return;
    }
    const rest = this.#said.slice(at + startMark.length);
    if (rest !== "") this.#supervision.onError(encodeText(rest));
  }
}

/** Whether a process group has anyone in it, the dead included. */
function isThere(group: number): boolean {
  try {
    Deno.kill(-group, ANYONE);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    if (error instanceof Deno.errors.PermissionDenied) return true; // what macOS says of the dead
    throw error;
  }
}

function signal(pid: number, name: Deno.Signal): void {
  try {
    Deno.kill(pid, name);
  } catch (error) {
    // Gone in the meantime; or all dead, or another user's by a setuid program, where macOS says EPERM.
    if (!(error instanceof Deno.errors.NotFound) && !(error instanceof Deno.errors.PermissionDenied)) throw error;
  }
}

/** kill(2): asks, and sends nothing. */
const ANYONE = 0;
