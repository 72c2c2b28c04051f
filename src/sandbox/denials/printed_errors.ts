import { pathsInOutput, type Places } from "./mentioned_paths.ts";

/**
 * Errors in what a command printed: by the names and numbers that runtimes print in every language of messages (Node's
 * `EROFS`, Python's `[Errno 30]`, Rust's `(os error 30)`), and by the C library's English texts. Pure.
 */

/** Errors that denials cause: errno (asm-generic/errno.h; netdb.h for the negative one), and strerror(3). */
const ERRORS = {
  EPERM: { number: 1, text: "operation not permitted" },
  ENOENT: { number: 2, text: "no such file or directory" },
  EACCES: { number: 13, text: "permission denied" },
  EBUSY: { number: 16, text: "device or resource busy" },
  EROFS: { number: 30, text: "read-only file system" },
  ENETUNREACH: { number: 101, text: "network is unreachable" },
  EAI_AGAIN: { number: -3, text: "temporary failure in name resolution" },
} as const;

export type ErrorName = keyof typeof ERRORS;

/** Node looks for what it could not create (`mkdir` with `recursive`), and reports it as missing. */
const MKDIR = "|\\bENOENT: no such file or directory, mkdir '";

const PATTERNS: readonly (readonly [ErrorName, RegExp, string])[] = Object.entries(ERRORS).map(
  ([name, { number, text }]) => [
    // The keys of an object literal.
    name as ErrorName,
    new RegExp(`\\b${name}\\b|(?:Errno|os error|errno:?) ${number}\\b${name === "EROFS" ? MKDIR : ""}`, "u"),
    text,
  ],
);

/** A quick test: each of these errors contains one of these words, and most output does not. */
const ANY_ERROR = new RegExp(
  ["errno", "os error", ...Object.entries(ERRORS).flatMap(([name, { text }]) => [name, text])].join("|"),
  "i",
);

/** Whether a line of output has one of these errors in it, by name or number. */
export function printsError(line: string, names: readonly ErrorName[]): boolean {
  return PATTERNS.some(([name, pattern]) => names.includes(name) && pattern.test(line));
}

/** The errors in a line of output, by name, number or English text. */
export function errorsIn(line: string): ReadonlySet<ErrorName> {
  if (!ANY_ERROR.test(line)) return new Set();
  const lower = line.toLowerCase();
  return new Set(
    PATTERNS.filter(([, pattern, text]) => pattern.test(line) || lower.includes(text)).map(([name]) => name),
  );
}

/** What lines that name a path say about it. */
export interface Evidence {
  readonly errors: ReadonlySet<ErrorName>;
  /** After the path, a line continues with a colon and words, as messages do in every language. */
  readonly spokenOf: boolean;
}

/** Longer outputs are searched from their end. */
const MOST_LINES = 200;
/** Warnings are not the cause of a failure (`npm warn`, `WARN`, `warning: unable to access`). */
const WARNING = /\bwarn(?:ing)?\b/i;
const MESSAGE = /:\s+\S/;

/** By path as named, absolute; lines that warn are left out. */
export function evidenceIn(output: string, places: Places): ReadonlyMap<string, Evidence> {
  const found = new Map<string, { errors: Set<ErrorName>; spokenOf: boolean }>();
  for (const line of output.split("\n").slice(-MOST_LINES)) {
    if (!line.includes("/") && !line.includes("..") && !line.includes("~") || WARNING.test(line)) continue;
    const errors = errorsIn(line);
    if (errors.size === 0 && !MESSAGE.test(line)) continue;
    for (const path of pathsInOutput(line, places)) {
      const before = found.get(path) ?? { errors: new Set(), spokenOf: false };
      for (const error of errors) before.errors.add(error);
      found.set(path, { errors: before.errors, spokenOf: before.spokenOf || isSpokenOf(path, line) });
    }
  }
  return found;
}

/** Messages name a path as it was given to them, so its last name is looked for; their own words may hold it too. */
function isSpokenOf(path: string, line: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const named = line.includes(`/${name}`) ? `/${name}` : name;
  for (let at = name === "" ? -1 : line.indexOf(named); at >= 0; at = line.indexOf(named, at + 1)) {
    const rest = line.slice(at + named.length);
    if (!/^[\w-]/.test(rest)) return MESSAGE.test(rest);
  }
  return false;
}
