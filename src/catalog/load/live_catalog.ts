/**
 * The tools of a running server (T11, T12): loaded at the first request, loaded again when a file changes, replaced
 * whole, and announced once for each change that a client can see. A call keeps the catalog it began with.
 */
import type { Unsubscribe } from "../../base/emitter.ts";
import { hasTransientFault, LiveDirectory } from "../../system/live_directory.ts";
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
import { CheckRate, RunningChecks } from "./running_checks.ts";
import type { Catalog } from "../model/leaf.ts";
import { CatalogLoader, type LoadOptions } from "./load.ts";

export interface LiveCatalogOptions extends LoadOptions {
  /** Looked up at each load, because it may appear and disappear. Undefined: bundled tools only. */
  readonly findDirectory: () => string | undefined;
  /** Absolute directories whose changes are noticed; empty: `--no-hot-reload`. */
  readonly watched: readonly string[];
  readonly ask: AskProbe;
  /** Stored answers for the first list, which runs no command. */
  readonly recall: RecallProbes;
  readonly log: Logger;
}

/** Delay of the first checks after the first list, milliseconds, so that they do not slow a client's first requests. */
const FIRST_CHECKS_AFTER_MS = 250;
/** All probes of one load together, milliseconds; a tool whose probe has not answered by then is offered. */
const ALL_PROBES_MS = 20_000;

export class LiveCatalog implements AsyncDisposable {
  readonly checks = new RunningChecks();
  readonly #options: LiveCatalogOptions;
  readonly #loader: CatalogLoader;
  readonly #live: LiveDirectory<Catalog>;
  /** The tools of the last read, before probes. */
  #read: Catalog | undefined;
  /** The tools last offered, after probes. */
  #offered: Catalog | undefined;
  #answers: ProbeAnswers = new Map();
  /** A round of checks has ended. */
  #hasAsked = false;
  readonly #rate = new CheckRate();
  /** Set while checks wait for their turn. */
  #owed: ReturnType<typeof setTimeout> | undefined;
  /** The tools after a round of checks during which they changed: their new checks are not run. */
  #changedByChecks: Catalog | undefined;
  readonly #closing = new AbortController();

  constructor(options: LiveCatalogOptions) {
    this.#options = options;
    this.#loader = new CatalogLoader(options);
    this.#live = new LiveDirectory({
      name: "tool file",
      directories: options.watched,
      load: () => this.#load(),
      isSame: sameTools,
      log: options.log,
    });
  }

  /** The current tools; the first call loads them. */
  current(): Promise<Catalog> {
    return this.#live.current();
  }

  /** The tools once every due check has its answer. */
  async checked(): Promise<Catalog> {
    await this.current();
    if (this.#owed !== undefined) this.#live.reload();
    await this.#live.settled();
    return await this.current();
  }

  /** Whether the tools no longer change: they are read once, and a first round of checks is over. */
  get isFinal(): boolean {
    const { watched } = this.#options;
    return watched.length === 0 && this.#hasAsked && this.#owed === undefined && this.#read !== undefined &&
      !hasTransientFault(this.#read);
  }

  /** Calls `listener` with each new catalog whose tools differ from those before. */
  subscribe(listener: (catalog: Catalog) => void): Unsubscribe {
    return this.#live.subscribe(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#owed);
    await this.#live[Symbol.asyncDispose]();
  }

  async #load(): Promise<Catalog> {
    const before = this.#read;
    // Without a watch the tools stay as first read: a reload comes from checks, or from a transient fault.
    const isKept = this.#options.watched.length === 0 && before !== undefined && !hasTransientFault(before);
    const read = isKept ? before : await this.#readFiles();
    this.#read = read;
    if (before === undefined) {
      this.#answers = await recallProbes(read, this.#options.recall);
      this.#oweChecks(FIRST_CHECKS_AFTER_MS);
    } else if (this.#owed !== undefined || this.#offered === undefined || !isSame(before, read)) {
      await this.#probe(read);
    } else {
      // An event without a change runs no probe: a probe that touches a file would trigger itself forever.
      return this.#offered;
    }
    const content = withoutUnavailable(read, this.#answers);
    this.#report(this.#offered, content);
    this.#offered = content;
    this.#hasAsked = before !== undefined;
    return content;
  }

  #readFiles(): Promise<Catalog> {
    return this.#loader.load(this.#options.findDirectory());
  }

  async #probe(read: Catalog): Promise<void> {
    clearTimeout(this.#owed);
    this.#owed = undefined;
    const commands = hasOpenChecks(read, this.#answers) && !this.#isOfChecks(read) && this.#mayBegin();
    await this.#askAll(read, commands);
    if (!commands || this.#closing.signal.aborted) return;
    // Otherwise a check that edits tool files would trigger itself forever.
    const after = await this.#readFiles();
    this.#changedByChecks = isSame(after, read) ? undefined : after;
  }

  /** Whether these tools appeared while checks ran. */
  #isOfChecks(read: Catalog): boolean {
    return this.#changedByChecks !== undefined && isSame(this.#changedByChecks, read);
  }

  /** Whether checks may run now; if not, they run later. */
  #mayBegin(): boolean {
    const wait = this.#rate.begin(performance.now());
    if (wait > 0) this.#oweChecks(wait);
    return wait === 0;
  }

  #oweChecks(afterMs: number): void {
    if (!this.#closing.signal.aborted) this.#owed = setTimeout(() => this.#live.reload(), afterMs);
  }

  async #askAll(read: Catalog, commands: boolean): Promise<void> {
    const signal = AbortSignal.any([AbortSignal.timeout(ALL_PROBES_MS), this.#closing.signal]);
    const ask = this.checks.listed(this.#options.ask);
    this.#answers = await askProbes(read, { ask, known: this.#answers, commands, signal });
  }

  /** Each missing program is logged once, when it appears. */
  #report(before: Catalog | undefined, now: Catalog): void {
    const { log } = this.#options;
    const missing = new Set(before?.unavailable?.map((one) => JSON.stringify(one)));
    for (const one of now.unavailable ?? []) {
      if (missing.has(JSON.stringify(one))) continue;
      log.info("Tool unavailable: program not found", { ...one });
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
