import { makeSeenDirectory } from "../../src/base/_support/seen_directory.ts";
import { until } from "./deadline.ts";
import { processesWith, type SeenProcess } from "./processes.ts";

/**
 * The private place of one test: a scope, a home, and places outside that nothing may touch. Its path is unique, so
 * it also serves as the marker by which leftovers of the test are found among all processes.
 */

/** Who runs the server: `root` and `ordinary` (uid 65534) need a test run by root; else both are the current user. */
export type User = "root" | "ordinary";

/** The uid and gid of `ordinary`. */
export const ORDINARY_ID = 65534;

/** The users this test run can take on; `ordinary` always works, as ourselves where we are not root. */
export function usersAtHand(): readonly User[] {
  return Deno.uid() === 0 ? ["root", "ordinary"] : ["ordinary"];
}

/** Each item with one user, in turn: for what is alike for every user, where a test for each pair would repeat another. */
export function withUsersInTurn<Item>(items: readonly Item[]): readonly (readonly [Item, User])[] {
  const users = usersAtHand();
  return items.map((item, at) => [item, users[at % users.length] ?? "ordinary"]);
}

export class Workbench implements Disposable {
  readonly #root: string;
  readonly #elsewhere: string;
  readonly #user: User;
  /** Words that run a program of the bench's user, as the user of the test; empty: nothing does. */
  machine: readonly string[] = [];

  /** Makes the directories, owned by `user`. */
  constructor(user: User = Deno.uid() === 0 ? "root" : "ordinary") {
    this.#user = user;
    this.#root = makeSeenDirectory("ahma-test-");
    this.#elsewhere = makeSeenDirectory("ahma-other-");
    for (const directory of [this.scope, this.home, `${this.home}/.ssh`]) {
      Deno.mkdirSync(directory, { recursive: true });
    }
    for (const directory of [this.#root, this.#elsewhere]) Deno.chmodSync(directory, 0o755);
    for (const directory of [this.#root, this.#elsewhere, this.scope, this.home, `${this.home}/.ssh`]) {
      this.#give(directory);
    }
  }

  get user(): User {
    return this.#user;
  }
  /** Unique among all tests that run now. */
  get marker(): string {
    return this.#root.slice(this.#root.lastIndexOf("/") + 1);
  }
  /** The scope's parent. */
  get parent(): string {
    return this.#root;
  }
  /** The server's working directory. */
  get scope(): string {
    return `${this.#root}/scope`;
  }
  /** $HOME of the server; holds an empty `.ssh`. */
  get home(): string {
    return `${this.#root}/home`;
  }
  /** A directory of the same user beside the bench, outside the scope. */
  get elsewhere(): string {
    return this.#elsewhere;
  }

  /**
   * Writes a file owned by the bench's user; parents are made. Relative paths are inside the scope. A new file appears
   * whole: a server that watches its directory reads no half of it.
   */
  write(path: string, text: string): string {
    const full = path.startsWith("/") ? path : `${this.scope}/${path}`;
    this.#makeParents(full.slice(0, full.lastIndexOf("/")));
    const written = exists(full) ? full : `${this.#root}/draft`;
    Deno.writeTextFileSync(written, text);
    this.#give(written);
    if (written !== full) Deno.renameSync(written, full);
    return full;
  }

  /**
   * Everything outside the scope that a command could have changed: path to kind, mode and content. What the server keeps
   * for itself, its cache and state, is not looked at.
   */
  outside(): Readonly<Record<string, string>> {
    const seen: Record<string, string> = {};
    record(this.#root, seen, new Set([this.scope, `${this.home}/.cache`, `${this.home}/.local`]));
    record(this.#elsewhere, seen, new Set());
    return seen;
  }

  /** Waits until a file is there: how a command says that it runs. Relative to the scope. */
  async appears(path: string, deadline = 20_000): Promise<void> {
    const full = path.startsWith("/") ? path : `${this.scope}/${path}`;
    await until(() => exists(full), deadline, `the file "${path}"`);
  }

  /** Waits until a process of this bench has `words` in its command line; gives all of them. */
  async processesAppear(words: string, deadline = 5_000): Promise<readonly SeenProcess[]> {
    return await until(
      async () => {
        const seen = (await processesWith(this.marker)).filter(({ command }) => command.includes(words));
        return seen.length > 0 ? seen : undefined;
      },
      deadline,
      `a process with "${words}"`,
    );
  }

  /** Waits until no process of this bench has `words` in its command line. */
  async processesGone(words: string, deadline = 5_000): Promise<void> {
    const left = async () => (await processesWith(this.marker)).filter(({ command }) => command.includes(words));
    await until(async () => (await left()).length === 0, deadline, `the end of the processes with "${words}"`);
  }

  /** Removes all that is in the scope. */
  async clearScope(): Promise<void> {
    const names = await Array.fromAsync(Deno.readDir(this.scope), ({ name }) => name);
    for (const name of names) await Deno.remove(`${this.scope}/${name}`, { recursive: true });
  }

  [Symbol.dispose](): void {
    for (const directory of [this.#root, this.#elsewhere]) {
      // Go keeps modules in directories that their owner may not write to.
      if (Deno.uid() !== 0) new Deno.Command("chmod", { args: ["-R", "u+rwX", directory] }).outputSync();
      Deno.removeSync(directory, { recursive: true });
    }
  }

  #makeParents(directory: string): void {
    if (exists(directory)) return;
    this.#makeParents(directory.slice(0, directory.lastIndexOf("/")));
    Deno.mkdirSync(directory);
    this.#give(directory);
  }

  #give(path: string): void {
    if (this.#user === "ordinary" && Deno.uid() === 0) Deno.chownSync(path, ORDINARY_ID, ORDINARY_ID);
  }
}

/** Whether anything is at `path`, a dangling link included. */
export function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function record(path: string, seen: Record<string, string>, skip: ReadonlySet<string>): void {
  if (skip.has(path)) return;
  const facts = Deno.lstatSync(path);
  const mode = ((facts.mode ?? 0) & 0o7777).toString(8);
  if (facts.isSymlink) seen[path] = `link to ${Deno.readLinkSync(path)}`;
  else if (facts.isDirectory) {
    seen[path] = `directory ${mode}`;
    for (const entry of Deno.readDirSync(path)) record(`${path}/${entry.name}`, seen, skip);
  } else if (facts.isFile) seen[path] = `file ${mode} ${Deno.readTextFileSync(path)}`;
  else seen[path] = `special ${mode}`;
}

/**
 * Copies a program that the test starts. Another process does it: what this one writes may be open for a moment in a
 * child that another test file starts meanwhile, and such a program cannot be run ("Text file busy").
 */
export async function copyProgram(from: string, to: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("cp", { args: ["--", from, to] }).output();
  if (!success) throw new Error(`Cannot copy "${from}": ${new TextDecoder().decode(stderr)}`);
}
