/** Has the worker make the views of commands that change nothing, measure them, and read them afterwards (S40). */
import { messageOf } from "../../base/errors.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { delay } from "../../base/time.ts";
import { shorten } from "../../base/visible_text.ts";
import type { PreviewView } from "../../process/command_runner.ts";
import {
  PREVIEW_BEGIN,
  PREVIEW_BYTES,
  PREVIEW_CLOSE,
  PREVIEW_DROP,
  PREVIEW_LOOK,
} from "../../toolbox/definition/undo.ts";
import type { ToolArguments } from "../../toolbox/frame/messages.ts";
import type { WorkerLink } from "../../toolbox/link/worker_link.ts";
import { textOf } from "../../toolbox/source/toolbox_source.ts";
import type { RecordedCall } from "./recorded_calls.ts";

/** Where views are, and what they are of. */
export interface PreviewPlace {
  /** Absolute; the worker makes it, and in it a directory for each operation. */
  readonly directory: string;
  /** As the worker numbers them, canonical. */
  readonly trees: readonly string[];
  /** Canonical trees that commands change themselves. */
  readonly own: readonly string[];
  readonly mostBytes: number;
  /** False: there is no sandbox. */
  readonly isEnforced: boolean;
}

/** Between two measurements, milliseconds. */
const MEASURED_EACH_MS = 1_000;
const LONGEST_TITLE = 200;
const NEVER = new AbortController().signal;

export class PreviewCalls {
  readonly place: PreviewPlace;
  readonly #link: Pick<WorkerLink, "call">;
  #isUsed = false;

  constructor(link: Pick<WorkerLink, "call">, place: PreviewPlace) {
    this.#link = link;
    this.place = place;
  }

  /** Makes the view of a command; the problem says why there is none. */
  async begin({ id, title }: RecordedCall): Promise<Outcome<PreviewView>> {
    const { directory, trees, own, mostBytes } = this.place;
    this.#isUsed = true;
    const begun = await this.#ask(PREVIEW_BEGIN, { operation: id, title: shorten(title, LONGEST_TITLE) });
    if (!begun.ok) return begun;
    const layer = (index: number, name: string) => `${directory}/${id}/${index}/${name}`;
    return success({
      trees: trees.map((path, index) => ({ path, upper: layer(index, "upper"), work: layer(index, "work") })),
      own,
      mostBytes,
    });
  }

  /** Settles with true as soon as all views are larger than they may be, or with false once `signal` aborts. */
  async isFull(signal: AbortSignal): Promise<boolean> {
    let took = 0;
    while (await delay(Math.max(MEASURED_EACH_MS, 4 * took), signal)) {
      const began = performance.now();
      const bytes = await this.#ask(PREVIEW_BYTES, {});
      if (bytes.ok && Number(bytes.value) > this.place.mostBytes) return true;
      took = performance.now() - began;
    }
    return false;
  }

  /** What an ended command would have changed; the problem says why that is not known. */
  async look(operation: string): Promise<Outcome<string>> {
    return await this.#ask(PREVIEW_LOOK, { operation });
  }

  /** Drops the view of an operation. */
  async drop(operation: string): Promise<void> {
    await this.#ask(PREVIEW_DROP, { operation });
  }

  /** Drops all. */
  async close(): Promise<void> {
    if (this.#isUsed) await this.#ask(PREVIEW_CLOSE, {});
  }

  async #ask(call: string, args: ToolArguments): Promise<Outcome<string>> {
    try {
      const answer = await this.#link.call(call, args, { signal: NEVER });
      return answer.isError === true ? failure(textOf(answer)) : success(textOf(answer));
    } catch (thrown) {
      return failure(messageOf(thrown));
    }
  }
}
