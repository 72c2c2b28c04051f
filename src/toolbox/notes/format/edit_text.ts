/** One call's change of a note, and whether it can be merged with a concurrent one. Pure. */
import { failure, type Outcome, success } from "../../../base/outcome.ts";
import { changeFront, type FrontChange, readFront, splitText } from "./front_matter.ts";

/** What a call changes; absent members stay unchanged. */
export interface NoteChange {
  readonly front: FrontChange;
  /** The new text below the front matter. */
  readonly body?: string | undefined;
  /** Text to append. */
  readonly appended?: string | undefined;
}

/** The text with the change. */
export function changeText(text: string, { front, body, appended }: NoteChange): Outcome<string> {
  const changed = changeFront(text, front);
  if (!changed.ok) return changed;
  const parts = splitText(changed.value);
  const whole = body === undefined ? parts.body : separated(parts.close, ended(body));
  const more = appended === undefined ? whole : `${whole === "" ? "" : `${ended(whole)}\n`}${ended(appended)}`;
  return success(`${parts.open}${parts.front}${parts.close}${more}`);
}

/** An empty line separates front matter and text. */
function separated(close: string, body: string): string {
  return close === "" || body === "" || body.startsWith("\n") ? body : `\n${body}`;
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** Whether a change based on `seen` can be applied to `now`. The problem names what both changed. */
export function overlap({ seen, now }: Versions, change: NoteChange): Outcome<string> {
  const [was, is] = [splitText(seen), splitText(now)];
  if (change.body !== undefined && was.body !== is.body) return failure("the text");
  const [before, after] = [readFront(was.front), readFront(is.front)];
  if (!before.ok || !after.ok) return failure("the front matter");
  const key = Object.keys(change.front).find((one) =>
    JSON.stringify(before.value[one]) !== JSON.stringify(after.value[one])
  );
  return key === undefined ? success(now) : failure(`"${key}"`);
}

interface Versions {
  /** The text that the caller has read. */
  readonly seen: string;
  /** The current text. */
  readonly now: string;
}
