/**
 * Patterns of names and paths. Both may be hostile, so the time of a match is at most the product of their lengths:
 * nothing is tried twice (S22). Pure.
 */
import { lazy } from "./lazy.ts";

/**
 * What a pattern may hold. Anything else stands for itself, and so does a bracket or brace that is not closed.
 *
 * - `path`, as ripgrep reads globs: `*` and `?` within a segment, `**` for any number of whole segments, `[a-z]`, `[!a]`,
 *   `{a,b}`, and `\` before a character that stands for itself.
 * - `ignore`, as git reads a line of `.gitignore`: the same without `{a,b}`.
 * - `name`: `*` for any characters and `?` for one.
 */
export type GlobSyntax = "path" | "ignore" | "name";

/** Tells whether a whole name or path fits. */
export type GlobTest = (text: string) => boolean;

const SPECIAL: Readonly<Record<GlobSyntax, string>> = { path: "*?[]{},\\", ignore: "*?[]\\", name: "*?" };

/**
 * The test of a pattern. `ignoreCase`: capitals do not matter; absent: they do.
 *
 * @example glob("lib/*.{c,h}", "path")("lib/a.h") // true
 */
export function glob(pattern: string, syntax: GlobSyntax, { ignoreCase = false } = {}): GlobTest {
  const folded = (text: string) => ignoreCase ? text.toLowerCase() : text;
  const own = folded(pattern);
  const isPlain = (character: string) => !SPECIAL[syntax].includes(character);
  let [start, end] = [0, own.length];
  while (start < end && isPlain(own.charAt(start))) start++;
  if (start === end) return (text) => folded(text) === own;
  while (isPlain(own.charAt(end - 1))) end--;
  // Most names differ at one of their ends, which is seen at once. A slash behind `**` may have nothing before it.
  const [head, tail] = [own.slice(0, start), own.slice(end).replace(/^\//, "")];
  const machine = lazy(() => new Machine(stepsOf(own, syntax)));
  return (text) => {
    const name = folded(text);
    return name.startsWith(head) && name.endsWith(tail) && machine().fits(name);
  };
}

/** A step that consumes one character, or none. */
interface Step {
  /** Undefined: the step consumes no character. */
  readonly takes: ((character: string) => boolean) | undefined;
  /** Indices of the next steps; the index after the last step is the end. */
  readonly next: readonly number[];
}

/** The steps that all paths through a pattern have reached after some characters. */
interface State {
  /** Steps that may take the next character; none: nothing can match. */
  readonly places: readonly number[];
  /** Whether a text may end here. */
  readonly isEnd: boolean;
  /** The states that follow, by the characters seen so far. */
  readonly next: Map<string, State>;
}

/** Steps and characters of states that are cached for the next text. */
const MOST_KEPT = 20_000;

/** Follows all paths through the steps at once: each step is entered at most once for each character. */
class Machine {
  readonly #steps: readonly Step[];
  /** The number of the character for which each step was last entered. */
  readonly #entered: number[];
  readonly #states = new Map<string, State>();
  #looks = 0;
  #kept = 0;
  #start: State;

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
    this.#entered = new Array(steps.length + 1).fill(0);
    this.#start = this.#stateOf([0]);
  }

  fits(text: string): boolean {
    let state = this.#start;
    for (const character of text) {
      if (state.places.length === 0) return false;
      state = state.next.get(character) ?? this.#after(state, character);
    }
    return state.isEnd;
  }

  #after(state: State, character: string): State {
    if (this.#kept > MOST_KEPT) {
      this.#kept = 0;
      this.#states.clear();
      this.#start = this.#stateOf([0]);
    }
    const taking = state.places.flatMap((place) => {
      const step = this.#steps[place];
      return step?.takes?.(character) === true ? step.next : [];
    });
    const after = this.#stateOf(taking);
    state.next.set(character, after);
    this.#kept++;
    return after;
  }

  /** The state of these steps and of those that they reach without a character. */
  #stateOf(entered: readonly number[]): State {
    this.#looks++;
    const places: number[] = [];
    const open = [...entered];
    let isEnd = false;
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      if (this.#entered[place] === this.#looks) continue;
      this.#entered[place] = this.#looks;
      const step = this.#steps[place];
      if (step === undefined) isEnd = true;
      else if (step.takes === undefined) open.push(...step.next);
      else places.push(place);
    }
    const key = `${isEnd} ${places}`;
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state: State = { places, isEnd, next: new Map() };
    this.#states.set(key, state);
    this.#kept += places.length;
    return state;
  }
}

type Takes = (character: string) => boolean;

function any(): boolean {
  return true;
}

function within(character: string): boolean {
  return character !== "/";
}

