import type { LeftRunning } from "../base/command/command_end.ts";
import { living, type ProcessNames } from "./background_processes.ts";
import type { CommandInput, ProcessUsage, RunningCommand } from "../base/command/running_command.ts";
import type { OpenProcesses } from "./command_runner.ts";
import { descendantsOf, killDescendants, type ProcessTree } from "./tree/descendants.ts";
import { type InputSystem, inputWait } from "./tree/input_wait.ts";
import { usageOf, type UsageSystem } from "./tree/usage.ts";
import { holdsPort, type ListeningSystem, listensAt, type Protocol } from "./tree/listening.ts";

/** What is needed of the system. */
export type ProcessSystem = ProcessTree & ProcessNames & InputSystem & ListeningSystem & UsageSystem;

/** The processes of a command: the first, which exists at the first call, and the others. */
export class ProcessesBelow implements OpenProcesses, RunningCommand {
  readonly input?: CommandInput;
  readonly #root: () => number | undefined;
  readonly #system: ProcessSystem;
  #first: number | undefined;

  /** `root`: the process that all are below; undefined: it is gone. `input`: what it reads; absent: nothing more. */
  constructor(root: () => number | undefined, system: ProcessSystem, input?: CommandInput) {
    this.#root = root;
    this.#system = system;
    if (input !== undefined) this.input = input;
  }

  listensAt(port: number): boolean {
    return listensAt(port, this.#all(), this.#system);
  }

  holds(process: number): boolean {
    return this.#all().includes(process);
  }

  /** Whether one of them holds a socket with this port of its own. */
  holdsSocket(side: { readonly protocol: Protocol; readonly port: number }): boolean {
    return holdsPort(side, this.#all(), this.#system);
  }

  inputWait(): string | undefined {
    if (this.input?.terminal?.hasOutput === true) return undefined;
    return inputWait(this.#all(), this.#system);
  }

  usage(): ProcessUsage | undefined {
    return usageOf(this.#all(), this.#system);
  }

  all(earlier?: ReadonlySet<number>): readonly number[] {
    const { root, first } = this.#places();
    return root === undefined ? [] : descendantsOf(root, this.#system, earlier).filter((pid) => pid !== first);
  }

  kill(earlier: ReadonlySet<number>): void {
    const { root, first } = this.#places();
    if (root === undefined || first === undefined) return;
    // What the shell runs, and orphans that now belong to the root.
    killDescendants(first, this.#system, earlier);
    killDescendants(root, this.#system, new Set([...earlier, first]));
  }

  background(earlier?: ReadonlySet<number>): LeftRunning | undefined {
    const { root, first } = this.#places();
    if (root === undefined || first === undefined) return undefined;
    const orphans = this.#system.childrenOf(root).filter((pid) => pid !== first);
    const children = [...orphans, ...this.#system.childrenOf(first)];
    return living(children.filter((pid) => earlier === undefined || earlier.has(pid)), this.#system);
  }

  signalFirst(signal: Deno.Signal): void {
    const { root, first } = this.#places();
    if (root === undefined || first === undefined) return;
    if (this.#system.childrenOf(root).includes(first)) this.#system.signal(first, signal);
  }

  #all(): readonly number[] {
    const root = this.#root();
    return root === undefined ? [] : descendantsOf(root, this.#system);
  }

  #places() {
    const root = this.#root();
    if (root !== undefined) this.#first ??= this.#system.childrenOf(root)[0];
    return { root, first: this.#first };
  }
}
