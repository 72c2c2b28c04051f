/** Lists that clients read page by page. */
import { shownValue } from "../base/text.ts";
import { RequestError, RequestErrorCode } from "./request_error.ts";

interface Page<Item> {
  readonly items: Item[];
  /** Absent: there are no more. */
  readonly nextCursor?: string;
}

/**
 * One page; the cursor names the last item of the page before.
 * @throws RequestError -32602 for a cursor that names no item
 */
export function pageAfter<Item>(
  cursor: string | undefined,
  { all, size, keyOf }: {
    readonly all: readonly Item[];
    readonly size: number;
    readonly keyOf: (item: Item) => string;
  },
): Page<Item> {
  const before = cursor === undefined ? -1 : all.findIndex((item) => keyOf(item) === cursor);
  if (cursor !== undefined && before === -1) {
    const message = `Invalid cursor ${shownValue(cursor)}: the list may have changed; request it without a cursor`;
    throw new RequestError(RequestErrorCode.InvalidParams, message);
  }
  const items = all.slice(before + 1, before + 1 + size);
  const last = items.at(-1);
  return { items, ...last !== undefined && last !== all.at(-1) && { nextCursor: keyOf(last) } };
}
