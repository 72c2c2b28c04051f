/** One script in its own process, from its code to its end, within limits (K11). */
import { messageOf } from "../../base/errors.ts";
import type { ChildServer, StartChildServer } from "../../child_server/child_server.ts";
import { encodeFrame, FrameReader } from "../frame/frames.ts";
import { LONGEST_MESSAGE, readScriptMessage, type ScriptAnswer, type ToScript } from "./messages.ts";
import { type CallOfScript, ScriptCalls } from "./script_calls.ts";

export interface ScriptHost {
  /** Starts a process without permissions inside the sandbox. */
  readonly start: StartChildServer;
  readonly call: CallOfScript;
  /** Receives what it writes to its console. */
  readonly write: (text: string) => void;
  /** Aborting it ends the script and its calls. */
  readonly signal: AbortSignal;
}

export interface ScriptEnd {
  /** What it returned, as JSON; absent: nothing. */
  readonly value?: string;
  /** Why it failed; absent: it did not. */
  readonly problem?: string;
  readonly calls: number;
  /** Characters of all answers. */
  readonly received: number;
}

/** Characters of the console that are kept. */
const MOST_OUTPUT = 64 * 1024;
/** Bytes and messages that a script may write: calls and console. */
const MOST_WRITTEN = 16 * 1024 * 1024;
const MOST_MESSAGES = 50_000;

/** Resolves when the script has ended with its process and its calls. */
export async function runScript(code: string, host: ScriptHost): Promise<ScriptEnd> {
  return await new ScriptRun(host).run(code);
}

class ScriptRun {
  readonly #host: ScriptHost;
  readonly #stop = new AbortController();
  readonly #end = Promise.withResolvers<Pick<ScriptEnd, "value" | "problem">>();
  readonly #calls: ScriptCalls;
  #process: ChildServer | undefined;
  #shown = 0;
  #taken = 0;

  constructor(host: ScriptHost) {
    this.#host = host;
    this.#calls = new ScriptCalls(host.call, this.#stop.signal);
  }

  async run(code: string): Promise<ScriptEnd> {
    const { signal } = this.#host;
    const cancel = () => this.#finish({ problem: "The script was cancelled" });
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      const process = this.#process = await this.#start();
      void process.ended.then((how) => this.#finish({ problem: `The process of the script is gone: ${how}` }));
      void process.write(encodeFrame({ kind: "run", code } satisfies ToScript));
      const end = await this.#end.promise;
      process.kill();
      await Promise.all([process.ended, this.#calls.settled()]);
      return { ...end, calls: this.#calls.count, received: this.#calls.received };
    } catch (thrown) {
      return { problem: `Cannot start the script: ${messageOf(thrown)}`, calls: 0, received: 0 };
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  /** The first end counts; nothing that the script writes afterwards does. */
  #finish(end: Pick<ScriptEnd, "value" | "problem">): void {
    this.#end.resolve(end);
    this.#stop.abort();
  }

  async #start(): Promise<ChildServer> {
    const reader = new FrameReader(LONGEST_MESSAGE);
    let written = 0;
    return await this.#host.start({
      onOutput: (chunk) => {
        written += chunk.length;
        try {
          if (written > MOST_WRITTEN) throw new Error(`The script wrote more than ${MOST_WRITTEN} bytes`);
          if (!this.#stop.signal.aborted) { for (const message of reader.push(chunk)) this.#take(message); }
        } catch (thrown) {
          this.#finish({ problem: messageOf(thrown) });
        }
        return undefined;
      },
    });
  }

  #take(frame: unknown): void {
    if (this.#stop.signal.aborted) return;
    if (++this.#taken > MOST_MESSAGES) throw new Error(`The script wrote more than ${MOST_MESSAGES} lines`);
    const message = readScriptMessage(frame);
    switch (message.kind) {
      case "log":
        return this.#show(message.text);
      case "end":
        return this.#finish(message);
      case "call":
        void this.#deliver(message.id, this.#calls.make(message.name, message.args));
    }
  }

  #show(text: string): void {
    if (this.#shown >= MOST_OUTPUT) return;
    const shown = text.slice(0, MOST_OUTPUT - this.#shown);
    this.#shown += text.length + 1;
    this.#host.write(`${shown}\n${this.#shown >= MOST_OUTPUT ? "[further output is left out]\n" : ""}`);
  }

  async #deliver(id: number, answered: Promise<ScriptAnswer>): Promise<void> {
    const answer = await answered;
    await this.#process?.write(encodeFrame({ kind: "answer", id, answer } satisfies ToScript));
  }
}
