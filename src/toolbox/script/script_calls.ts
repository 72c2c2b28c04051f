/** The calls of one script, within limits: how many, how many at once, and what their answers add up to (K11). */
import { messageOf } from "../../base/errors.ts";
import { parseBounded } from "../../wire/message_reader.ts";
import type { ScriptAnswer } from "./messages.ts";

/** Does one call; never rejects. */
export type CallOfScript = (
  name: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<ScriptAnswer>;

const MOST_CALLS = 200;
const MOST_AT_ONCE = 8;
/** Characters of one answer, and of all. */
const LONGEST_ANSWER = 256 * 1024;
const MOST_ANSWERS = 8 * 1024 * 1024;

export class ScriptCalls {
  readonly #call: CallOfScript;
  readonly #signal: AbortSignal;
  readonly #waiting: (() => void)[] = [];
  readonly #unsettled = new Set<Promise<ScriptAnswer>>();
  #asked = 0;
  #running = 0;
  #received = 0;

  /** Aborting `signal` ends those that run, and refuses further ones. */
  constructor(call: CallOfScript, signal: AbortSignal) {
    this.#call = call;
    this.#signal = signal;
  }

  /** How many were allowed. */
  get count(): number {
    return Math.min(this.#asked, MOST_CALLS);
  }
  /** Characters of all answers. */
  get received(): number {
    return this.#received;
  }

  /** Makes a call, in its turn; never rejects. @throws {Error} At once, when a script asks for many more than it may. */
  make(name: string, args: Readonly<Record<string, unknown>>): Promise<ScriptAnswer> {
    if (++this.#asked > 2 * MOST_CALLS) throw new Error(`The script made more than ${MOST_CALLS} calls`);
    const answer = this.#answer(name, args);
    this.#unsettled.add(answer);
    void answer.then(() => this.#unsettled.delete(answer));
    return answer;
  }

  /** Settles when none runs; never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#unsettled);
  }

  async #answer(name: string, args: Readonly<Record<string, unknown>>): Promise<ScriptAnswer> {
    if (this.#asked > MOST_CALLS) return refused(`A script makes at most ${MOST_CALLS} calls: return what is done`);
    if (this.#running >= MOST_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      if (this.#signal.aborted) return refused("The script has ended");
      if (this.#received > MOST_ANSWERS) return refused(`A script gets at most ${MOST_ANSWERS} characters of answers`);
      const bounded = parseBounded(JSON.stringify(args));
      if (!bounded.ok) return refused(`Cannot make the call of the script: ${bounded.problem}`);
      return this.#bounded(await this.#call(name, args, this.#signal));
    } catch (thrown) {
      return refused(messageOf(thrown));
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  #bounded({ structured, ...answer }: ScriptAnswer): ScriptAnswer {
    const isLong = answer.text.length > LONGEST_ANSWER;
    const text = isLong ? `${answer.text.slice(0, LONGEST_ANSWER)}\n[the rest is left out]` : answer.text;
    const size = structured === undefined ? 0 : JSON.stringify(structured).length;
    this.#received += text.length + Math.min(size, LONGEST_ANSWER);
    return { ...answer, text, ...size > 0 && size <= LONGEST_ANSWER && { structured } };
  }
}

/** The answer to a call that is not made. */
export function refused(text: string): ScriptAnswer {
  return { text, isError: true };
}
