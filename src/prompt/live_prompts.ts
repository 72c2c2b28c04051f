/** The prompts of a running server (Q1, Q3), loaded at first use and after changes, like their engine. */
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
  /** Asked at each load, because one may appear and go. */
  readonly directories: () => readonly PromptDirectory[];
  /** Absolute directories whose changes are noticed; empty: `--no-hot-reload`. */
  readonly watched: readonly string[];
  /** Prompts of the program; they are read when the first load begins. */
  readonly bundled: () => Promise<readonly PromptText[]>;
  /** Values that every template has; an argument of the same name wins. */
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
  /** The next load checks every template; the first of a server leaves that to later. */
  #checks = false;
  /** The content of this moment was checked. */
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

  /** The prompts of this moment; the first call loads them. */
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
    // A file that changes while the server runs is checked before it takes the place of a good one.
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

/** What a project has in place of a trusted prompt or partial hides it in one set only. */
function isSame(before: PromptLibrary, after: PromptLibrary): boolean {
  return isSameSet(before.all, after.all) && isSameSet(before.trusted, after.trusted);
}

/** Prompts of files that did not change are the same objects; only the others are compared. */
function isSameSet(before: PromptSet, after: PromptSet): boolean {
  return before.size === after.size && after.values().every((prompt) => {
    const earlier = before.get(prompt.name);
    return earlier === prompt || JSON.stringify(earlier) === JSON.stringify(prompt);
  });
}
