/** Which paths of a tree its own rules ignore, including everything in ignored directories. */
import type { OpenFiles } from "../../system/open_files/file_calls.ts";
import { parentOf } from "../../system/paths.ts";
import { IGNORE_NAMES, IgnoreRules } from "../../system/tree/ignore_rules.ts";
import { type Roots, smallContent } from "./roots.ts";

const MOST_RULES_BYTES = 1024n * 1024n;

interface Known {
  readonly rules: IgnoreRules;
  /** Including its contents. */
  readonly isIgnored: boolean;
}

export class Ignored {
  readonly #files: OpenFiles;
  readonly #roots: Roots;
  readonly #known = new Map<string, Known>();

  constructor(files: OpenFiles, roots: Roots) {
    this.#files = files;
    this.#roots = roots;
  }

  /** Whether something in a directory is ignored. */
  has(path: string, { isDirectory }: { readonly isDirectory: boolean }): boolean {
    const root = this.#roots.of(path)?.path;
    if (root === undefined || path === root) return false;
    const { rules, isIgnored } = this.#of(parentOf(path), root);
    return isIgnored || rules.ignores(path.slice(root.length + 1), { isDirectory });
  }

  /** Reads the rules again when they are needed. */
  forget(): void {
    this.#known.clear();
  }

  /** Whether a file of this name holds rules. */
  static isRules(path: string): boolean {
    return Object.values(IGNORE_NAMES).some((name) => path.endsWith(`/${name}`));
  }

  #of(directory: string, root: string): Known {
    const known = this.#known.get(directory);
    if (known !== undefined) return known;
    const isTop = directory === root;
    const above = isTop ? { rules: IgnoreRules.NONE, isIgnored: false } : this.#of(parentOf(directory), root);
    const isIgnored = !isTop && this.has(directory, { isDirectory: true });
    const rules = isIgnored ? above.rules : this.#read(directory, directory.slice(root.length + 1), above.rules);
    const found = { rules, isIgnored };
    this.#known.set(directory, found);
    return found;
  }

  #read(directory: string, below: string, rules: IgnoreRules): IgnoreRules {
    const fd = this.#roots.directory(directory);
    if (fd === undefined) return rules;
    const text = (name: string) => this.#text(fd, name);
    const { git, plain, ripgrep } = IGNORE_NAMES;
    const isRepository = this.#files.stat(fd, ".git") !== undefined;
    const found = rules.within(below, {
      git: text(git),
      plain: text(plain),
      ripgrep: text(ripgrep),
      exclude: isRepository ? text(".git/info/exclude") : undefined,
      isRepository,
    });
    this.#files.drop(fd);
    return found;
  }

  #text(directory: number, name: string): string | undefined {
    const bytes = smallContent(this.#files, this.#files.fileBelow(directory, name), MOST_RULES_BYTES);
    return bytes && new TextDecoder().decode(bytes);
  }
}
