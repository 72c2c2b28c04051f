/** Git itself reads and edits configuration, but only in private files of the server, which commands cannot replace. */
import type { GitProgram } from "../../../sandbox/protect/git_program.ts";
import { type ConfigEntries, listArguments, parseEntries } from "../../../sandbox/git_config/config_entries.ts";
import { undefinedFor } from "../../../base/errors.ts";
import { parentOf } from "../../../system/paths.ts";
import type { ConfigEdit } from "../../../sandbox/git_config/config_changes.ts";
import type { Asked, Question } from "../../spawn.ts";

const LONGEST_MS = 10_000;
const MOST_BYTES = 8 * 1024 * 1024;
/** Answers that are remembered, and the largest content with one: a commit does not change its configuration. */
const MOST_REMEMBERED = 256;
const LARGEST_REMEMBERED = 16 * 1024;

export interface ConfigEditorOptions {
  readonly git: GitProgram;
  readonly ask: (question: Question) => Promise<Asked>;
  /** A directory that only the server writes to. */
  readonly directory: string;
  readonly signal: AbortSignal;
}

export class ConfigEditor {
  readonly #options: ConfigEditorOptions;
  /** By content, the latest last: git's answer depends on nothing else. */
  readonly #remembered = new Map<string, ConfigEntries>();
  #files = 0;

  constructor(options: ConfigEditorOptions) {
    this.#options = options;
  }

  /** The entries of a configuration file; undefined: git cannot read it, or the disk is full. */
  async entriesOf(content: Uint8Array): Promise<ConfigEntries | undefined> {
    const key = content.length > LARGEST_REMEMBERED ? undefined : content.toBase64();
    const known = key === undefined ? undefined : this.#remembered.get(key);
    if (known !== undefined) return known;
    const entries = await this.#withFile(content, async (file) => {
      const printed = await this.#git(listArguments(file));
      return printed === undefined ? undefined : parseEntries(printed);
    });
    if (key !== undefined && entries !== undefined) this.#remember(key, entries);
    return entries;
  }

  #remember(key: string, entries: ConfigEntries): void {
    const [oldest] = this.#remembered.keys();
    if (oldest !== undefined && this.#remembered.size >= MOST_REMEMBERED) this.#remembered.delete(oldest);
    this.#remembered.set(key, entries);
  }

  /** The content with the edits made; undefined: git refuses one of them, or the disk is full. */
  async edited(content: Uint8Array, edits: readonly ConfigEdit[]): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return await this.#withFile(content, async (file) => {
      for (const { key, values } of edits) {
        const [first, ...more] = values;
        const change = first === undefined ? ["--unset-all", key] : ["--replace-all", key, first];
        if (await this.#git(["config", "--file", file, ...change]) === undefined) return undefined;
        for (const value of more) {
          if (await this.#git(["config", "--file", file, "--add", key, value]) === undefined) return undefined;
        }
      }
      return await Deno.readFile(file);
    });
  }

  /** The result of `use` with a file of this content; also undefined if a command has filled the disk. */
  async #withFile<Result>(
    content: Uint8Array,
    use: (file: string) => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    const file = `${this.#options.directory}/edited-${++this.#files}`;
    try {
      await Deno.writeFile(file, content, { mode: 0o600, createNew: true });
      return await use(file);
    } catch (error) {
      if (isOfSystem(error)) return undefined;
      throw error;
    } finally {
      await Deno.remove(file).catch(undefinedFor(Error));
    }
  }

  /** What git printed; undefined: it failed. */
  async #git(args: readonly string[]): Promise<string | undefined> {
    const { git, ask, directory, signal } = this.#options;
    const { PATH = "/usr/bin:/bin" } = git.environment;
    const asked = await ask({
      program: git.program,
      args,
      // Only the configuration of the file, and no repository around the directory.
      environment: {
        PATH,
        LC_ALL: "C",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_CEILING_DIRECTORIES: parentOf(directory),
      },
      directory,
      longestMs: LONGEST_MS,
      mostBytes: MOST_BYTES,
      signal,
    });
    return asked.kind === "answered" ? asked.text : undefined;
  }
}

/** Whether the system refused a call, for example because the disk is full. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}
