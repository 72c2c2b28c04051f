/** Renders the templates of one set of prompts (Q2, Q4). Includes come only from the set. */
import type { Context, Emitter, Liquid, Template } from "liquidjs";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { messageOf } from "../../base/errors.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { didYouMean } from "../../base/suggest.ts";
import { truncate } from "../../base/text.ts";
import type { Prompt, PromptSet } from "../format/prompt.ts";
import { withoutEnding } from "../format/prompt_name.ts";
import { Budget } from "./budget.ts";
import { boundedFilters } from "./filters.ts";
import type { LiquidModule } from "./liquid.ts";
import { budgetOf, CountedText, limitedTags, type Role, ROLES } from "./tags.ts";

export interface RenderedMessage {
  readonly role: Role;
  readonly text: string;
}

/** The longest rendered prompt, characters. */
const LONGEST_RESULT = 1024 * 1024;
const LONGEST_MESSAGE = 300;
/** The most parts of a template: the parser recurses into tags, and its time grows with the square of the outputs. */
const MOST_PARTS = [["tags", "{%", 1_000], ["outputs", "{{", 5_000]] as const;

export class TemplateEngine {
  readonly #module: LiquidModule;
  readonly #prompts: PromptSet;
  readonly #liquid: Liquid;

  constructor(module: LiquidModule, prompts: PromptSet) {
    this.#module = module;
    this.#prompts = prompts;
    this.#liquid = new module.Liquid({
      fs: this.#files(),
      cache: true,
      relativeReference: false,
      ownPropertyOnly: true,
      strictFilters: true,
    });
    this.#limit(this.#liquid);
  }

  /** The fault of a template that is found without rendering; undefined: there is none. */
  check(prompt: Prompt): Diagnostic | undefined {
    try {
      this.#liquid.parse(boundedBody(prompt.body), prompt.name);
      return undefined;
    } catch (thrown) {
      return this.#faultOf(thrown, prompt);
    }
  }

  /** The messages of a prompt of the set; the problem is the fault of its template. */
  async render(
    prompt: Prompt,
    values: Readonly<Record<string, unknown>>,
  ): Promise<Outcome<readonly RenderedMessage[], Diagnostic>> {
    const budget = new Budget();
    // The engine uses both limiters only in these ways; a spawned context inherits them.
    const limits = budget as unknown as Context["memoryLimit"];
    try {
      const template = await this.#liquid.parseFile(prompt.name);
      const context = new this.#module.Context(values, this.#liquid.options, {}, {
        memoryLimit: limits,
        renderLimit: limits,
        liquid: this.#liquid,
      });
      // The base class declares a scope; here it is always a context.
      const text = String(await this.#liquid.render(template, context as object));
      if (text.length > LONGEST_RESULT) {
        throw new Error(`The text has ${text.length} characters, at most ${LONGEST_RESULT} are given out`);
      }
      return success(messagesOf(text, budget.mark));
    } catch (thrown) {
      return failure(this.#faultOf(thrown, prompt));
    }
  }

  /** Reads templates of the set; no path is ever opened. */
  #files(): Liquid["options"]["fs"] {
    const bodyOf = (name: string) => boundedBody(this.#prompts.get(name)?.body ?? "");
    return {
      resolve: (_directory, given) => {
        const name = this.#prompts.has(given) ? given : withoutEnding(given);
        if (this.#prompts.has(name)) return name;
        const guess = didYouMean(given, this.#prompts.keys());
        throw new Error(`No prompt or partial is named "${truncate(given, 80)}"${guess}`);
      },
      existsSync: (name) => this.#prompts.has(name),
      exists: (name) => Promise.resolve(this.#prompts.has(name)),
      readFileSync: bodyOf,
      readFile: (name) => Promise.resolve(bodyOf(name)),
    };
  }

  #limit(liquid: Liquid): void {
    const filters = boundedFilters(liquid.filters as Parameters<typeof boundedFilters>[0]);
    for (const name of Object.keys(liquid.filters)) liquid.unregisterFilter(name);
    for (const [name, filter] of Object.entries(filters)) liquid.registerFilter(name, filter as never);
    limitedTags(this.#module, liquid);
    const { renderer } = liquid;
    const render = renderer.renderTemplates.bind(renderer);
    renderer.renderTemplates = function* (templates: Template[], context: Context, emitter?: Emitter) {
      const budget = budgetOf(context);
      const pause = budget.pause();
      if (pause !== undefined) yield pause;
      return yield render(templates, context, emitter ?? new CountedText(budget));
    };
  }

  #faultOf(thrown: unknown, prompt: Prompt): Diagnostic {
    const { LiquidError } = this.#module;
    const error = LiquidError.is(thrown) ? thrown : undefined;
    const cause = error === undefined ? thrown : (error as { readonly originalError?: unknown }).originalError ?? error;
    const place = error?.token.getPosition();
    const named = error?.token.file === undefined ? undefined : this.#prompts.get(error.token.file);
    const { file, linesBefore } = named ?? prompt;
    return {
      severity: "error",
      file,
      pointer: "",
      line: place === undefined ? 0 : linesBefore + (place[0] ?? 0),
      column: place?.[1] ?? 0,
      message: sentenceOf(cause),
    };
  }
}

/** The template itself. @throws Error when it has too many parts, so that parsing them would block the server */
function boundedBody(body: string): string {
  for (const [what, opening, most] of MOST_PARTS) {
    const count = body.split(opening).length - 1;
    if (count > most) throw new Error(`The template has ${count} ${what}, at most ${most} are allowed`);
  }
  return body;
}

/** Splits the messages at their marks. Empty messages are left out, unless all are empty. */
function messagesOf(text: string, mark: string): readonly RenderedMessage[] {
  const [first = "", ...rest] = text.split(mark);
  const messages = [
    { role: "user" as const, text: first },
    ...rest.map((part) => {
      const end = part.indexOf("\n");
      const role = ROLES.find((one) => one === part.slice(0, end)) ?? "user";
      return { role, text: part.slice(end + 1) };
    }),
  ].map(({ role, text }) => ({ role, text: trimLines(text) }));
  const spoken = messages.filter((message) => message.text !== "");
  return spoken.length === 0 ? messages.slice(0, 1) : spoken;
}

/** The text without empty lines at its start and end. */
function trimLines(text: string): string {
  const start = text.length - text.trimStart().length;
  return text.slice(text.lastIndexOf("\n", start - 1) + 1).trimEnd();
}

/** The engine's message without the place, as a sentence. */
function sentenceOf(cause: unknown): string {
  const words = cause instanceof RangeError ? "The tags are nested too deeply" : messageOf(cause);
  const sentence = truncate(words.replace(/, file:.*$|, line:\d+, col:\d+$/s, ""), LONGEST_MESSAGE);
  return sentence.slice(0, 1).toUpperCase() + sentence.slice(1);
}
