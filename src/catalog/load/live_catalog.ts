/**
 * The tools of a running server (T11, T12): loaded when first asked for, looked at again when a file changes, replaced
 * whole, and announced once for each change that a client can see. A call keeps the catalog it began with.
 */
import { DirectoryWatch, type WatchProblem } from "../../system/directory_watch.ts";
import { Emitter, type Unsubscribe } from "../../base/emitter.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import {
  type AskProbe,
  askProbes,
  hasOpenChecks,
  type ProbeAnswers,
  type RecallProbes,
  recallProbes,
  withoutUnavailable,
} from "./availability.ts";
import { CheckRate } from "./check_rate.ts";
import type { Diagnostic } from "../format/diagnostic.ts";
import type { Catalog } from "../model/leaf.ts";
import { CatalogLoader } from "./load.ts";
import type { ToolText } from "./tool_text.ts";
import type { MayRead } from "./read_directory.ts";
import { RunningChecks } from "./running_checks.ts";

export interface LiveCatalogOptions {
  /** The directory to read now; asked at each load, because it may appear and go. Undefined: bundled tools only. */
  readonly findDirectory: () => string | undefined;
  /** Absolute directories whose changes are noticed; empty: `--no-hot-reload`. */
  readonly watched: readonly string[];
  /** Where that directory may lead; default: anywhere. */
  readonly mayRead?: MayRead;
  readonly bundled: readonly ToolText[];
  /** What clients see before each name; default: nothing. */
  readonly namePrefix?: string;
  readonly ask: AskProbe;
  /** Asked for the first list, which waits for nothing else. */
  readonly recall: RecallProbes;
  readonly log: Logger;
}

/** Events of one change come in a flurry: it is looked at when they pause for so long, milliseconds. */
const PAUSE_MS = 30;
/** Events that never pause are looked at after so long, milliseconds. */
const LONGEST_PAUSE_MS = 500;
/** A file that cannot be read is tried again after these times, milliseconds: it may be just being written. */
const RETRIES_MS = [100, 200, 400] as const;
/** The first checks begin so long after the first list, milliseconds: what a client asks first is not held up. */
const FIRST_CHECKS_AFTER_MS = 250;
/** All probes of one look have so long, milliseconds; what has no answer then counts as there. */
const ALL_PROBES_MS = 20_000;

export class LiveCatalog implements AsyncDisposable {
  /** Checks that run now. */
  readonly checks = new RunningChecks();
  readonly #options: LiveCatalogOptions;
  readonly #loader: CatalogLoader;
  readonly #changes: Emitter<Catalog>;
  #first: Promise<Catalog> | undefined;
  #catalog: Catalog | undefined;
  #answers: ProbeAnswers = new Map();
  #watch: DirectoryWatch | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  /** When the pause began, of `performance.now()`. */
  #pausing: number | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #retries = 0;
  readonly #rate = new CheckRate();
  /** Set while checks wait for their turn. */
  #owed: ReturnType<typeof setTimeout> | undefined;
  /** The tools as a round of checks left them, where they changed meanwhile: their new checks are not run. */
  #changedByChecks: Catalog | undefined;
  /** Loads one after the other. */
  #working: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();
  /** Resolved: the first checks may begin. */
  readonly #begin = Promise.withResolvers<void>();
  /** The tools as they were read last, before anybody asked whether they are there. */
  #read: Catalog | undefined;

