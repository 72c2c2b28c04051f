/** What a server offers other than tools, in its form and as clients see it: bounded, without hidden characters. */
import type { Prompt, Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import { truncate } from "../../base/text.ts";
import { isObject, member } from "../../wire/json_value.ts";
import { type Definition, definitionsIn, shown } from "./definition.ts";

export type ItemKind = "resource" | "template" | "prompt" | "instructions";

/** One thing that is not a tool; its `name` is its kind and its own name or address. */
export interface Item extends Definition {
  readonly kind: ItemKind;
  readonly item: Readonly<Record<string, unknown>>;
}

interface ItemList {
  readonly kind: ItemKind;
  /** Of the server that has such a list. */
  readonly capability: "resources" | "prompts";
  readonly method: string;
  /** Of the result that holds the list. */
  readonly member: string;
  /** Of an item that names it. */
  readonly id: string;
  /** Members that are kept in addition. */
  readonly kept: readonly string[];
}

const LABELS = ["name", "title", "description"] as const;

export const ITEM_LISTS: readonly ItemList[] = [
  {
    kind: "resource",
    capability: "resources",
    method: "resources/list",
    member: "resources",
    id: "uri",
    kept: [...LABELS, "mimeType"],
  },
  {
    kind: "template",
    capability: "resources",
    method: "resources/templates/list",
    member: "resourceTemplates",
    id: "uriTemplate",
    kept: [...LABELS, "mimeType"],
  },
  {
    kind: "prompt",
    capability: "prompts",
    method: "prompts/list",
    member: "prompts",
    id: "name",
    kept: ["title", "description", "arguments"],
  },
];

const LONGEST_ID = 2_048;
const LONGEST_TEXT = 4_096;
const LARGEST_ITEM = 64 * 1024;
const MOST_ARGUMENTS = 100;

/** The items of one page of a list; what has no name, and what is larger than 64 KiB, is dropped. */
export function itemsIn({ kind, member: list, id, kept }: ItemList, result: unknown): readonly Item[] {
  const listed = member(result, list);
  return (Array.isArray(listed) ? listed : []).flatMap((one: unknown): readonly Item[] => {
    const own = member(one, id);
    if (!isObject(one) || typeof own !== "string" || own === "" || own.length > LONGEST_ID) return [];
    const members = [id, ...kept].filter((key) => one[key] !== undefined).map((key) => [key, one[key]]);
    const item = { kind, name: `${kind} ${own}`, item: Object.fromEntries(members) };
    return JSON.stringify(item).length > LARGEST_ITEM ? [] : [item];
  });
}

/** Instructions of a server; undefined: it gave none. */
export function instructionsItem(text: string | undefined): Item | undefined {
  if (text === undefined || text === "") return undefined;
  return { kind: "instructions", name: "instructions", item: { text: truncate(text, LONGEST_TEXT) } };
}

/** Stored definitions of any kind; invalid ones are dropped. */
export function storedDefinitions(list: unknown): readonly Definition[] {
  return (Array.isArray(list) ? list : []).flatMap((one: unknown): readonly (Definition | Item)[] => {
    const [kind, name, item] = [member(one, "kind"), member(one, "name"), member(one, "item")];
    const known = ITEM_KINDS.find((each) => each === kind);
    if (known === undefined) return definitionsIn({ tools: [one] });
    return typeof name === "string" && isObject(item) ? [{ kind: known, name, item }] : [];
  });
}

const ITEM_KINDS: readonly ItemKind[] = ["resource", "template", "prompt", "instructions"];

/** The resource for clients, at our address. */
export function clientResource({ item }: Item, uri: string): Resource {
  return { uri, ...labels(item) };
}

/** The template for clients, with our addresses. */
export function clientTemplate({ item }: Item, uriTemplate: string): ResourceTemplateType {
  return { uriTemplate, ...labels(item) };
}

/** The prompt for clients, under our name. */
export function clientPrompt({ item }: Item, name: string): Prompt {
  const given = item["arguments"];
  const args = (Array.isArray(given) ? given : []).filter(isObject).slice(0, MOST_ARGUMENTS);
  const { name: _, mimeType: __, ...rest } = labels(item);
  return {
    name,
    ...rest,
    ...args.length > 0 && {
      arguments: args.map((one) => {
        const { mimeType: ___, ...own } = labels(one);
        return { ...own, ...typeof one["required"] === "boolean" && { required: one["required"] } };
      }),
    },
  };
}

function labels(item: Readonly<Record<string, unknown>>) {
  const { name, title, description, mimeType } = item;
  return {
    name: shown(typeof name === "string" ? name : String(item["uri"] ?? item["uriTemplate"] ?? "")),
    ...typeof title === "string" && { title: shown(title) },
    ...typeof description === "string" && { description: shown(description) },
    ...typeof mimeType === "string" && { mimeType: shown(mimeType) },
  };
}
