/** Content of directories, kept current: loaded when events pause, one load at a time, repeated if transient. */
import type { Diagnostic } from "../base/diagnostic.ts";
import { Emitter, type Unsubscribe } from "../base/emitter.ts";
import { messageOf } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { DirectoryWatch, type WatchProblem } from "./directory_watch.ts";

/** Loaded content with its diagnostics. A load with a transient diagnostic is repeated. */
export interface Diagnosed {
  readonly diagnostics: readonly Diagnostic[];
}

/** The directories, the load, and the comparison of two results. */
export interface LiveDirectoryOptions<Content extends Diagnosed> {
  /** The log's name for one file: "tool file". */
  readonly name: string;
  /** Absolute directories, watched from before the first load; empty: changes are not noticed. */
  readonly directories: readonly string[];
  /** Directories below one of them whose changes count too; absent: none. */
  readonly below?: (directory: string) => readonly string[];
  /** Loads the current content. A reload that throws changes nothing. */
  readonly load: () => Promise<Content>;
  /** Whether listeners would see no difference. */
  readonly isSame: (before: Content, after: Content) => boolean;
  readonly log: Logger;
}

/** Pause of events before a load, milliseconds: one change causes several. */
const PAUSE_MS = 30;
/** Longest wait for such a pause, milliseconds. */
const LONGEST_PAUSE_MS = 500;
/** Pauses before a load with a transient fault is repeated, milliseconds; then only a change leads to the next one. */
const RETRIES_MS = [100, 200, 400] as const;

export class LiveDirectory<Content extends Diagnosed> implements AsyncDisposable {
  readonly #options: LiveDirectoryOptions<Content>;
  readonly #changes: Emitter<Content>;
  #first: Promise<Content> | undefined;
  #content: Content | undefined;
  #watch: DirectoryWatch | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  /** Start of the pause, by `performance.now()`. */
  #pausing: number | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #retries = 0;
  /** Settles after all loads so far; never rejects. */
  #working: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: LiveDirectoryOptions<Content>) {
    this.#options = options;
    this.#changes = new Emitter((thrown) =>
      options.log.error(`A listener of ${options.name}s threw`, { error: messageOf(thrown) })
    );
  }

  /** The current content; the first call loads it. @throws what that load throws */
  current(): Promise<Content> {
    return this.#content === undefined ? this.#first ??= this.#loadFirst() : Promise.resolve(this.#content);
  }

  /** Loads again after all pending loads. */
  reload(): void {
    this.#working = this.#working.then(() => this.#loadAgain());
  }

  /** Settles when no load runs or waits. */
  async settled(): Promise<void> {
    for (let seen; seen !== this.#working;) await (seen = this.#working);
  }

  /** Calls `listener` with each new content that differs from the previous one. */
  subscribe(listener: (content: Content) => void): Unsubscribe {
    return this.#changes.subscribe(listener);
  }

  /** Starts no further load, and waits for the running one. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#pause);
    clearTimeout(this.#retry);
    await this.#watch?.[Symbol.asyncDispose]();
    await this.settled();
  }

  #loadFirst(): Promise<Content> {
    const { directories, below, log } = this.#options;
    if (directories.length > 0 && !this.#closed) {
      this.#watch = new DirectoryWatch({ directories, below, log, onChange: () => this.#waitForPause() });
    }
    const first = this.#load();
    this.#working = first.then(() => {}, () => {});
    return first;
  }

  async #loadAgain(): Promise<void> {
    if (this.#closed) return;
    try {
      await this.#load();
    } catch (thrown) {
      this.#options.log.error(`Cannot read the ${this.#options.name}s again`, { error: messageOf(thrown) });
    }
  }

  async #load(): Promise<Content> {
    const { name, load } = this.#options;
    const loaded = await load();
    const problem = this.#watch?.problem;
    const content = problem === undefined
      ? loaded
      : { ...loaded, diagnostics: [...loaded.diagnostics, describeUnwatched(name, problem)] };
    const before = this.#content;
    this.#content = content;
    this.#report(before, content);
    this.#retryLater(hasTransientFault(content));
    if (before !== undefined && !this.#options.isSame(before, content)) this.#changes.emit(content);
    return content;
  }

  /** Each diagnostic is logged once, when it appears. */
  #report(before: Content | undefined, { diagnostics }: Content): void {
    const { name, log } = this.#options;
    const known = new Set(before?.diagnostics.map((diagnostic) => JSON.stringify(diagnostic)));
    for (const diagnostic of diagnostics.filter((one) => !known.has(JSON.stringify(one)))) {
      const { severity, file, pointer, line, column, message } = diagnostic;
      const place = line === 0 ? file : `${file}:${line}:${column}`;
      const kind = name.charAt(0).toUpperCase() + name.slice(1);
      (severity === "error" ? log.error : log.warn)(
        `${kind} ${place}: ${message}`,
        pointer === "" ? undefined : { pointer },
      );
    }
  }

  /** Each event prolongs the pause. */
  #waitForPause(): void {
    if (this.#closed) return;
    clearTimeout(this.#pause);
    const now = performance.now();
    this.#pausing ??= now;
    this.#pause = setTimeout(() => {
      this.#pausing = undefined;
      this.reload();
    }, Math.min(PAUSE_MS, Math.max(0, this.#pausing + LONGEST_PAUSE_MS - now)));
  }

  #retryLater(transient: boolean): void {
    clearTimeout(this.#retry);
    if (!transient) this.#retries = 0;
    const wait = transient && !this.#closed ? RETRIES_MS[this.#retries++] : undefined;
    if (wait !== undefined) this.#retry = setTimeout(() => this.reload(), wait);
  }
}

/** Whether a file could temporarily not be read. */
export function hasTransientFault({ diagnostics }: Diagnosed): boolean {
  return diagnostics.some(({ unreadable }) => unreadable === "transient");
}

function describeUnwatched(name: string, { path, reason }: WatchProblem): Diagnostic {
  const message = `Changes of ${name}s are not seen: ${reason}. Restart the server to load them`;
  return { severity: "warning", file: path, pointer: "", line: 0, column: 0, message };
}
