/** Asks a server for all that it offers (O2). */
import type { Logger } from "../../base/log.ts";
import { type Definition, definitionsIn } from "../definitions/definition.ts";
import { instructionsItem, ITEM_LISTS, itemsIn, itemsOf } from "../definitions/items.ts";
import { type ServerRecord, sizeOf } from "../definitions/pins.ts";
import type { Link } from "../link/link.ts";

const LIST_TIMEOUT_MS = 30_000;
/** The protocol has no last page by itself. */
const MOST_PAGES = 64;
/** Of one kind. */
const MOST = 500;
/** Of all definitions of one kind. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Tools, then the rest, each once. @throws {Error} When a server that has tools refuses their list. */
export async function learnedFrom(
  link: Link,
  before: ServerRecord | undefined,
  log: Logger,
): Promise<readonly Definition[]> {
  const tools = await allPages(link, "tools/list", definitionsIn);
  if (typeof tools === "string" && "tools" in link.hello.capabilities) {
    throw new Error(`It refuses to list its tools: ${tools}`);
  }
  const found = [...typeof tools === "string" ? [] : tools];
  for (const list of ITEM_LISTS) {
    if (!(list.capability in link.hello.capabilities)) continue;
    const items = await allPages(link, list.method, (result) => itemsIn(list, result));
    if (typeof items === "string") log.debug("A server refuses a list", { method: list.method, reason: items });
    found.push(...typeof items === "string" ? itemsOf(before, list.kind) : items);
  }
  const instructions = instructionsItem(link.hello.instructions);
  return [...found, ...instructions === undefined ? [] : [instructions]];
}

/** Each once, at most 500; a text: why the server refuses. @throws {Error} When there is too much. */
async function allPages<Kind extends Definition>(
  link: Link,
  method: string,
  read: (result: unknown) => readonly Kind[],
): Promise<readonly Kind[] | string> {
  const found: Kind[] = [];
  let cursor: unknown;
  for (let page = 0; page < MOST_PAGES && found.length < MOST; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await link.request({ method, params, timeoutMs: LIST_TIMEOUT_MS });
    if ("error" in answer) return answer.error.message;
    found.push(...read(answer.result));
    if (sizeOf(found) > MOST_BYTES) {
      throw new Error(`Its answer to ${method} has more than 4 MiB: filter it at the server`);
    }
    cursor = answer.result["nextCursor"];
    if (typeof cursor !== "string") break;
  }
  return [...new Map(found.map((one) => [one.name, one])).values()].slice(0, MOST);
}
