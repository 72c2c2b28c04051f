/** The watched lines of an operation as text (X21). Pure. */
import type { Operation } from "../../operation/operation_record.ts";
import { visibleLine } from "../../base/visible_text.ts";
import { headingOf } from "./closing_line.ts";

/** A line about the operation, then its new lines, each marked as output; empty: there are none. */
export function newsText(operation: Operation): string {
  const { news } = operation;
  if (news === undefined) return "";
  return [`${operation.id} ${headingOf(operation)}`, ...newsLines(news)].join("\n");
}

/** The lines, and what is to be said of others. */
export function newsLines(
  { lines, more, unread, isOff }: NonNullable<Operation["news"]>,
): readonly string[] {
  return [
    ...lines.map((line) => `> ${visibleLine(line)}`),
    ...more > 0 ? [`... ${more} more`] : [],
    ...unread > 0 ? [`... ${Math.ceil(unread / 1024)} KiB came too fast to be looked at`] : [],
    ...isOff ? ["... over 1,000 in 30 s: it is not watched any more"] : [],
  ];
}
