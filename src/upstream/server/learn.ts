/** Asks a server for all that it offers (O2). */
import type { Logger } from "../../base/log.ts";
import { type Definition, definitionsIn } from "../definitions/definition.ts";
import { instructionsItem, ITEM_LISTS, itemsIn, itemsOf } from "../definitions/items.ts";
import { type ServerRecord, sizeOf } from "../definitions/pins.ts";
import type { Link } from "../link/link.ts";

const TOOLS_TIMEOUT_MS = 30_000;
/** The tools do not wait long for the rest. */
const REST_TIMEOUT_MS = 10_000;
/** The protocol has no last page by itself. */
const MOST_PAGES = 64;
/** Of one kind. */
const MOST = 500;
/** Of all definitions together, so that a record of them can always be read again. */
const MOST_BYTES = 4 * 1024 * 1024;

export interface LearnOptions {
  /** What is known of the server; undefined: nothing. */
  readonly before: ServerRecord | undefined;
  /** Gives up the questions. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** Tools, then the rest, each once. @throws {Error} When a server that has tools refuses their list, or has too much. */
export async function learnedFrom(link: Link, options: LearnOptions): Promise<readonly Definition[]> {
  const { before, signal, log } = options;
  const tools = await allPages(link, "tools/list", { read: definitionsIn, timeoutMs: TOOLS_TIMEOUT_MS, signal });
  if (typeof tools === "string" && "tools" in link.hello.capabilities) {
    throw new Error(`It refuses to list its tools: ${tools}`);
  }
  const found = [...typeof tools === "string" ? [] : tools];
  const lists = ITEM_LISTS.filter(({ capability }) => capability in link.hello.capabilities);
  const rest = await Promise.all(lists.map(async (list) => {
    const read = (result: unknown) => itemsIn(list, result);
    const items = await allPages(link, list.method, { read, timeoutMs: REST_TIMEOUT_MS, signal });
    if (typeof items === "string") log.debug("A server refuses a list", { method: list.method, reason: items });
    return typeof items === "string" ? itemsOf(before, list.kind) : items;
  }));
  const instructions = instructionsItem(link.hello.instructions);
  const all = [...found, ...rest.flat(), ...instructions === undefined ? [] : [instructions]];
  return within(all, "What it offers");
}

/** Each once, at most 500; a text: why the server refuses. @throws {Error} When there is too much. */
async function allPages<Kind extends Definition>(
  link: Link,
  method: string,
  { read, timeoutMs, signal }: {
    readonly read: (result: unknown) => readonly Kind[];
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  },
): Promise<readonly Kind[] | string> {
  const found: Kind[] = [];
  let cursor: unknown;
  for (let page = 0; page < MOST_PAGES && found.length < MOST; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await link.request({ method, params, timeoutMs, signal });
    if ("error" in answer) return answer.error.message;
    found.push(...read(answer.result));
    within(found, `Its answer to ${method}`);
    cursor = answer.result["nextCursor"];
    if (typeof cursor !== "string") break;
  }
  return [...new Map(found.map((one) => [one.name, one])).values()].slice(0, MOST);
}

/** @throws {Error} When there is more of it than a record holds. */
function within<Kind extends Definition>(definitions: readonly Kind[], what: string): readonly Kind[] {
  if (sizeOf(definitions) <= MOST_BYTES) return definitions;
  throw new Error(`${what} has more than 4 MiB: filter it at the server`);
}