  constructor(options: LiveCatalogOptions) {
    this.#options = options;
    this.#loader = new CatalogLoader(options);
    this.#changes = new Emitter((thrown) =>
      options.log.error("A listener of tool changes threw", { error: messageOf(thrown) })
    );
  }

  /** The tools of this moment; the first asking loads them. */
  current(): Promise<Catalog> {
    if (this.#catalog !== undefined) return Promise.resolve(this.#catalog);
    return this.#first ??= this.#loadFirst();
  }

  /** The tools when every check that is under way has its answer. */
  async checked(): Promise<Catalog> {
    await this.current();
    this.#begin.resolve();
    await this.#working;
    return await this.current();
  }

  /** Hears each new catalog whose tools differ from those before. */
  subscribe(listener: (catalog: Catalog) => void): Unsubscribe {
    return this.#changes.subscribe(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#begin.resolve();
    clearTimeout(this.#pause);
    clearTimeout(this.#retry);
    clearTimeout(this.#owed);
    await this.#watch?.[Symbol.asyncDispose]();
    await this.#first;
    await this.#working;
  }

  async #loadFirst(): Promise<Catalog> {
    // Watched from before the first look, so that no change falls between the two.
    if (this.#options.watched.length > 0 && !this.#closing.signal.aborted) {
      const { watched: directories, log } = this.#options;
      this.#watch = new DirectoryWatch({ directories, log, onChange: () => this.#look(PAUSE_MS) });
    }
    const loaded = await this.#load();
    this.#read = loaded;
    this.#answers = await recallProbes(loaded, this.#options.recall);
    this.#publish(loaded);
    const timer = setTimeout(() => this.#begin.resolve(), FIRST_CHECKS_AFTER_MS);
    this.#working = this.#working.then(() => this.#begin.promise).then(() => clearTimeout(timer)).then(() =>
      this.#probe(loaded)
    ).then(() => {
      if (this.#read === loaded) this.#publish(loaded); // else a reload that was waiting before this has newer ones
    });
    this.#retryUnread(loaded);
    return this.#catalog ?? loaded;
  }

  async #load(): Promise<Catalog> {
    const loaded = await this.#loader.load(this.#options.findDirectory());
    const problem = this.#watch?.problem;
    return problem === undefined ? loaded : { ...loaded, diagnostics: [...loaded.diagnostics, unwatched(problem)] };
  }

  /** Looks again after a pause; called again meanwhile, the pause begins anew. */
  #look(afterMs: number): void {
    if (this.#closing.signal.aborted) return;
    clearTimeout(this.#pause);
    const now = performance.now();
    this.#pausing ??= now;
    this.#pause = setTimeout(() => {
      this.#pausing = undefined;
      this.#working = this.#working.then(() => this.#reload());
    }, Math.min(afterMs, Math.max(0, this.#pausing + LONGEST_PAUSE_MS - now)));
  }

  async #reload(): Promise<void> {
    try {
      await this.#first;
      if (this.#closing.signal.aborted) return;
      const loaded = await this.#load();
      // An event without a change; to ask the probes again would let one that touches a file go on for ever.
      const before = this.#read;
      if (this.#owed === undefined && before !== undefined && isSame(before, loaded)) {
        return this.#retryUnread(loaded);
      }
      this.#read = loaded;
      await this.#probe(loaded);
      this.#publish(loaded);
      this.#retryUnread(loaded);
    } catch (thrown) {
      this.#options.log.error("Cannot read the tool files again", { error: messageOf(thrown) });
    }
  }

  async #probe(loaded: Catalog): Promise<void> {
    clearTimeout(this.#owed);
    this.#owed = undefined;
    const commands = hasOpenChecks(loaded, this.#answers) && !this.#isOfChecks(loaded) && this.#mayBegin();
    await this.#askAll(loaded, commands);
    if (!commands || this.#closing.signal.aborted) return;
    // Else a check that changes tool files would have the next one run, for ever.
    const now = await this.#load();
    this.#changedByChecks = isSame(now, loaded) ? undefined : now;
  }

  /** Whether these tools came to be while checks ran. */
  #isOfChecks(loaded: Catalog): boolean {
    return this.#changedByChecks !== undefined && isSame(this.#changedByChecks, loaded);
  }

  /** Whether checks may run now; if not, it is looked again when they may. */
  #mayBegin(): boolean {
    const wait = this.#rate.begin(performance.now());
    if (wait > 0) this.#owed = setTimeout(() => this.#look(0), wait);
    return wait === 0;
  }

  async #askAll(loaded: Catalog, commands: boolean): Promise<void> {
    const enough = new AbortController();
    const timer = setTimeout(() => enough.abort(), ALL_PROBES_MS);
    const signal = AbortSignal.any([enough.signal, this.#closing.signal]);
    const ask = this.checks.listed(this.#options.ask);
    this.#answers = await askProbes(loaded, { ask, known: this.#answers, commands, signal });
    clearTimeout(timer);
  }

  #publish(loaded: Catalog): void {
    const before = this.#catalog;
    const now = withoutUnavailable(loaded, this.#answers);
    this.#catalog = now;
    this.#report(before, now);
    if (before !== undefined && !sameTools(before, now)) this.#changes.emit(now);
  }

  /** A file that is there and cannot be read may be on its way: it is tried again, with growing pauses. */
  #retryUnread(loaded: Catalog): void {
    const unread = loaded.diagnostics.some(({ message }) => message.startsWith("Cannot read tool file"));
    if (!unread) this.#retries = 0;
    const wait = unread && !this.#closing.signal.aborted ? RETRIES_MS[this.#retries++] : undefined;
    if (wait === undefined) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#look(0), wait);
  }

  /** Each diagnostic and each missing program is logged once, when it appears. */
  #report(before: Catalog | undefined, now: Catalog): void {
    const { log } = this.#options;
    const known = new Set(before?.diagnostics.map((diagnostic) => JSON.stringify(diagnostic)));
    for (const diagnostic of now.diagnostics) {
      if (known.has(JSON.stringify(diagnostic))) continue;
      const { severity, file, pointer, line, column, message } = diagnostic;
      const place = line === 0 ? file : `${file}:${line}:${column}`;
      (severity === "error" ? log.error : log.warn)(`Tool file ${place}: ${message}`, { pointer });
    }
    const missing = new Set(before?.unavailable?.map((one) => JSON.stringify(one)));
    for (const one of now.unavailable ?? []) {
      if (missing.has(JSON.stringify(one))) continue;
      log.info("Not offered: the program is not there", { ...one });
    }
    if (before !== undefined) log.info("Tools read again", { tools: now.leaves.length, before: before.leaves.length });
  }
}

/** Leaves of files that did not change are the same objects (flatten.ts); only the others are compared. */
function sameTools(one: Catalog, other: Catalog): boolean {
  return one.leaves.length === other.leaves.length && one.leaves.every((leaf, index) => {
    const second = other.leaves[index];
    return leaf === second || JSON.stringify(leaf) === JSON.stringify(second);
  });
}

function isSame(one: Catalog, other: Catalog): boolean {
  return sameTools(one, other) && JSON.stringify(one.diagnostics) === JSON.stringify(other.diagnostics);
}

function unwatched({ path, reason }: WatchProblem): Diagnostic {
  const message = `Changes of tool files are not seen: ${reason}. Start the server again to load them`;
  return { severity: "warning", file: path, pointer: "", line: 0, column: 0, message };
}
