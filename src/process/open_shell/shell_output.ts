/** Assigns the output of a shell to the running line, or to the next one (B5). */
import { concatenate } from "../../base/bytes.ts";
import { encodeText } from "../../base/text.ts";
import { RingBuffer } from "../../operation/output/ring_buffer.ts";
import type { CommandHooks } from "../command_runner.ts";
import { type Mark, MarkReader } from "./mark_reader.ts";

/** Bytes kept of the end of output between lines. */
const KEPT_BETWEEN = 4096;
const BACKGROUND_HEADING = "[background output]\n";
const OUTPUT_HEADING = "[output]\n";
const NEWLINE = 0x0a;

/** What receives the output of a line. */
export type LineHooks = Omit<CommandHooks, "signal">;

interface RunningLine {
  readonly number: number;
  readonly hooks: LineHooks;
  readonly ended: PromiseWithResolvers<Mark>;
}

export class ShellOutput {
  readonly #marks: MarkReader;
  readonly #between = new RingBuffer(KEPT_BETWEEN);
  #line: RunningLine | undefined;

  constructor(secret: string) {
    this.#marks = new MarkReader(secret);
  }

  /** Of the line that runs; undefined: none does. */
  get hooks(): LineHooks | undefined {
    return this.#line?.hooks;
  }

  /** Output goes to this line from now on; settles when its mark comes. */
  async begin(number: number, hooks: LineHooks): Promise<Mark> {
    const line: RunningLine = { number, hooks, ended: Promise.withResolvers() };
    this.#line = line;
    if (this.#between.length > 0) {
      const before = this.#between.toBytes();
      this.#between.clear();
      const gap = before.at(-1) === NEWLINE ? "" : "\n";
      const parts = [encodeText(BACKGROUND_HEADING), before, encodeText(gap + OUTPUT_HEADING)];
      await hooks.onOutput(concatenate(parts));
    }
    return await line.ended.promise;
  }

  /** Takes what the shell and its programs wrote; a promise: reading pauses until it settles. */
  take(chunk: Uint8Array): Promise<void> | undefined {
    let pressure: Promise<void> | undefined;
    for (const part of this.#marks.read(chunk)) {
      if ("mark" in part) this.#end(part.mark);
      else pressure = this.#pass(part.output) ?? pressure;
    }
    return pressure;
  }

  /** Nothing follows. */
  close(): void {
    void this.#pass(this.#marks.rest());
    this.#line = undefined;
  }

  /** The mark of an earlier line is ignored: an interruption asks for the line's mark again. */
  #end(mark: Mark): void {
    if (mark.number !== this.#line?.number) return;
    this.#line.ended.resolve(mark);
    this.#line = undefined;
  }

  #pass(output: Uint8Array): Promise<void> | undefined {
    if (this.#line === undefined) {
      this.#between.write(output);
      return undefined;
    }
    const pressure = this.#line.hooks.onOutput(output);
    return pressure instanceof Promise ? pressure : undefined;
  }
}
