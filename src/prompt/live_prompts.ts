/** The prompts of a running server (Q1, Q3), loaded at first use like their engine, and again after changes. */
import type { Unsubscribe } from "../base/emitter.ts";
import type { Diagnostic } from "../base/diagnostic.ts";
import type { Logger } from "../base/log.ts";
import { failure, type Outcome } from "../base/outcome.ts";
import { delay } from "../base/time.ts";
import { LiveDirectory } from "../system/live_directory.ts";
import type { Prompt, PromptLibrary, PromptSet } from "./format/prompt.ts";
import type { PromptText } from "./format/read_prompt.ts";
import { PromptLoader } from "./load/load_prompts.ts";
import type { PromptDirectory } from "./load/read_prompts.ts";
import { foldersBelow } from "./load/walk.ts";
import { type LiquidModule, loadLiquid } from "./render/liquid.ts";
import { type RenderedMessage, TemplateEngine } from "./render/template_engine.ts";

export interface LivePromptsOptions {
  /** Called at each load, because directories may appear and disappear. */
  readonly directories: () => readonly PromptDirectory[];
  /** Absolute directories that are watched for changes; empty: `--no-hot-reload`. */
  readonly watched: readonly string[];
  /** Prompts of the program; they are read when the first load begins. */
  readonly bundled: () => Promise<readonly PromptText[]>;
  /** Values for every template; an argument of the same name replaces them. */
  readonly variables: () => Readonly<Record<string, unknown>>;
  readonly log: Logger;
}

export class LivePrompts implements AsyncDisposable {
  readonly #options: LivePromptsOptions;
  readonly #loader = new PromptLoader();
  readonly #live: LiveDirectory<PromptLibrary>;
  #liquid: Promise<LiquidModule> | undefined;
  #engines:
    | { readonly library: PromptLibrary; readonly all: TemplateEngine; readonly trusted: TemplateEngine }
    | undefined;
  /** Whether the next load checks every template; the first load of a server does not. */
  #checks = false;
  /** Whether the current content was checked. */
  #isChecked = false;
  #checker: TemplateEngine | undefined;

  constructor(options: LivePromptsOptions) {
    this.#options = options;
    this.#live = new LiveDirectory({
      name: "prompt",
      directories: options.watched,
      below: foldersBelow,
      load: () => this.#load(),
      isSame,
      log: options.log,
    });
  }

  /** The current prompts; the first call loads them. */
  current(): Promise<PromptLibrary> {
    return this.#live.current();
  }

  /** The prompts with every template checked. */
  async checked(): Promise<PromptLibrary> {
    const before = await this.current();
    if (this.#isChecked || before.all.size === 0) return before;
    this.#live.reload();
    await this.#live.settled();
    return await this.current();
  }

  /** Calls `listener` once for each change of what clients can list or get. */
  subscribe(listener: () => void): Unsubscribe {
    return this.#live.subscribe(() => listener());
  }

  /** The messages of a prompt of `library`; the problem is the fault of a template. */
  async render(
    library: PromptLibrary,
    prompt: Prompt,
    values: Readonly<Record<string, unknown>>,
  ): Promise<Outcome<readonly RenderedMessage[], Diagnostic>> {
    const { all, trusted } = await this.#enginesOf(library);
    const engine = prompt.origin === "project" ? all : trusted;
    const rendered = await engine.render(prompt, { ...this.#options.variables(), ...values });
    return rendered.ok ? rendered : failure(rendered.problem);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#live[Symbol.asyncDispose]();
  }

  async #load(): Promise<PromptLibrary> {
    const { directories, bundled } = this.#options;
    const check = this.#checks ? (prompt: Prompt) => this.#check(prompt) : undefined;
    // A file that changes while the server runs is checked before it replaces a good version.
    this.#checks = true;
    const read = await this.#loader.load(directories(), await bundled(), check);
    this.#isChecked = check !== undefined;
    return read;
  }

  async #check(prompt: Prompt): Promise<Diagnostic | undefined> {
    this.#checker ??= new TemplateEngine(await this.#module(), new Map());
    // Parsing cannot be interrupted: other requests are served between two files.
    await delay(0);
    return this.#checker.check(prompt);
  }

  async #enginesOf(library: PromptLibrary) {
    const module = await this.#module();
    if (this.#engines?.library !== library) {
      const { all, trusted } = library;
      this.#engines = { library, all: new TemplateEngine(module, all), trusted: new TemplateEngine(module, trusted) };
    }
    return this.#engines;
  }

  #module(): Promise<LiquidModule> {
    return this.#liquid ??= loadLiquid();
  }
}

/** Whether nothing changed. A project's file may replace a trusted one in only one of the two sets. */
function isSame(before: PromptLibrary, after: PromptLibrary): boolean {
  return isSameSet(before.all, after.all) && isSameSet(before.trusted, after.trusted);
}

/** Prompts of unchanged files are the same objects, so only the others are compared. */
function isSameSet(before: PromptSet, after: PromptSet): boolean {
  return before.size === after.size && after.values().every((prompt) => {
    const earlier = before.get(prompt.name);
    return earlier === prompt || JSON.stringify(earlier) === JSON.stringify(prompt);
  });
}
