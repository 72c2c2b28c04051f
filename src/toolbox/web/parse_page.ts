/** Parses a page in a helper, which ends with the call (K5). */
import { UserError } from "../../base/errors.ts";
import type { Helpers } from "../helper/helpers.ts";
import type { PagePart, PageTask } from "./page_text.ts";

export interface PageLimits {
  /** Aborted: the call is given up. */
  readonly signal: AbortSignal;
  /** Milliseconds that parsing may take; absent: any time. */
  readonly longestMs?: number;
}

/** A part of the text of a page; undefined: it has none. @throws {UserError} When it takes too much time or memory. */
export async function parsePage(
  helpers: Helpers,
  bytes: Uint8Array<ArrayBuffer>,
  task: PageTask,
  limits: PageLimits,
): Promise<PagePart | undefined> {
  const parsed = await helpers.ask<PagePart | undefined>("page", task, { bytes, ...limits });
  if (parsed.ok) return parsed.value;
  const { kind, text } = parsed.problem;
  const ways = [
    ...kind === "late" ? ['"timeout" allows more'] : [],
    task.raw ? '"max_content_length" reads less of it' : '"raw" shows its source',
  ];
  throw new UserError(`The page cannot be parsed: ${text}; ${ways.join(", ")}`);
}
