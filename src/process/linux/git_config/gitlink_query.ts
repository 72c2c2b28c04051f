/** Which repositories the index of another one names: asked of git, where the index holds the mode of one at all (S24). */
import type { GitProgram } from "../../../sandbox/protect/git_program.ts";
import { words } from "../../../base/text.ts";
import type { Asked, Question } from "../../spawn.ts";

/** Git lists what the index holds, refreshes nothing, and so starts no program. */
const LIST = words(
  "-c safe.directory=* -c safe.bareRepository=all -c core.fsmonitor=false --no-pager ls-files --stage -z --sparse",
);
const ENTRY = /(?:^|\0)160000 [0-9a-f]+ \d\t([^\0]+)/g;
/** A mode as it stands in an index, and what a part of one in another file is called there. */
const MARKS = ["\0\0\xe0\0", "link\0"] as const;
const MOST_BYTES = 64 * 1024 * 1024;
const LONGEST_MS = 10_000;

export interface GitlinkQueryOptions {
  readonly git: GitProgram;
  readonly ask: (question: Question) => Promise<Asked>;
  readonly signal: AbortSignal;
}

/** `complete`: false where there may be others. */
export interface Gitlinks {
  /** Seen from the top of the work tree. */
  readonly links: readonly string[];
  readonly complete: boolean;
}

const NONE: Gitlinks = { links: [], complete: true };

export class GitlinkQuery {
  readonly #options: GitlinkQueryOptions;
  /** The last answer for each work tree, and the index that it was given for. */
  readonly #answers = new Map<string, { readonly state: string; readonly gitlinks: Gitlinks }>();

  constructor(options: GitlinkQueryOptions) {
    this.#options = options;
  }

  /** What the index of a work tree names; `index`: its bytes, undefined where they are too many. */
  async below(workTree: string, index: Uint8Array<ArrayBuffer> | undefined): Promise<Gitlinks> {
    if (index === undefined) return await this.#ask(workTree);
    const text = new TextDecoder("latin1").decode(index);
    if (!MARKS.some((mark) => text.includes(mark))) return NONE;
    const state = new Uint8Array(await crypto.subtle.digest("SHA-256", index)).toHex();
    const known = this.#answers.get(workTree);
    if (known?.state === state) return known.gitlinks;
    const gitlinks = await this.#ask(workTree);
    this.#answers.set(workTree, { state, gitlinks });
    return gitlinks;
  }

  async #ask(workTree: string): Promise<Gitlinks> {
    const { git: { program, environment }, ask, signal } = this.#options;
    const asked = await ask({
      program,
      args: LIST,
      environment: { ...environment, GIT_NO_LAZY_FETCH: "1" },
      directory: workTree,
      longestMs: LONGEST_MS,
      mostBytes: MOST_BYTES,
      signal,
    });
    // What git cannot read here it cannot read elsewhere.
    if (asked.kind !== "answered") return { links: [], complete: asked.kind === "failed" };
    const links = Array.from(asked.text.matchAll(ENTRY), ([, path = ""]) => path);
    return { links, complete: links.every((path) => !path.includes("\ufffd")) };
  }
}
