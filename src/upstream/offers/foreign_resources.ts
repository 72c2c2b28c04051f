/** Resources and templates of other servers, at our addresses (O2). */
import type { ReadResourceResult } from "@modelcontextprotocol/server";
import { Emitter, type Unsubscribe } from "../../base/emitter.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { shorten } from "../../base/visible_text.ts";
import type { ArgumentRequest, Completion } from "../../service/prompts/prompt_source.ts";
import type { ListedResources, ResourceRefusal, ResourceSource } from "../../service/resource_source.ts";
import { isObject, member } from "../../wire/json_value.ts";
import { clientResource, clientTemplate, type Item, type ItemKind } from "../definitions/items.ts";
import { itemsOf, withheldBecause } from "../definitions/pins.ts";
import { OfferedList } from "../server/offered_list.ts";
import type { ServerSet } from "../server/server_set.ts";
import type { UpstreamServer } from "../server/upstream_server.ts";
import { completionOf, type Refused, requested } from "./requested.ts";
import { ourUri, theirUri } from "../definitions/foreign_uri.ts";

const RESOURCE_NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;

export class ForeignResources implements ResourceSource {
  readonly #set: ServerSet;
  readonly #list: OfferedList<ListedResources>;
  readonly #updates: Emitter<string>;

  constructor(set: ServerSet, log: Logger) {
    this.#set = set;
    this.#list = new OfferedList(set, () => Promise.resolve(this.#now()), log);
    this.#updates = new Emitter((thrown) => log.error("A listener of resources threw", { error: messageOf(thrown) }));
    set.onNotice(({ server, method, params }) => {
      const uri = member(params, "uri");
      if (method !== "notifications/resources/updated" || typeof uri !== "string") return;
      this.#updates.emit(ourUri(server.spec.name, uri));
    });
  }

  list(): Promise<ListedResources> {
    return this.#list.list();
  }

  owns(uri: string): boolean {
    return theirUri(uri) !== undefined;
  }

  async read(uri: string, signal: AbortSignal): Promise<Outcome<ReadResourceResult, ResourceRefusal>> {
    const found = this.#find(uri);
    if (!found.ok) return found;
    const { server, uri: theirs } = found.value;
    const answered = await requested(server, { method: "resources/read", params: { uri: theirs }, signal });
    if (!answered.ok) return failure(refusal(uri, answered.problem));
    const { contents } = answered.value;
    if (!Array.isArray(contents)) return failure({ missing: false, message: `${server.spec.name}: No contents came` });
    const rewritten = contents.filter(isObject).map((one) => ({
      ...one,
      ...typeof one["uri"] === "string" && { uri: ourUri(server.spec.name, one["uri"]) },
    }));
    return success({ contents: rewritten as ReadResourceResult["contents"] }); // its content is the server's
  }

  async complete(
    { name, argument, typed, args }: ArgumentRequest,
    signal: AbortSignal,
  ): Promise<Outcome<Completion, ResourceRefusal>> {
    const found = this.#find(name);
    if (!found.ok) return found;
    const ref = { type: "ref/resource", uri: found.value.uri };
    const params = { ref, argument: { name: argument, value: typed }, context: { arguments: args } };
    const answered = await requested(found.value.server, { method: "completion/complete", params, signal });
    return answered.ok ? success(completionOf(answered.value)) : failure(refusal(name, answered.problem));
  }

  async follow(uri: string): Promise<Outcome<Unsubscribe, ResourceRefusal>> {
    const found = this.#find(uri);
    if (!found.ok) return found;
    const { server, uri: theirs } = found.value;
    const answer = await server.follow(theirs);
    let isFollowed = true;
    const unfollow = () => {
      if (isFollowed) server.unfollow(theirs);
      isFollowed = false;
    };
    if ("result" in answer) return success(unfollow);
    return failure(refusal(uri, { code: answer.error.code, message: `${server.spec.name}: ${answer.error.message}` }));
  }

  onChange(listener: () => void): Unsubscribe {
    return this.#list.onChange(listener);
  }

  onUpdate(listener: (uri: string) => void): Unsubscribe {
    return this.#updates.subscribe(listener);
  }

  #now(): ListedResources {
    const each = <Value>(kind: ItemKind, view: (server: string, item: Item) => Value) =>
      this.#set.servers.flatMap((server) => {
        const { record, spec: { name, pin } } = server;
        if (record === undefined) return [];
        return itemsOf(record, kind).filter((item) => withheldBecause(record, item, pin) === undefined)
          .map((item) => view(name, item));
      });
    const own = (item: Item, key: string) => String(item.item[key]);
    return {
      resources: each("resource", (server, item) => clientResource(item, ourUri(server, own(item, "uri")))),
      templates: each("template", (server, item) => clientTemplate(item, ourUri(server, own(item, "uriTemplate")))),
    };
  }

  #find(uri: string): Outcome<{ readonly server: UpstreamServer; readonly uri: string }, ResourceRefusal> {
    const named = theirUri(uri);
    const server = this.#set.servers.find(({ spec }) => spec.name === named?.server);
    if (named !== undefined && server !== undefined) return success({ server, uri: named.uri });
    return failure({ missing: true, message: `Resource not found: ${shorten(uri)} names no configured server` });
  }
}

/** Either code of a server means that there is no such resource. */
function refusal(uri: string, { code, message }: Refused): ResourceRefusal {
  const missing = code === RESOURCE_NOT_FOUND || code === INVALID_PARAMS;
  return { missing, message: missing ? `Resource not found: ${shorten(uri)} (${message})` : message };
}
