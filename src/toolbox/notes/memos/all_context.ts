/** The text of as many memos as fit, and the titles of the others. Pure. */
import { counted } from "../../../base/text.ts";
import { visibleText } from "../../../base/visible_text.ts";
import type { Memo } from "./memo.ts";

/** Titles may take one part in this many of all characters. */
const TITLES_PART = 4;

/** Memos in their order, at most `most` characters. */
export function allContext(memos: readonly Memo[], most: number): string {
  const titles = memos.map(({ title, body }) => `- ${title} (${body.length} characters)\n`);
  const reserved = Math.min(titles.reduce((sum, { length }) => sum + length, 0), Math.floor(most / TITLES_PART)) + 100;
  const shown: string[] = [];
  const left: string[] = [];
  let room = most - reserved;
  for (const [index, memo] of memos.entries()) {
    const block = `# ${memo.title}\n\n${visibleText(memo.body).trim()}\n\n`;
    if (block.length <= room) {
      shown.push(block);
      room -= block.length;
    } else left.push(titles[index] ?? "");
  }
  return `${shown.join("")}${leftOver(left, room + reserved)}`.trimEnd();
}

function leftOver(titles: readonly string[], room: number): string {
  if (titles.length === 0) return "";
  const head = `${counted(titles.length, "memo")} did not fit; memo_get reads one:\n`;
  const named: string[] = [];
  let left = room - head.length - 20;
  for (const title of titles) {
    if (title.length > left) break;
    named.push(title);
    left -= title.length;
  }
  const more = titles.length - named.length;
  return `${head}${named.join("")}${more > 0 ? `[${more} more]` : ""}`;
}
