/** Prompts of other servers under our names (O2). */
import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import type { Unsubscribe } from "../../base/emitter.ts";
import type { Logger } from "../../base/log.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type {
  ArgumentRequest,
  Completion,
  PromptContext,
  PromptRefusal,
  PromptRequest,
  PromptSource,
} from "../../service/prompts/prompt_source.ts";
import { isObject } from "../../wire/json_value.ts";
import { shown } from "../definitions/definition.ts";
import { withOurUris } from "../definitions/foreign_uri.ts";
import { clientPrompt, type Item } from "../definitions/items.ts";
import { OfferedList } from "../server/offered_list.ts";
import { NamedEntries, type ServerSet } from "../server/server_set.ts";
import type { UpstreamServer } from "../server/upstream_server.ts";
import { itemsOf, withheldReason } from "../definitions/pins.ts";
import { completionOf, requested } from "./requested.ts";

const LONGEST_NAME = 64;

interface Entry {
  readonly server: UpstreamServer;
  /** The server's own name for it. */
  readonly theirs: string;
  /** Why it is not offered; undefined: it is. */
  readonly problem: string | undefined;
  readonly prompt: Prompt;
}

export interface ForeignPromptsOptions {
  readonly set: ServerSet;
  /** The sources whose names take precedence. */
  readonly own: readonly PromptSource[];
  readonly log: Logger;
}

export class ForeignPrompts implements PromptSource {
  readonly #set: ServerSet;
  readonly #entries: NamedEntries<Entry>;
  readonly #list: OfferedList<readonly Prompt[]>;

  constructor({ set, own, log }: ForeignPromptsOptions) {
    this.#set = set;
    this.#entries = new NamedEntries({
      set,
      taken: async () => (await Promise.all(own.map((source) => source.list()))).flat().map(({ name }) => name),
      longest: LONGEST_NAME,
      seen: (server) =>
        itemsOf(server.record, "prompt").map((item) => [theirName(item), ({ name }) => entryOf(server, item, name)]),
    });
    this.#list = new OfferedList(set, async () => offeredOf(await this.#entries.now()), log);
  }

  list(): Promise<readonly Prompt[]> {
    return this.#list.list();
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
      ...typeof description === "string" && { description: shown(description) },
      messages: linked as unknown as GetPromptResult["messages"], // their content is the server's, and meant for the client
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
    return this.#list.onChange(listener);
  }

  /** The prompt of that name, offered or not; a client may know a name from elsewhere. */
  async #find(name: string): Promise<Outcome<Entry, PromptRefusal>> {
    await this.#set.learned();
    const entries = await this.#entries.now();
    const entry = entries.find(({ prompt }) => prompt.name === name);
    if (entry !== undefined) return success(entry);
    return failure({ kind: "unknown", known: offeredOf(entries).map(({ name }) => name) });
  }
}

function entryOf(server: UpstreamServer, item: Item, name: string): Entry {
  return { server, theirs: theirName(item), problem: withheldReason(server, item), prompt: clientPrompt(item, name) };
}

function theirName({ item }: Item): string {
  return String(item["name"]);
}

function offeredOf(entries: readonly Entry[]): readonly Prompt[] {
  return entries.flatMap(({ prompt, problem }) => problem === undefined ? [prompt] : []);
}

function refused(message: string): Outcome<never, PromptRefusal> {
  return failure({ kind: "refused", message });
}
