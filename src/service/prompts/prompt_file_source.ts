/** The source of prompt files: lists them for clients and answers requests for one (Q2, C5). */
import type { GetPromptResult, Prompt as ListedPrompt } from "@modelcontextprotocol/server";
import { describeDiagnostic, diagnosticLines } from "../../base/diagnostic.ts";
import type { Unsubscribe } from "../../base/emitter.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { argumentValues, choicesOf } from "../../prompt/format/argument_values.ts";
import type { Prompt, PromptLibrary, PromptParameter } from "../../prompt/format/prompt.ts";
import type { LivePrompts } from "../../prompt/live_prompts.ts";
import {
  type ArgumentRequest,
  type Completion,
  matching,
  type PromptContext,
  type PromptRefusal,
  type PromptRequest,
  type PromptSource,
} from "./prompt_source.ts";

/** Key of `_meta` that says where a prompt comes from. */
export const PROMPT_META_KEY = "ahma/prompt";

/** Completions of the project for an argument type and the text typed so far. */
export type FindValues = (
  asked: { readonly kind: "path" | "issue" | "memo"; readonly typed: string },
  signal: AbortSignal,
) => Promise<Completion>;

interface PromptFileOptions {
  /** The files are watched. */
  readonly changes: boolean;
  /** Absent: arguments of these types are not completed. */
  readonly findValues?: FindValues;
}

export class PromptFileSource implements PromptSource {
  readonly onChange?: (listener: () => void) => Unsubscribe;
  readonly #prompts: LivePrompts;
  readonly #findValues: FindValues | undefined;
  #library: PromptLibrary | undefined;
  #listed: readonly ListedPrompt[] = [];

  constructor(prompts: LivePrompts, { changes, findValues }: PromptFileOptions) {
    this.#prompts = prompts;
    this.#findValues = findValues;
    if (changes) this.onChange = (listener) => prompts.subscribe(listener);
  }

  async list(): Promise<readonly ListedPrompt[]> {
    const library = await this.#prompts.current();
    if (library !== this.#library) {
      this.#listed = library.listed.map((prompt) => listedPrompt(prompt, library));
      this.#library = library;
    }
    return this.#listed;
  }

  async get({ name, args }: PromptRequest, _: PromptContext): Promise<Outcome<GetPromptResult, PromptRefusal>> {
    const library = await this.#prompts.current();
    const found = promptOf(library, name);
    if (!found.ok) return found;
    const values = argumentValues(found.value, args);
    if (!values.ok) return failure({ kind: "refused", message: values.problem });
    const rendered = await this.#prompts.render(library, found.value, values.value);
    if (!rendered.ok) {
      const message = `Cannot render prompt "${name}": ${describeDiagnostic(rendered.problem)}`;
      return failure({ kind: "refused", message });
    }
    return success({
      ...descriptionOf(found.value, library),
      messages: rendered.value.map(({ role, text }) => ({ role, content: { type: "text", text } })),
    });
  }

  async complete(
    { name, argument, typed }: ArgumentRequest,
    { signal }: PromptContext,
  ): Promise<Outcome<Completion, PromptRefusal>> {
    const library = await this.#prompts.current();
    const found = promptOf(library, name);
    if (!found.ok) return found;
    const parameter = found.value.parameters.find((one) => one.name === argument);
    const type = parameter?.choices.length === 0 ? parameter.type : undefined;
    if (this.#findValues !== undefined && (type === "path" || type === "issue" || type === "memo")) {
      return success(await this.#findValues({ kind: type, typed }, signal));
    }
    return success(matching(parameter === undefined ? [] : valuesOf(parameter, library), typed));
  }

  /** What is wrong in files, templates included. */
  async status(): Promise<readonly string[]> {
    return diagnosticLines("Prompts:", (await this.#prompts.checked()).diagnostics);
  }
}

/** A prompt in the form of `prompts/list`. */
function listedPrompt(prompt: Prompt, library: PromptLibrary): ListedPrompt {
  const { name, title, origin, parameters } = prompt;
  // Prompts of a project are marked as such for the client, because other people may have written them.
  const shown = origin === "project" ? `${title ?? name} (project)` : title;
  return {
    name,
    ...shown !== undefined && { title: shown },
    ...descriptionOf(prompt, library),
    ...parameters.length > 0 && { arguments: parameters.map(listedArgument) },
    _meta: { [PROMPT_META_KEY]: { source: origin } },
  };
}

/** The description, and which other prompts this one replaces. */
function descriptionOf(prompt: Prompt, { overridden }: PromptLibrary): { readonly description?: string } {
  const others = overridden.get(prompt);
  const note = others === undefined ? [] : [`Replaces the ${others.join(" and ")} prompt of this name.`];
  const description = [prompt.description ?? [], ...note].flat().join(" ");
  return description === "" ? {} : { description };
}

function listedArgument({ name, description, required, choices }: PromptParameter) {
  const values = choices.length === 0 ? [] : [`One of: ${choices.join(", ")}.`];
  const words = [description ?? [], ...values].flat().join(" ");
  return { name, ...words !== "" && { description: words }, ...required && { required } };
}

/** Clients do not see partials. */
function promptOf({ all, listed }: PromptLibrary, name: string): Outcome<Prompt, PromptRefusal> {
  const prompt = all.get(name);
  if (prompt?.isPartial === true) {
    const message = `Prompt "${name}" is a partial: other prompts include it, and it cannot be had alone`;
    return failure({ kind: "refused", message });
  }
  return prompt === undefined ? failure({ kind: "unknown", known: listed.map((one) => one.name) }) : success(prompt);
}

function valuesOf(parameter: PromptParameter, { listed }: PromptLibrary): readonly string[] {
  return parameter.type === "prompt" ? listed.map(({ name }) => name) : choicesOf(parameter) ?? [];
}
