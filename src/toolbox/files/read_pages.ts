/** Ranges of pages. Pure. */
import { failure, type Outcome, success } from "../../base/outcome.ts";

/** More pages are not given at once. */
export const MOST_PAGES = 20;

export interface PageRange {
  readonly from: number;
  readonly to: number;
}

/** The pages of `range` ("3" or "1-5"; undefined: all) in a document of `total`; the problem follows a colon. */
export function pageRange(range: string | undefined, total: number): Outcome<PageRange> {
  if (range === undefined) {
    return total <= MOST_PAGES
      ? success({ from: 1, to: total })
      : failure(`it has ${total} pages; name at most ${MOST_PAGES} of them, as in pages "1-${MOST_PAGES}"`);
  }
  const [, first, last] = /^\s*(\d{1,6})\s*(?:-\s*(\d{1,6}))?\s*$/.exec(range) ?? [];
  const from = Number(first);
  const to = Math.min(Number(last ?? first), total);
  if (first === undefined || from < 1 || from > to) {
    return failure(`pages "${range}" is not a range of its ${total} pages, such as "1-5"`);
  }
  return to - from < MOST_PAGES
    ? success({ from, to })
    : failure(`pages "${range}" are more than ${MOST_PAGES} pages; ask for fewer at a time`);
}
