/** One script in its own process, from its code to its end, within limits (K11). */
import { messageOf } from "../../base/errors.ts";
import { type ChildServer, type StartChildServer } from "../../child_server/child_server.ts";
import { parseBounded } from "../../wire/message_reader.ts";
import { encodeFrame, FrameReader } from "../frame/frames.ts";
import { type FromScript, LONGEST_MESSAGE, readScriptMessage, type ScriptAnswer, type ToScript } from "./messages.ts";

export interface ScriptHost {
  /** Starts a process without permissions inside the sandbox. */
  readonly start: StartChildServer;
  /** Does one call; never rejects. */
  readonly call: (
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) => Promise<ScriptAnswer>;
  /** Aborting it ends the script and its calls. */
  readonly signal: AbortSignal;
  /** Of the whole script, with what it waits for; undefined: no limit. */
  readonly timeoutSeconds: number | undefined;
}

export interface ScriptEnd {
  /** What it wrote to its console. */
  readonly output: string;
  /** What it returned, as JSON; absent: nothing. */
  readonly value?: string;
  /** Why it failed; absent: it did not. */
  readonly problem?: string;
  readonly calls: number;
  /** Characters of all answers. */
  readonly received: number;
}

const MOST_CALLS = 200;
const MOST_AT_ONCE = 8;
/** Characters of one answer, and of all. */
const LONGEST_ANSWER = 256 * 1024;
const MOST_ANSWERS = 8 * 1024 * 1024;
/** Characters of the console that are kept. */
const MOST_OUTPUT = 64 * 1024;
/** Bytes that a script may write: calls and console. */
const MOST_WRITTEN = 16 * 1024 * 1024;

/** Resolves when the script has ended with its process. */
export async function runScript(code: string, host: ScriptHost): Promise<ScriptEnd> {
  const run = new ScriptRun(host);
  return await run.run(code);
}

class ScriptRun {
  readonly #host: ScriptHost;
  readonly #stop = new AbortController();
  readonly #end = Promise.withResolvers<Pick<ScriptEnd, "value" | "problem">>();
  readonly #waiting: (() => void)[] = [];
  #process: ChildServer | undefined;
  #output = "";
  #calls = 0;
  #running = 0;
  #received = 0;

  constructor(host: ScriptHost) {
    this.#host = host;
  }

  async run(code: string): Promise<ScriptEnd> {
    const { signal, timeoutSeconds } = this.#host;
    const cancel = () => this.#end.resolve({ problem: "The script was cancelled" });
    signal.addEventListener("abort", cancel, { once: true });
    const late = timeoutSeconds === undefined ? undefined : setTimeout(
      () => this.#end.resolve({ problem: `The script did not end within ${timeoutSeconds} s (--timeout)` }),
      timeoutSeconds * 1000,
    );
    if (signal.aborted) cancel();
    try {
      const process = this.#process = await this.#start();
      void process.ended.then((how) => this.#end.resolve({ problem: `The process of the script is gone: ${how}` }));
      void process.write(encodeFrame({ kind: "run", code } satisfies ToScript));
      const end = await this.#end.promise;
      this.#stop.abort();
      process.kill();
      await process.ended;
      return { ...end, output: this.#output, calls: this.#calls, received: this.#received };
    } catch (thrown) {
      return { problem: `Cannot start the script: ${messageOf(thrown)}`, output: "", calls: 0, received: 0 };
    } finally {
      clearTimeout(late);
      signal.removeEventListener("abort", cancel);
    }
  }

  async #start(): Promise<ChildServer> {
    const reader = new FrameReader(LONGEST_MESSAGE);
    let written = 0;
    return await this.#host.start({
      onOutput: (chunk) => {
        written += chunk.length;
        if (this.#stop.signal.aborted) return undefined;
        try {
          if (written > MOST_WRITTEN) throw new Error(`The script wrote more than ${MOST_WRITTEN} bytes`);
          for (const message of reader.push(chunk)) this.#take(readScriptMessage(message));
        } catch (thrown) {
          this.#end.resolve({ problem: messageOf(thrown) });
          this.#stop.abort();
        }
        return undefined;
      },
      onErrorLine: () => {},
    });
  }

  #take(message: FromScript): void {
    switch (message.kind) {
      case "log":
        if (this.#output.length < MOST_OUTPUT) {
          this.#output += `${message.text}\n`;
          if (this.#output.length >= MOST_OUTPUT) this.#output += "[further output is left out]\n";
        }
        return;
      case "end":
        return this.#end.resolve(message);
      case "call":
        void this.#answer(message);
    }
  }

  async #answer({ id, name, args }: Extract<FromScript, { readonly kind: "call" }>): Promise<void> {
    const answer = await this.#call(name, args);
    const text = answer.text.length > LONGEST_ANSWER
      ? `${answer.text.slice(0, LONGEST_ANSWER)}\n[the rest is left out]`
      : answer.text;
    const { structured, ...rest } = answer;
    const size = structured === undefined ? 0 : JSON.stringify(structured).length;
    this.#received += text.length + size;
    const sent = { ...rest, text, ...size > 0 && size <= LONGEST_ANSWER && { structured } };
    await this.#process?.write(encodeFrame({ kind: "answer", id, answer: sent } satisfies ToScript));
  }

  async #call(name: string, args: Readonly<Record<string, unknown>>): Promise<ScriptAnswer> {
    if (++this.#calls > MOST_CALLS) return refused(`A script makes at most ${MOST_CALLS} calls: return what is done`);
    if (this.#running >= MOST_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      if (this.#stop.signal.aborted) return refused("The script has ended");
      if (this.#received > MOST_ANSWERS) return refused(`A script gets at most ${MOST_ANSWERS} characters of answers`);
      const bounded = parseBounded(JSON.stringify(args));
      if (!bounded.ok) return refused(`Cannot make the call of the script: ${bounded.problem}`);
      return await this.#host.call(name, args, this.#stop.signal);
    } catch (thrown) {
      return refused(messageOf(thrown));
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }
}

/** The answer to a call that is not made. */
export function refused(text: string): ScriptAnswer {
  return { text, isError: true };
}
