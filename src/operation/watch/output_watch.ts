/** Notes matching lines as they are written (X21), in a small part of the time; tells what it left out. */
import { stripAnsi } from "../output/clean_text.ts";
import { LineFeed } from "./line_feed.ts";
import { groupMatches } from "./first_match.ts";
import type { LinePattern } from "./line_pattern.ts";

/** What matched since the last news were taken. */
export interface WatchNews {
  /** The first of them, as they were seen. */
  readonly lines: readonly string[];
  /** Further ones. */
  readonly more: number;
  /** Bytes that came too fast to be checked. */
  readonly unread: number;
  /** Whether too many matches turned the watch off. */
  readonly isOff: boolean;
}

/** Lines that news show. */
const MOST_SHOWN = 5;
/** Characters of one. */
const LONGEST_SHOWN = 400;
/** Matches within this time are reported together, milliseconds. */
const MERGE_MS = 200;
/** An unfinished line is checked after this long without output: questions have no newline. */
const REST_MS = 100;
/** More matches than this within the time turn the watch off. */
const FLOOD = 1_000;
const FLOOD_MS = 30_000;
/** How long one chunk is checked, milliseconds. */
const CHUNK_MS = 10;
/** The part of the time that matching may take, and how much of it may be saved up, milliseconds. */
const SHARE = 0.06;
const MOST_SAVED_MS = 200;

type Timer = ReturnType<typeof setTimeout>;

export class OutputWatch {
  readonly #pattern: LinePattern;
  readonly #onNews: () => void;
  readonly #feed = new LineFeed(0);
  /** The unfinished line has already matched. */
  #isRestTold = false;
  #lines: string[] = [];
  #more = 0;
  #unread = 0;
  #isOver = false;
  #isFlooded = false;
  #isTold = true;
  #merge: Timer | undefined;
  #rest: Timer | undefined;
  #lastChunkAt = 0;
  #floodFrom = 0;
  #inFlood = 0;
  #savedMs = MOST_SAVED_MS;
  #savedAt = performance.now();

  /** `onNews`: called when there is something to tell, a moment after the first match. */
  constructor(pattern: LinePattern, onNews: () => void) {
    this.#pattern = pattern;
    this.#onNews = onNews;
  }

  /** What there is to tell; undefined: nothing. */
  get news(): WatchNews | undefined {
    if (this.#isTold) return undefined;
    return { lines: this.#lines, more: this.#more, unread: this.#unread, isOff: this.#isFlooded };
  }

  /** What there was to tell was told. */
  forget(): void {
    clearTimeout(this.#merge);
    this.#isTold = true;
    this.#lines = [];
    this.#more = 0;
    this.#unread = 0;
  }

  /** Looks at a chunk of output; it keeps none of its memory. */
  take(chunk: Uint8Array): void {
    if (this.#isOver || this.#isFlooded) return;
    const now = performance.now();
    this.#savedMs = Math.min(MOST_SAVED_MS, this.#savedMs + SHARE * (now - this.#savedAt));
    this.#savedAt = now;
    this.#lastChunkAt = now;
    if (this.#savedMs <= 0) {
      this.#unread += chunk.length;
      this.#feed.skip(chunk.length);
      return;
    }
    const batch = this.#feed.push(chunk);
    if (batch !== undefined) {
      if (this.#mayOccurIn(batch.text)) this.#look(batch.text, now + CHUNK_MS);
      this.#isRestTold = false;
    }
    this.#rest ??= setTimeout(() => this.#lookAtRest(), REST_MS);
    this.#savedMs -= performance.now() - now;
  }

  /** The output is over: looks at a last line without an end, and tells what there is to tell. */
  end(): void {
    clearTimeout(this.#rest);
    this.#lastChunkAt = 0;
    this.#lookAtRest();
    this.#isOver = true;
    if (this.#unread > 0) this.#isTold = false;
    clearTimeout(this.#merge);
    if (!this.#isTold) this.#onNews();
  }

  /** Most of a flood is not even cut into lines. */
  #mayOccurIn(text: string): boolean {
    return text.length > this.#pattern.longest || this.#pattern.occursIn(text);
  }

  #look(text: string, until: number): void {
    const lines = text.replace(/\n$/, "").split("\n");
    for (const found of groupMatches(this.#pattern, lines)) {
      // The first one may be what was told while it had not ended.
      for (const index of found) if (index > 0 || !this.#isRestTold) this.#note(lines[index] ?? "");
      if (this.#isFlooded || performance.now() > until) return;
    }
  }

  #lookAtRest(): void {
    this.#rest = undefined;
    if (this.#isOver || this.#isFlooded) return;
    const since = performance.now() - this.#lastChunkAt;
    if (since < REST_MS) {
      this.#rest = setTimeout(() => this.#lookAtRest(), REST_MS - since);
      return;
    }
    const batch = this.#feed.unfinished();
    if (batch === undefined || this.#isRestTold) return;
    const before = this.#inFlood;
    this.#look(batch.text, performance.now() + CHUNK_MS);
    this.#isRestTold = this.#inFlood !== before;
  }

  #note(line: string): void {
    const now = performance.now();
    if (now - this.#floodFrom > FLOOD_MS) {
      this.#floodFrom = now;
      this.#inFlood = 0;
    }
    this.#isFlooded = ++this.#inFlood > FLOOD;
    if (this.#lines.length < MOST_SHOWN) this.#lines.push(stripAnsi(line.slice(0, LONGEST_SHOWN)).toWellFormed());
    else this.#more++;
    if (!this.#isTold) return;
    this.#isTold = false;
    this.#merge = setTimeout(() => this.#onNews(), MERGE_MS);
  }
}
