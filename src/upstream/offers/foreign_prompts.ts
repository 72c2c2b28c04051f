/** Prompts of other servers under names of ours (O2). */
import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import type { Unsubscribe } from "../../base/emitter.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { truncate } from "../../base/text.ts";
import { visibleText } from "../../base/visible_text.ts";
import type {
  ArgumentRequest,
  Completion,
  PromptContext,
  PromptRefusal,
  PromptRequest,
  PromptSource,
} from "../../service/prompts/prompt_source.ts";
import { isObject } from "../../wire/json_value.ts";
import { withOurUris } from "../definitions/foreign_uri.ts";
import { clientPrompt, itemsOf } from "../definitions/items.ts";
import { namePrefixes, toolNames } from "../definitions/tool_names.ts";
import { ListChanges } from "../server/list_changes.ts";
import type { ServerSet } from "../server/server_set.ts";
import type { UpstreamServer } from "../server/upstream_server.ts";
import { withheldReason } from "../server/withheld.ts";
import { completionOf } from "./completion.ts";
import { requested } from "./requested.ts";

const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 4_096;

interface Entry {
  readonly server: UpstreamServer;
  /** As the server has it. */
  readonly theirs: string;
  /** Why it is not offered; undefined: it is. */
  readonly problem: string | undefined;
  readonly prompt: Prompt;
}

/** All prompts of one moment. */
interface Listing {
  readonly basis: string;
  readonly entries: readonly Entry[];
  readonly prompts: readonly Prompt[];
}

export interface ForeignPromptsOptions {
  readonly set: ServerSet;
  /** The sources whose names come first. */
  readonly own: readonly PromptSource[];
  readonly log: Logger;
}

export class ForeignPrompts implements PromptSource {
  readonly #options: ForeignPromptsOptions;
  readonly #changes: ListChanges;
  #version = 0;
  #listing: Listing | undefined;

  constructor(options: ForeignPromptsOptions) {
    this.#options = options;
    this.#changes = new ListChanges(options.log);
    options.set.onChange(() => this.#changed());
  }

  /** Clients are told when they have another list. */
  #changed(): void {
    this.#version++;
    // Own prompts are not read before a client asks for any.
    if (this.#listing === undefined) return;
    void this.#current().then(({ prompts }) => this.#changes.isNow(prompts)).catch((thrown: unknown) =>
      this.#options.log.error("Cannot tell a change of prompts", { error: messageOf(thrown) })
    );
  }

  async list(): Promise<readonly Prompt[]> {
    await this.#options.set.learned();
    const { prompts } = await this.#current();
    this.#changes.listed(prompts);
    return prompts;
  }

  async get(
    { name, args }: PromptRequest,
    { signal }: PromptContext,
  ): Promise<Outcome<GetPromptResult, PromptRefusal>> {
    const found = await this.#find(name);
    if (!found.ok) return found;
    const { server, theirs, problem } = found.value;
    const asked = { method: "prompts/get", params: { name: theirs, arguments: args }, signal };
    const answered = await requested(server, asked, problem);
    if (!answered.ok) return refused(answered.problem.message);
    const { messages, description } = answered.value;
    if (!Array.isArray(messages)) return refused(`${server.spec.name}: The server answered without messages`);
    const linked = messages.filter(isObject).map((message) => ({
      ...message,
      content: withOurUris(server.spec.name, message["content"]),
    }));
    return success({
      ...typeof description === "string" && {
        description: truncate(visibleText(description), LONGEST_DESCRIPTION),
      },
      messages: linked as unknown as GetPromptResult["messages"], // what is in them is the server's, and for the client
    });
  }

  async complete(
    { name, argument, typed, args }: ArgumentRequest,
    { signal }: PromptContext,
  ): Promise<Outcome<Completion, PromptRefusal>> {
    const found = await this.#find(name);
    if (!found.ok) return found;
    const { server, theirs, problem } = found.value;
    const ref = { type: "ref/prompt", name: theirs };
    const params = { ref, argument: { name: argument, value: typed }, context: { arguments: args } };
    const answered = await requested(server, { method: "completion/complete", params, signal }, problem);
    return answered.ok ? success(completionOf(answered.value)) : refused(answered.problem.message);
  }

  onChange(listener: () => void): Unsubscribe {
    return this.#changes.subscribe(listener);
  }

  /** The prompt of that name, offered or not; a client may know a name from elsewhere. */
  async #find(name: string): Promise<Outcome<Entry, PromptRefusal>> {
    await this.#options.set.learned();
    const { entries, prompts } = await this.#current();
    const entry = entries.find(({ prompt }) => prompt.name === name);
    if (entry !== undefined) return success(entry);
    return failure({ kind: "unknown", known: prompts.map(({ name }) => name) });
  }

  async #current(): Promise<Listing> {
    const own = await Promise.all(this.#options.own.map((source) => source.list()));
    const taken = own.flat().map(({ name }) => name);
    const basis = JSON.stringify([this.#version, taken]);
    if (this.#listing?.basis !== basis) this.#listing = this.#listingOf(basis, taken);
    return this.#listing;
  }

  #listingOf(basis: string, taken: readonly string[]): Listing {
    const { servers } = this.#options.set;
    const seen = servers.flatMap((server) => itemsOf(server.record, "prompt").map((item) => ({ server, item })));
    const wanted = seen.map(({ server, item }) => ({ prefix: prefixOf(server), tool: String(item.item["name"]) }));
    const names = toolNames(wanted, { taken, longest: LONGEST_NAME, prefixes: namePrefixes(servers.map(prefixOf)) });
    const entries = seen.map(({ server, item }, index) => ({
      server,
      theirs: String(item.item["name"]),
      problem: withheldReason(server, item),
      prompt: clientPrompt(item, names[index]?.name ?? item.name),
    }));
    return { basis, entries, prompts: entries.flatMap(({ prompt, problem }) => problem === undefined ? [prompt] : []) };
  }
}

function prefixOf({ spec }: UpstreamServer): string {
  return spec.prefix ?? spec.name;
}

function refused(message: string): Outcome<never, PromptRefusal> {
  return failure({ kind: "refused", message });
}
