/** What git acts on in trees and repositories (S21). It is asked again only when its answer may have changed. */
import type { ChangeWatch } from "../../../system/stat_watch.ts";
import type { WatchingLooker } from "../../../sandbox/protect/guard_view.ts";
import { type ObeyedByGit, obeyedByGit, parseGitAnswer } from "../../../sandbox/protect/git_config_output.ts";
import { GIT_QUESTION, type GitProgram, gitTop, possibleSources } from "../../../sandbox/protect/git_program.ts";
import { namedByGitConfiguration } from "../../../sandbox/protect/git_hook_paths.ts";
import { expected, isWithin, normalPath } from "../../../system/paths.ts";
import type { ProtectedPath } from "../../../sandbox/protect/protected_paths.ts";
import type { Asked, Question } from "../../spawn.ts";

/** Each takes git some three milliseconds; of more, the server reads the configuration itself. */
const MOST_REPOSITORIES = 32;
const MOST_AT_ONCE = 4;
/** Configuration may change while git is asked; it is asked again, and the last answer counts for now. */
const MOST_TRIES = 4;
const LONGEST_MS = 10_000;
const MOST_BYTES = 8 * 1024 * 1024;

export interface GitAnswersOptions {
  readonly git: GitProgram;
  /** Canonical trees commands can write to. */
  readonly trees: readonly string[];
  readonly looker: Pick<WatchingLooker, "watch">;
  readonly ask: (question: Question) => Promise<Asked>;
}

interface Answer {
  readonly paths: readonly ProtectedPath[];
  /**
   * `refused`: git did not answer in time, or named too many files. `failed`: it ended with an error. `gone`: the
   * repository was not there.
   */
  readonly kind: "answered" | "refused" | "failed" | "gone";
  readonly sources: readonly string[];
}

export class GitAnswers implements Disposable {
  readonly #options: GitAnswersOptions;
  readonly #answers = new Map<string, Answer>();
  readonly #end = new AbortController();
  #directories: readonly string[];
  /** Repositories that appeared later: commands change what lies in their `.git`, which is checked another way. */
  readonly #made = new Set<string>();
  #watched: ReadonlySet<string> = new Set();
  #watches: readonly ChangeWatch[] = [];
  #asking: Promise<void> | undefined;

  constructor(options: GitAnswersOptions) {
    this.#options = options;
    this.#directories = options.trees;
  }

  /** Repositories to ask about in addition to the trees. */
  add(directories: readonly string[]): void {
    const known = this.#directories.length;
    this.#directories = [...new Set([...this.#directories, ...directories])].slice(0, MOST_REPOSITORIES);
    if (this.#directories.length > known) this.#closeWatches();
  }

  /** The same for repositories that appeared after the start; of these only paths outside their `.git` are given. */
  addMade(directories: readonly string[]): void {
    for (const directory of directories) this.#made.add(directory);
    this.add(directories);
  }

  /** What git obeys in the trees, as of the last answers. */
  get paths(): readonly ProtectedPath[] {
    return this.#answers.values().flatMap(({ paths }) => paths).toArray();
  }

  /** A repository about which git did not answer; undefined: none. */
  get unanswered(): string | undefined {
    return this.#answers.entries().find(([, { kind }]) => kind === "refused")?.[0];
  }

  /** Settles when the answers are current; undefined: they are. */
  refresh(): Promise<void> | undefined {
    if (this.#asking !== undefined) return this.#asking;
    // Without an answer nothing says which files decide about the next one. A repository that was moved away while git
    // was asked, and is back, looks unchanged: each time it is seen whether it is still gone.
    const isKnown = this.#answers.entries().every(([directory, { kind }]) =>
      kind === "answered" || kind === "gone" && isGone(directory)
    );
    if (isKnown && this.#isUnchanged()) return undefined;
    return this.#asking = this.#askAll().finally(() => this.#asking = undefined);
  }

  /** Ends running queries. */
  [Symbol.dispose](): void {
    this.#end.abort();
  }

  async #askAll(): Promise<void> {
    if (this.#watches.length === 0) this.#watch();
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      if (!await this.#askEach()) return;
      if (!this.#answers.values().every(({ sources }) => sources.every((file) => this.#watched.has(file)))) {
        this.#watch();
      } else if (this.#isUnchanged()) return;
    }
  }

  /** False: git did not answer one. Nothing may run then, so the others are not asked. */
  async #askEach(): Promise<boolean> {
    let isAnswered = true;
    const left = [...this.#directories];
    const askNext = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined && isAnswered; next = left.shift()) {
        const answer = await this.#ask(next);
        this.#answers.set(next, answer);
        if (answer.kind === "refused") isAnswered = false;
      }
    };
    await Promise.all(Array.from({ length: MOST_AT_ONCE }, askNext));
    return isAnswered;
  }

  /** Watches, from now on, what answers depend on. */
  #watch(): void {
    const { git, looker } = this.#options;
    const possible = this.#directories.flatMap((one) => [one, gitTop(one)].flatMap((at) => possibleSources(at, git)));
    this.#watched = new Set([...possible, ...this.#answers.values().flatMap(({ sources }) => sources)]);
    this.#closeWatches();
    const repositories = this.#directories.map((one) => `${one}/.git`);
    this.#watches = [looker.watch([...this.#watched]), looker.watch(repositories, "identity")];
    this.#isUnchanged(); // the state to compare with
  }

  #closeWatches(): void {
    for (const watch of this.#watches) watch.close?.();
    this.#watches = [];
  }

  /** Whether nothing changed since the last look. */
  #isUnchanged(): boolean {
    // Each part checks, even if another already found a change.
    return this.#watches.length > 0 && this.#watches.map((watch) => watch.isUnchanged()).every((same) => same);
  }

  async #ask(directory: string): Promise<Answer> {
    const { git, ask } = this.#options;
    const top = gitTop(directory);
    const { program, environment, home } = git;
    const asked = await ask({
      program,
      args: GIT_QUESTION,
      environment,
      directory: top,
      longestMs: LONGEST_MS,
      mostBytes: MOST_BYTES,
      signal: this.#end.signal,
    });
    if (asked.kind !== "answered") {
      // If git fails, it obeys nothing either, until a command repairs the cause.
      const paths = this.#inTrees({ paths: namedByGitConfiguration(top, home).map(normalPath), programs: [] });
      return { paths, kind: isGone(directory) ? "gone" : asked.kind === "failed" ? "failed" : "refused", sources: [] };
    }
    const obeyed = obeyedByGit(parseGitAnswer(asked.text, top), { top, home });
    return { paths: this.#inTrees(obeyed), kind: obeyed.complete ? "answered" : "refused", sources: obeyed.sources };
  }

  #inTrees({ paths, programs }: Pick<ObeyedByGit, "paths" | "programs">): readonly ProtectedPath[] {
    const isOfMade = (path: string) => this.#made.values().some((made) => isWithin(path, `${made}/.git`));
    const treeOf = (path: string) => this.#options.trees.find((tree) => isWithin(path, tree));
    const found = (path: string) => ({ path, tree: isOfMade(path) ? undefined : treeOf(path) });
    return [
      ...paths.map(found).flatMap(({ path, tree }) => tree === undefined ? [] : [{ path, tree, fileOnly: false }]),
      ...programs.map(found).flatMap(({ path, tree }) =>
        tree === undefined ? [] : [{ path, tree, fileOnly: true, program: true } as const]
      ),
    ];
  }
}

function isGone(directory: string): boolean {
  return expected(() => Deno.statSync(gitTop(directory))) === undefined;
}
