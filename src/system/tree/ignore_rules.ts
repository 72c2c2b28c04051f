/** Which files of a tree are ignored, as git and ripgrep read .gitignore, .ignore and .rgignore. Pure. */
import { glob, type GlobTest } from "../../base/glob.ts";
import { withoutTrailing } from "../../base/text.ts";

/** The texts of the ignore files of one directory. */
export interface IgnoreFiles {
  /** `.gitignore`. */
  readonly git?: string | undefined;
  /** `.ignore`, which overrides git's files. */
  readonly plain?: string | undefined;
  /** `.rgignore`, which overrides all others. */
  readonly ripgrep?: string | undefined;
  /** `.git/info/exclude`. */
  readonly exclude?: string | undefined;
  /** Whether a repository begins here; git's rules from outside do not apply in it. */
  readonly isRepository: boolean;
}

/** The longest path, so longer lines match nothing. */
const LONGEST_LINE = 4_096;

/** The names under which a directory keeps its rules, the weakest first. */
export const IGNORE_NAMES = { git: ".gitignore", plain: ".ignore", ripgrep: ".rgignore" } as const;

interface Rule {
  /** The rule lifts an earlier one. */
  readonly isNegative: boolean;
  readonly onlyDirectories: boolean;
  readonly fits: GlobTest;
  /** Where the part of a path begins that the rule applies to. */
  readonly from: number;
}

/** Rules, the strongest first; within one file the last line first. */
type Rules = Readonly<Record<"ripgrep" | "plain" | "git", readonly Rule[]>>;

export class IgnoreRules {
  /** Nothing is ignored. */
  static readonly NONE: IgnoreRules = new IgnoreRules({ ripgrep: [], plain: [], git: [] });

  readonly #rules: Rules;

  private constructor(rules: Rules) {
    this.#rules = rules;
  }

  /** The rules below `directory`, relative to the root of the rules; empty: the root. */
  within(directory: string, { git, plain, ripgrep, exclude, isRepository }: IgnoreFiles): IgnoreRules {
    if (!isRepository && git === undefined && plain === undefined && ripgrep === undefined) return this;
    const from = directory === "" ? 0 : directory.length + 1;
    const before = this.#rules;
    return new IgnoreRules({
      ripgrep: [...rulesOf(ripgrep, from), ...before.ripgrep],
      plain: [...rulesOf(plain, from), ...before.plain],
      git: [...rulesOf(git, from), ...isRepository ? rulesOf(exclude, from) : before.git],
    });
  }

  /** `path` is relative to the root of the rules; none of its parent directories is ignored. */
  ignores(path: string, { isDirectory }: { readonly isDirectory: boolean }): boolean {
    const decides = ({ onlyDirectories, from, fits }: Rule) =>
      (isDirectory || !onlyDirectories) && fits(path.slice(from));
    const { ripgrep, plain, git } = this.#rules;
    const rule = ripgrep.find(decides) ?? plain.find(decides) ?? git.find(decides);
    return rule !== undefined && !rule.isNegative;
  }
}

/** The rules of a file, the last first. */
function rulesOf(text: string | undefined, from: number): readonly Rule[] {
  const lines = (text ?? "").replace(/^\uFEFF/, "").split(/\r?\n/);
  return lines.flatMap((line) => ruleOf(line, from) ?? []).toReversed();
}

/** Undefined: not a rule. A slash before its end anchors a pattern at the directory of its file. */
function ruleOf(line: string, from: number): Rule | undefined {
  if (line.startsWith("#")) return undefined;
  const trimmed = withoutTrailing(line, " ");
  const isEscaped = (trimmed.length - withoutTrailing(trimmed, "\\").length) % 2 === 1;
  const whole = isEscaped && trimmed !== line ? `${trimmed} ` : trimmed;
  const isNegative = whole.startsWith("!");
  const pattern = isNegative ? whole.slice(1) : whole;
  const onlyDirectories = pattern.endsWith("/");
  const path = onlyDirectories ? pattern.slice(0, -1) : pattern;
  if (path === "" || path.length > LONGEST_LINE) return undefined;
  const place = path.includes("/") ? path.replace(/^\//, "") : `**/${path}`;
  return { isNegative, onlyDirectories, fits: glob(place, "ignore"), from };
}
