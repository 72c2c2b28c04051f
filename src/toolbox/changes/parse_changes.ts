/** Parses git's machine-readable lists of changed files. Pure. */

export interface ChangedFile {
  /** `A`, `M`, `D`, `R`, `C`, `T`, `U`, or `??` for a file that git does not follow. */
  readonly letter: string;
  readonly path: string;
  /** Where it was before; absent: at the same path. */
  readonly from?: string;
}

/** Reads `git diff --name-status -z`: letter and path, or letter, old path and new path, each ended by NUL. */
export function parseNameStatus(text: string): readonly ChangedFile[] {
  const words = text.split("\0");
  const files: ChangedFile[] = [];
  for (let at = 0; at + 1 < words.length;) {
    const letter = words[at]?.[0] ?? "";
    const isMoved = letter === "R" || letter === "C";
    const [first = "", second = ""] = words.slice(at + 1, at + 3);
    files.push(isMoved ? { letter, path: second, from: first } : { letter, path: first });
    at += isMoved ? 3 : 2;
  }
  return files;
}

/** Reads `git status --porcelain=v2 -z`; lines of other kinds are left out. */
export function parseStatus(text: string): readonly ChangedFile[] {
  const lines = text.split("\0");
  const files: ChangedFile[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    switch (line[0]) {
      case "1":
        files.push({ letter: letterOf(line), path: afterFields(line, 8) });
        break;
      case "2":
        files.push({ letter: "R", path: afterFields(line, 9), from: lines[++at] ?? "" });
        break;
      case "u":
        files.push({ letter: "U", path: afterFields(line, 10) });
        break;
      case "?":
        files.push({ letter: "??", path: line.slice(2) });
    }
  }
  return files;
}

/** The letter of the index or of the work tree, whichever says more. */
function letterOf(line: string): string {
  const [, pair = ".."] = line.split(" ", 2);
  const [staged = ".", unstaged = "."] = pair;
  return unstaged === "." || staged === "A" ? staged : unstaged;
}

/** The rest after `count` fields. A path may contain blanks; the fields before it do not. */
function afterFields(line: string, count: number): string {
  return line.split(" ").slice(count).join(" ");
}
