/** Which files a tree asks to leave alone, as git and ripgrep read .gitignore, .ignore and .rgignore. Pure. */
import type { Ignore } from "ignore";

/** The texts of the files of one directory that name what is ignored below it. */
export interface IgnoreFiles {
  /** `.gitignore`. */
  readonly git?: string | undefined;
  /** `.ignore`, which comes before all of git's. */
  readonly plain?: string | undefined;
  /** `.rgignore`, which comes before all others. */
  readonly ripgrep?: string | undefined;
  /** `.git/info/exclude`. */
  readonly exclude?: string | undefined;
  /** A repository begins here: rules of git from outside end. */
  readonly isRepository: boolean;
}

/** The names under which a directory keeps its rules, the weakest first. */
export const IGNORE_NAMES = { git: ".gitignore", plain: ".ignore", ripgrep: ".rgignore" } as const;

interface Lines {
  readonly git: readonly string[];
  readonly plain: readonly string[];
  readonly ripgrep: readonly string[];
}

export class IgnoreRules {
  readonly #lines: Lines;
  readonly #empty: () => Ignore;
  readonly #rules: Ignore;

  private constructor(lines: Lines, empty: () => Ignore) {
    this.#lines = lines;
    this.#empty = empty;
    this.#rules = empty().add([...lines.git, ...lines.plain, ...lines.ripgrep]);
  }

  /** Nothing is ignored. */
  static async none(): Promise<IgnoreRules> {
    const { default: ignore } = await import("ignore");
    return new IgnoreRules(
      { git: [], plain: [], ripgrep: [] },
      () => ignore({ ignorecase: false, allowRelativePaths: true }),
    );
  }

  /** The rules below `directory`, seen from where these rules begin; empty: there. */
  within(directory: string, { git, plain, ripgrep, exclude, isRepository }: IgnoreFiles): IgnoreRules {
    if (!isRepository && git === undefined && plain === undefined && ripgrep === undefined) return this;
    const before = isRepository ? linesBelow(exclude, directory) : this.#lines.git;
    return new IgnoreRules({
      git: [...before, ...linesBelow(git, directory)],
      plain: [...this.#lines.plain, ...linesBelow(plain, directory)],
      ripgrep: [...this.#lines.ripgrep, ...linesBelow(ripgrep, directory)],
    }, this.#empty);
  }

  /** `path` is seen from where the rules begin; no directory that holds it is ignored itself. */
  ignores(path: string, { isDirectory }: { readonly isDirectory: boolean }): boolean {
    return this.#rules.ignores(isDirectory ? `${path}/` : path);
  }
}

/** Rules as they read when they stand further up, `directory` before each. */
function linesBelow(text: string | undefined, directory: string): readonly string[] {
  const lines = (text ?? "").replace(/^\uFEFF/, "").split(/\r?\n/).filter((line) =>
    line !== "" && !line.startsWith("#")
  );
  if (directory === "") return lines;
  const parent = directory.replace(/[\\*?[\]!# ]/g, "\\$&");
  return lines.map((line) => {
    const sign = line.startsWith("!") ? "!" : "";
    const pattern = line.slice(sign.length);
    const isAnchored = /\/(?!\s*$)/.test(pattern);
    return `${sign}/${parent}/${isAnchored ? pattern.replace(/^\//, "") : `**/${pattern}`}`;
  });
}