function stepsOf(pattern: string, syntax: GlobSyntax): readonly Step[] {
  const steps: Step[] = [];
  const take = (takes: Takes) => steps.push({ takes, next: [steps.length + 1] });
  const part = (...next: number[]) => {
    steps.push({ takes: undefined, next });
    return next;
  };
  const repeat = (takes: Takes) => {
    part(steps.length + 1, steps.length + 2);
    steps.push({ takes, next: [steps.length - 1] });
  };
  const tokens = tokensOf(pattern, syntax);
  const braces = syntax === "path" ? bracesOf(tokens) : new Set<number>();
  /** Braces that are open: the beginnings of their alternatives, and the ends of those before the last. */
  const open: { readonly begins: number[]; readonly ends: number[][] }[] = [];
  for (const [at, token] of tokens.entries()) {
    if (braces.has(at) && token === "{") open.push({ begins: part(steps.length + 1), ends: [] });
    else if (braces.has(at)) {
      open.at(-1)?.ends.push(part());
      if (token === ",") open.at(-1)?.begins.push(steps.length);
      else for (const end of open.pop()?.ends ?? []) end.push(steps.length);
    } else if (token === "**/") {
      part(steps.length + 1, steps.length + 4);
      repeat(any);
      take((character) => character === "/");
    } else if (token === "**") {
      take(any);
      repeat(any);
    } else if (token === "*") repeat(syntax === "name" ? any : within);
    else take(takesOf(token, syntax));
  }
  return steps;
}

/** Single characters and their modifiers. Stars for whole segments are one token, with the slash after them. */
function tokensOf(pattern: string, syntax: GlobSyntax): readonly string[] {
  const characters = [...pattern];
  if (syntax === "name") return characters;
  const bounds = syntax === "path" ? ["/", "{", "}", ","] : ["/"];
  const isBound = (at: number) => characters[at] === undefined || bounds.includes(characters[at]);
  const tokens: string[] = [];
  let canClose = true;
  for (let at = 0; at < characters.length;) {
    const character = characters[at] ?? "";
    let end = at + 1;
    if (character === "\\" && end < characters.length) end++;
    else if (character === "[" && canClose) {
      const close = classEnd(characters, at);
      canClose = close !== undefined;
      end = close ?? end;
    } else if (character === "*") {
      while (characters[end] === "*") end++;
      const isWhole = end > at + 1 && isBound(at - 1) && isBound(end);
      const before = isWhole && characters[end] === "/" ? end + 1 : end;
      tokens.push(before > end ? "**/" : isWhole ? "**" : "*");
      at = before;
      continue;
    }
    tokens.push(characters.slice(at, end).join(""));
    at = end;
  }
  return tokens;
}

/** Where a class ends that begins at `at`; undefined: it is not closed. Its first member may be `]`. */
function classEnd(characters: readonly string[], at: number): number | undefined {
  const first = at + (/[!^]/.test(characters[at + 1] ?? "") ? 2 : 1);
  for (let member = first; member < characters.length; member++) {
    if (characters[member] === "\\") member++;
    else if (characters[member] === "]" && member > first) return member + 1;
  }
  return undefined;
}

/** The tokens that delimit alternatives: closed braces, and the commas in them. */
function bracesOf(tokens: readonly string[]): ReadonlySet<number> {
  const parting = new Set<number>();
  const open: number[][] = [];
  for (const [at, token] of tokens.entries()) {
    if (token === "{") open.push([at]);
    else if (token === ",") open.at(-1)?.push(at);
    else if (token === "}") { for (const one of open.pop()?.concat(at) ?? []) parting.add(one); }
  }
  return parting;
}

function takesOf(token: string, syntax: GlobSyntax): Takes {
  if (token === "?") return syntax === "name" ? any : within;
  if (token.length > 1 && token.startsWith("[")) return classOf([...token.slice(1, -1)]);
  const own = token.length > 1 && token.startsWith("\\") ? token.slice(1) : token;
  return (character) => character === own;
}

/** The test for the characters between the brackets. It never matches the end of a segment. */
function classOf(characters: readonly string[]): Takes {
  const isNegated = /[!^]/.test(characters[0] ?? "");
  const ranges: (readonly [from: string, to: string])[] = [];
  let at = isNegated ? 1 : 0;
  const member = () => {
    if (characters[at] === "\\") at++;
    return characters[at++] ?? "";
  };
  while (at < characters.length) {
    const from = member();
    const isRange = characters[at] === "-" && at + 1 < characters.length;
    if (isRange) at++;
    ranges.push([from, isRange ? member() : from]);
  }
  return (character) => character !== "/" && isNegated !== ranges.some(([from, to]) => isBetween(character, from, to));
}

function isBetween(character: string, from: string, to: string): boolean {
  const [code = 0, least = 0, most = 0] = [character, from, to].map((one) => one.codePointAt(0));
  return code >= least && code <= most;
}
