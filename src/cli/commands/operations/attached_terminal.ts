/** Both directions of an attached terminal: events are shown, and keys and sizes go to the operation. */
import { encodeText } from "../../../base/text.ts";
import { writeAll } from "../../../base/write_all.ts";
import type { ServerLine } from "../../../control/client/server_line.ts";
import type { ControlEvent, ListedOperation, WindowSize } from "../../../control/protocol/messages.ts";
import type { OperationEnd } from "../../../operation/operation.ts";
import { OwnTerminal } from "../../../system/terminal/own_terminal.ts";
import { isOnTerminal } from "../../terminal/print.ts";
import { messageText } from "../../terminal/terminal_text.ts";
import { exitCodeOf } from "../call/call.ts";
import { operationLine } from "./choose_target.ts";
import { beforeDetachKey, DETACH_CODE } from "./terminal_modes.ts";
import { type ShownOutput, shownOutput } from "./shown_output.ts";

export interface AttachedOptions {
  /** As the person has named it. */
  readonly name: string;
  /** Aborted by a signal that asks for the end. */
  readonly stop: AbortSignal;
}

type Shown = Extract<ControlEvent, { readonly event: "earlier" | "screen" | "output" | "gap" | "not_taken" }>;
type Ended = Extract<ControlEvent, { readonly event: "end" }>;

const KEY_BYTES = 16 * 1024;
const LOST = 1;

export class AttachedTerminal implements Disposable {
  readonly isInteractive = Deno.stdin.isTerminal() && isOnTerminal();
  readonly #line: ServerLine;
  readonly #options: AttachedOptions;
  readonly #onResize = () => this.#giveSize();
  #operation: ListedOperation | undefined;
  #output: ShownOutput | undefined;
  #keys: OwnTerminal | undefined;
  #hasDetached = false;

  constructor(line: ServerLine, options: AttachedOptions) {
    this.#line = line;
    this.#options = options;
    options.stop.addEventListener("abort", () => this.#detach(), { once: true });
    if (this.isInteractive) Deno.addSignalListener("SIGWINCH", this.#onResize);
  }

  /** Shows all events; resolves with the exit code. `refuse`: the error for a reason that the server gives. */
  async show(refuse: (problem: string) => Error): Promise<number> {
    let end: Ended | undefined;
    if (this.isInteractive) {
      this.#keys = new OwnTerminal();
      this.#keys.set({ kind: "silent" });
      void this.#passKeys();
    }
    for await (const event of this.#line.events) {
      if (event.event === "refused") throw refuse(event.problem);
      if (event.event === "waiting") await this.#tell(`${event.reason}. ${this.#wayOut}`);
      else if (event.event === "attached") await this.#begin(event.operation);
      else if (event.event === "end") end = event;
      else if (isShown(event) && !await this.#take(event)) this.#detach();
    }
    await this.#output?.end();
    this[Symbol.dispose]();
    return await this.#leave(end);
  }

  [Symbol.dispose](): void {
    this.#keys?.[Symbol.dispose]();
    this.#keys = undefined;
    if (this.isInteractive) Deno.removeSignalListener("SIGWINCH", this.#onResize);
  }

  get #wayOut(): string {
    return this.isInteractive ? "ctrl-] detaches" : "ctrl-c detaches";
  }

  #detach(): void {
    this.#hasDetached = true;
    this.#line[Symbol.dispose]();
  }

  async #begin(operation: ListedOperation): Promise<void> {
    const { input } = operation;
    this.#operation = operation;
    if (input !== undefined) this.#keys?.set(input === "pipe" ? { kind: "lines", end: DETACH_CODE } : { kind: "keys" });
    const takes = !this.isInteractive || input === undefined
      ? ""
      : input === "pipe"
      ? "It takes lines; "
      : "It takes keys; ";
    await this.#tell(`Attached to ${operationLine(operation)}. ${takes}${this.#wayOut}, and it continues`);
    this.#output = shownOutput({ hasTerminal: input === "terminal" });
  }

  /** False: the output is no longer read. */
  async #take(event: Shown): Promise<boolean> {
    if (event.event === "gap") await this.#tell(`[${event.bytes} bytes are left out: they were not read in time]`);
    if (event.event === "not_taken") await this.#tell(`[Not taken: ${event.problem}]`);
    if (event.event === "earlier" && event.leftOut > 0) {
      await this.#tell(`[${event.leftOut} bytes before are left out]`);
    }
    if (this.#output === undefined || event.event === "gap" || event.event === "not_taken") return true;
    if (event.event === "screen") return await this.#output.output(encodeText(event.data));
    return await this.#output[event.event](Uint8Array.fromBase64(event.data));
  }

  async #leave(end: Ended | undefined): Promise<number> {
    if (end !== undefined) {
      await this.#tell(end.line);
      return await exitCodeOf(end.end as OperationEnd | undefined);
    }
    const { name } = this.#options;
    const id = this.#operation?.id ?? name;
    if (!this.#hasDetached) {
      await this.#tell(`The server of ${id} has ended`);
      return LOST;
    }
    await this.#tell(`Detached from ${id}; it continues`);
    return 0;
  }

  /** A line on stderr; where keys go to the operation, the system does not move the cursor back to its beginning. */
  async #tell(text: string): Promise<void> {
    const lines = messageText(text).split("\n");
    await writeAll(
      Deno.stderr,
      encodeText(this.isInteractive ? `\r${lines.join("\r\n")}\r\n` : `${lines.join("\n")}\n`),
    );
  }

  async #passKeys(): Promise<void> {
    const buffer = new Uint8Array(KEY_BYTES);
    let endings = 0;
    while (endings < 2 && !this.#hasDetached) {
      const length = await Deno.stdin.read(buffer);
      endings = length === null ? endings + 1 : 0;
      const bytes = buffer.slice(0, length ?? 0);
      const before = beforeDetachKey(bytes);
      if (before === undefined || before.length > 0) await this.#give(before ?? bytes);
      if (before !== undefined) this.#detach();
    }
  }

  /** No bytes mean ctrl-d on a line of its own. */
  async #give(bytes: Uint8Array): Promise<void> {
    const { input } = this.#operation ?? {};
    if (input === undefined) return;
    if (bytes.length > 0) await this.#line.give({ kind: "input", bytes });
    else if (input === "pipe") await this.#line.give({ kind: "end" });
  }

  #giveSize(): void {
    const size = windowSize();
    if (size !== undefined && this.#operation?.input === "terminal") void this.#line.give({ kind: "size", size });
  }
}

function isShown(event: ControlEvent): event is Shown {
  return ["earlier", "screen", "output", "gap", "not_taken"].includes(event.event);
}

/** The size of this terminal; undefined: it has none. */
export function windowSize(): WindowSize | undefined {
  const { columns, rows } = Deno.consoleSize();
  return columns > 0 && rows > 0 ? { columns, rows } : undefined;
}
