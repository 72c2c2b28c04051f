/**
 * Answers of checks of tool files, kept between starts (T11) in one file of the user's cache directory, so that a
 * server lists available tools without running checks. Nothing depends on it: an unreadable file counts as empty, and
 * failed writes are ignored. It only decides whether a tool is listed.
 */
import { userDirectory } from "../../system/user_directories.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { readTextIfRegular } from "../../system/reading/regular_file.ts";
import { isPrivate, writePrivately } from "../../system/replace/private_file.ts";
import { visibleText } from "../../base/visible_text.ts";
import { parseJson } from "../../wire/json_value.ts";
import { expected, isWithin, placeOf, realPath, trustedPath } from "../../system/paths.ts";

interface Entry {
  /** Why the check failed; absent: it did not. */
  readonly problem?: string;
  /** When it was asked, milliseconds since 1970. */
  readonly at: number;
}

/** More are forgotten, the oldest first. */
const MOST_ENTRIES = 400;
const LONGEST_PROBLEM = 300;
/** Limit of the file, bytes; a larger one was written by another program. */
const LARGEST_FILE = 1024 * 1024;
/** Older answers count as forgotten, milliseconds: other requirements of a program may have changed. */
const LONGEST_MS = 7 * 24 * 60 * 60 * 1000;
/** Answers to longer questions are not kept, characters. */
const LONGEST_KEY = 600;

export interface CheckMemoryOptions {
  /** Undefined: nothing is kept. */
  readonly file: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Logger;
}

export class CheckMemory implements AsyncDisposable {
  readonly #options: CheckMemoryOptions;
  #entries: Map<string, Entry> | undefined;
  readonly #new = new Map<string, Entry>();
  /** Settles when the new answers are written. */
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;

  constructor(options: CheckMemoryOptions) {
    this.#options = options;
  }

  /** The stored answer of a check, by everything that it depends on; undefined: it is unknown or too old. */
  recall(key: string): Outcome<void> | undefined {
    this.#entries ??= this.#read();
    const entry = this.#new.get(key) ?? this.#entries.get(key);
    if (entry === undefined || this.#options.now() - entry.at > LONGEST_MS) return undefined;
    return entry.problem === undefined ? success(undefined) : failure(entry.problem);
  }

  /** Stores the answer of a check; the file is written soon. */
  remember(key: string, answer: Outcome<void>): void {
    if (this.#options.file === undefined || key.length > LONGEST_KEY) return;
    const problem = answer.ok ? {} : { problem: answer.problem.slice(0, LONGEST_PROBLEM).toWellFormed() };
    this.#new.set(key, { ...problem, at: this.#options.now() });
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#writing = this.#write();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
  }

  #read(): Map<string, Entry> {
    const { file } = this.#options;
    const text = file === undefined || !isOurs(file) ? undefined : readTextIfRegular(file, LARGEST_FILE);
    return new Map(text === undefined ? [] : entriesOf(text));
  }

  /** Keeps what other servers have written since. One write may hold several answers. */
  async #write(): Promise<void> {
    for (let written = 0; written < this.#new.size;) {
      written = this.#new.size;
      const all = [...this.#read(), ...this.#new].toSorted(([, one], [, other]) => one.at - other.at);
      const kept = Object.fromEntries(new Map(all.slice(-MOST_ENTRIES)));
      await this.#replace(JSON.stringify({ version: 1, checks: kept }));
    }
    this.#isWriting = false;
  }

  async #replace(text: string): Promise<void> {
    try {
      await writePrivately(this.#options.file ?? "", text);
    } catch (thrown) {
      this.#options.log.debug("Cannot store results of checks", { error: messageOf(thrown) });
    }
  }
}

/** Undefined: there is no cache directory, or it is open to commands. `open`: canonical trees open to them. */
export function checkMemoryFile(
  environment: Readonly<Record<string, string>>,
  open: readonly string[],
): string | undefined {
  const caches = userDirectory(environment, "XDG_CACHE_HOME");
  if (caches === undefined) return undefined;
  const directory = placeOf(`${caches}/ahma_mcp`);
  const reached = open.some((tree) => isWithin(directory, tree)) ||
    realPath(caches) !== undefined && trustedPath(caches, open) === undefined;
  return reached ? undefined : `${directory}/checks.json`;
}

/** A file, of this user, that no other can change. */
function isOurs(file: string): boolean {
  const seen = expected(() => Deno.lstatSync(file));
  return seen?.isFile === true && isPrivate(seen);
}

function entriesOf(text: string): readonly (readonly [string, Entry])[] {
  const checks = checksOf(text);
  return Object.entries(checks).slice(0, MOST_ENTRIES).flatMap(([key, entry]) => {
    if (key.length > LONGEST_KEY || typeof entry !== "object" || entry === null || !("at" in entry)) return [];
    const problem = "problem" in entry ? entry.problem : undefined;
    if (typeof entry.at !== "number" || !(problem === undefined || typeof problem === "string")) return [];
    const told = problem === undefined ? {} : { problem: visibleText(problem.slice(0, LONGEST_PROBLEM)) };
    return [[key, { ...told, at: entry.at }] as const];
  });
}

function checksOf(text: string): object {
  const parsed = parseJson(text);
  const { version, checks } = Object(parsed.ok ? parsed.value : undefined);
  return version === 1 ? Object(checks) : {};
}
