/** The output of an operation on its way to a page, and what a person types there on its way to the operation (V2). */
import { delay } from "../base/time.ts";
import type { ServerLine } from "../control/client/server_line.ts";
import type { ControlEvent, Given, WindowSize } from "../control/protocol/messages.ts";
import type { EventStream } from "../http/event_stream.ts";
import { TerminalScreen } from "../operation/screen/terminal_screen.ts";
import { screenRows } from "./screen_rows.ts";

/** Time between two updates of a screen, milliseconds. */
const PAUSE_MS = 50;
/** A page may be this many bytes behind before the operation's server has to wait. */
const MOST_BEHIND = 1024 * 1024;

export interface OutputRelayOptions {
  /** Its name in actions. */
  readonly id: string;
  readonly stream: EventStream;
  /** The request is made. */
  readonly line: ServerLine;
  /** The size of the terminal that the page draws; undefined: it shows the output as lines. */
  readonly size: WindowSize | undefined;
}

export class OutputRelay implements Disposable {
  readonly #options: OutputRelayOptions;
  readonly #screen: TerminalScreen | undefined;
  readonly #gone = new AbortController();
  #drawn = Promise.withResolvers<void>();
  #size: WindowSize | undefined;

  constructor(options: OutputRelayOptions) {
    this.#options = options;
    this.#size = options.size;
    this.#screen = options.size && new TerminalScreen(options.size);
  }

  /** Passes everything on until the operation or its server ends, or the page closes. */
  async run(): Promise<void> {
    const { id, stream, line } = this.#options;
    stream.writeOnce(JSON.stringify({ event: "stream", stream: id }));
    const painted = this.#paint();
    for await (const event of line.events) {
      if (this.#screen !== undefined && isPicture(event)) {
        this.#screen.write(Uint8Array.fromBase64(event.data));
        await this.#screen.pressure;
        this.#drawn.resolve();
        continue;
      }
      if (event.event === "end") await this.#sendScreen();
      stream.writeOnce(JSON.stringify(event));
      if (stream.backlog > MOST_BEHIND) await stream.drained();
    }
    this[Symbol.dispose]();
    await painted;
    this.#screen?.[Symbol.dispose]();
    stream.close();
  }

  /** Passes on what a person types. */
  async give(given: Given): Promise<void> {
    if (given.kind === "size" && this.#screen !== undefined) {
      this.#size = given.size;
      await this.#screen.resize(given.size);
      this.#drawn.resolve();
    }
    await this.#options.line.give(given);
  }

  [Symbol.dispose](): void {
    this.#gone.abort();
    this.#drawn.resolve();
    this.#options.line[Symbol.dispose]();
  }

  async #paint(): Promise<void> {
    if (this.#screen === undefined) return;
    while (!this.#gone.signal.aborted) {
      await this.#drawn.promise;
      this.#drawn = Promise.withResolvers();
      if (!this.#gone.signal.aborted) await this.#sendScreen();
      await Promise.all([this.#options.stream.drained(), delay(PAUSE_MS, this.#gone.signal)]);
    }
  }

  async #sendScreen(): Promise<void> {
    const screen = this.#screen;
    if (screen === undefined) return;
    const { row, column } = await screen.read();
    const { emulator } = screen;
    if (emulator === undefined || !this.#options.stream.isOpen) return;
    const rows = screenRows(emulator);
    const cursor = [column - 1, row - 1];
    const { bracketedPasteMode: markedPaste, applicationCursorKeysMode: applicationKeys } = emulator.modes;
    const [columns, modes] = [this.#size?.columns, { applicationKeys, markedPaste }];
    this.#options.stream.writeOnce(JSON.stringify({ event: "screen", columns, rows, cursor, modes }));
  }
}

type Picture = Extract<ControlEvent, { readonly event: "earlier" | "screen" | "output" }>;

function isPicture(event: ControlEvent): event is Picture {
  return event.event === "earlier" || event.event === "screen" || event.event === "output";
}
