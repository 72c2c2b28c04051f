/** A launched command on a terminal of its own: what is typed and shown goes through the terminal's master. */
import type { CommandInput, CommandTerminal } from "../../base/command/running_command.ts";
import { ignoreClosedPipe, messageOf } from "../../base/errors.ts";
import { MASTER_FD } from "../../sandbox/launcher/steps/terminal_steps.ts";
import type { Terminal, Terminals, TerminalSize } from "../../system/terminal/terminal.ts";
import { TERMINAL_SIZE } from "./launch/launch_images.ts";
import { descendantsOf, type ProcessTree, signalQuietly } from "../tree/descendants.ts";
import type { LauncherProcess } from "../spawn.ts";

/** What is needed of the system. */
export interface TerminalSystem {
  readonly terminals: Terminals;
  readonly tree: Pick<ProcessTree, "childrenOf">;
  /** A copy of a descriptor of another process. @throws {Error} When the system refuses. */
  takeDescriptor(pid: number, descriptor: number): number;
}

/** Takes the terminal of a process whose table has `giveTerminal`; it begins with the first read. */
export class TerminalProcess implements LauncherProcess {
  readonly pid: number;
  readonly status: LauncherProcess["status"];
  readonly stdin: LauncherProcess["stdin"];
  readonly reports: LauncherProcess["reports"];
  readonly group: LauncherProcess["group"];
  /** What the terminal shows. */
  readonly output: ReadableStream<Uint8Array>;
  readonly input: CommandInput;
  readonly #process: LauncherProcess;
  readonly #system: TerminalSystem;
  #problem: string | undefined;
  readonly #taken = Promise.withResolvers<Terminal | undefined>();

  constructor(process: LauncherProcess, system: TerminalSystem) {
    this.pid = process.pid;
    this.status = process.status;
    this.stdin = process.stdin;
    this.reports = process.reports;
    this.group = process.group;
    this.#process = process;
    this.#system = system;
    this.input = this.#input();
    let terminal: Terminal | undefined;
    this.output = new ReadableStream({
      type: "bytes",
      autoAllocateChunkSize: READ_BYTES,
      start: async () => {
        // Its table does not continue without the terminal, and reports that.
        terminal = await this.#take().catch((thrown) => void (this.#problem = messageOf(thrown)));
      },
      cancel: () => terminal?.close(),
      async pull(controller) {
        const { byobRequest } = controller;
        const view = byobRequest?.view;
        if (byobRequest === null || view === null || view === undefined) return;
        const into = new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);
        const length = await terminal?.read(into) ?? 0;
        if (length === 0) controller.close();
        byobRequest.respond(length);
      },
    });
  }

  /** Why there is no terminal; undefined: there is, or its table reports why. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Ends what runs on the terminal as its closing would: programs may save their state. */
  hangUp(): void {
    const [, ...inside] = descendantsOf(this.pid, this.#system.tree);
    for (const signal of ["SIGHUP", "SIGTERM"] as const) for (const pid of inside) signalQuietly(pid, signal);
  }

  /** Types its first input, however late its programs read it. Nothing is said of the rest if they end before. */
  async typeFirst(bytes: Uint8Array): Promise<void> {
    const terminal = await this.#taken.promise;
    await terminal?.write(bytes, -1).catch(() => {}); // the end says why
  }

  /** Undefined: the command did not get that far, and its launch reports why. */
  async #take(): Promise<Terminal | undefined> {
    const reader = this.#process.output.getReader();
    const writer = this.#process.stdin.getWriter();
    const { terminals, takeDescriptor } = this.#system;
    let terminal: Terminal | undefined;
    try {
      const { value } = await reader.read();
      // It is stopped here, and has no process below it.
      const pid = value === undefined ? undefined : descendantsOf(this.pid, this.#system.tree).at(-1);
      if (pid !== undefined) terminal = terminals.adopt(takeDescriptor(pid, MASTER_FD));
      if (terminal !== undefined) await writer.write(GO);
      return terminal;
    } finally {
      this.#taken.resolve(terminal);
      void writer.close().catch(ignoreClosedPipe);
      void reader.cancel();
    }
  }

  #input(): CommandInput & { readonly terminal: CommandTerminal } {
    let terminal: Terminal | undefined;
    void this.#taken.promise.then((taken) => terminal = taken);
    return {
      write: async (bytes) => {
        const taken = await this.#taken.promise;
        if (taken === undefined) throw new Error("There is no terminal");
        await taken.write(bytes);
      },
      // The end-of-input character (Ctrl-D), which programs that read lines understand.
      close: async () => await (await this.#taken.promise)?.write(END_OF_TRANSMISSION),
      terminal: {
        size: TERMINAL_SIZE,
        get hidesInput() {
          return terminal?.hidesInput === true;
        },
        get hasOutput() {
          return terminal?.hasOutput === true;
        },
        resize: (size: TerminalSize) => terminal?.resize(size),
      },
    };
  }
}

const READ_BYTES = 65_536;
const GO = new Uint8Array([1]);
const END_OF_TRANSMISSION = new Uint8Array([4]);
