/** Sorts words into flags. Hand-written, because a parser package delays `initialize` by 39 to 56 ms. */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { builtinTraits } from "../../catalog/format/builtin_traits.ts";
import { closest } from "../../base/suggest.ts";
import { mayRepeat, valuesIn } from "./flag.ts";
import { FLAG_NAMES, type FlagName, flagNamed, SERVER_FLAGS } from "./flags.ts";
import type { Operands } from "./subcommand.ts";
import { factsOf, type Subcommand, SUBCOMMANDS } from "./subcommands.ts";

/** Of flags that share a word with an unknown one. */
const MOST_GUESSES = 3;

/** Flags as typed: a switch has no values, the others at least one, in order. */
export interface CommandLine {
  readonly subcommand: Subcommand;
  readonly flags: ReadonlyMap<FlagName, readonly string[]>;
  /** Words that are not flags; the subcommand interprets them. For `call`: everything from the tool's name on. */
  readonly operands: readonly string[];
}

interface Sorted {
  /** The first word that is not a flag, if it is a subcommand; flags may precede it. */
  subcommand: Subcommand | undefined;
  readonly flags: Map<FlagName, string[]>;
  readonly operands: string[];
  /** The first operand before any `--`. */
  stray: string | undefined;
}

/** `--flag value`, `--flag=value`, `--` ends flags, `_` is as good as `-`. The problem is for stderr (2). */
export function parseCommandLine(words: readonly string[]): Outcome<CommandLine> {
  const sorted = sortWords(words);
  if (!sorted.ok) return sorted;
  const { subcommand: named, flags, operands, stray } = sorted.value;
  const subcommand = named ?? impliedBy(flags);
  const asksForHelp = flags.has("help") || flags.has("version");
  const problem = asksForHelp ? undefined : operandProblem(subcommand, operands, stray) ??
    flagProblem(subcommand, flags, named !== undefined);
  return problem === undefined ? success({ subcommand, flags, operands }) : failure(problem);
}

function sortWords(words: readonly string[]): Outcome<Sorted> {
  const sorted: Sorted = { subcommand: undefined, flags: new Map(), operands: [], stray: undefined };
  const { flags, operands } = sorted;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (word === "--") {
      operands.push(...words.slice(index + 1));
      return success(sorted);
    }
    if (!word.startsWith("-") || word === "-") {
      if (sorted.subcommand === undefined && operands.length === 0 && !IMPLYING.some((name) => flags.has(name))) {
        const isTool = builtinTraits(word)?.callableWithoutCall === true;
        sorted.subcommand = isTool ? "call" : SUBCOMMANDS.find((one) => one === word);
        if (sorted.subcommand !== undefined && !isTool) continue;
      }
      if (sorted.subcommand === "call" || sorted.subcommand === "rules") {
        operands.push(...words.slice(index));
        return success(sorted);
      }
      sorted.stray ??= word;
      operands.push(word);
      continue;
    }
    const read = readFlag(word, words[index + 1], sorted.subcommand);
    // After a word that is not a subcommand, it may be a flag of a tool.
    if (!read.ok && sorted.stray !== undefined && sorted.subcommand === undefined) {
      return failure(strayWord(sorted.stray, "serve"));
    }
    if (!read.ok) return read;
    const { name, value, tookNext } = read.value;
    const flag = flagNamed(name);
    const [before] = flags.get(name) ?? [];
    if (before !== undefined && !mayRepeat(flag) && value !== undefined) {
      if (before !== value) {
        return failure(`Cannot use flag "--${name}" with "${before}" and "${value}": it takes one value`);
      }
    } else flags.set(name, [...flags.get(name) ?? [], ...value === undefined ? [] : valuesIn(flag, value)]);
    if (tookNext) index++;
  }
  return success(sorted);
}

/** The subcommand that a command line without one means: forms of older programs of this kind. */
function impliedBy(flags: ReadonlyMap<FlagName, readonly string[]>): Subcommand {
  if (flags.has("tool-name") || flags.has("tool-args")) return "call";
  if (flags.has("list-tools") || flags.get("mode")?.at(-1) === "list-tools") return "list-tools";
  return flags.has("validate") ? "validate" : "serve";
}

/** The flags that turn a line without a subcommand into one. */
const IMPLYING: readonly FlagName[] = ["tool-name", "tool-args", "list-tools", "validate"];

/** How many words follow; missing kinds take any number. */
const MOST_OPERANDS: Partial<Record<Operands, number>> = { none: 0, shell: 1, operation: 1, subcommand: 1, login: 2 };

function operandProblem(
  subcommand: Subcommand,
  operands: readonly string[],
  stray: string | undefined,
): string | undefined {
  const { operands: kind } = factsOf(subcommand);
  if (kind === "command") {
    return stray === undefined
      ? undefined
      : `Unexpected argument "${stray}": a command belongs after "--", as in "ahma_mcp list-tools -- ${stray}"`;
  }
  const tooMany = operands[MOST_OPERANDS[kind] ?? Infinity];
  return tooMany === undefined ? undefined : strayWord(tooMany, subcommand);
}

function flagProblem(
  subcommand: Subcommand,
  flags: ReadonlyMap<FlagName, readonly string[]>,
  named: boolean,
): string | undefined {
  const allowed = [...flagsOf(subcommand), ...named ? [] : IMPLYING];
  const foreign = [...flags.keys()].find((name) => !allowed.includes(name));
  if (foreign === undefined) return undefined;
  const owners = SUBCOMMANDS.filter((one) => (factsOf(one).flags as readonly FlagName[]).includes(foreign));
  const where = owners.length === 0 ? "it stands without a subcommand" : `it belongs to ${owners.join(", ")}`;
  const similar = flagsOf(subcommand).find((name) => hasWord(name, foreign));
  const advice = similar === undefined ? `, see "ahma_mcp ${subcommand} --help"` : `; did you mean "--${similar}"?`;
  return `Cannot use flag "--${foreign}" with "${subcommand}": ${where}${advice}`;
}

/** Every flag a subcommand takes, its own first. */
export function flagsOf(subcommand: Subcommand): readonly FlagName[] {
  const { flags, serverFlags } = factsOf(subcommand);
  return serverFlags ? [...new Set([...flags, ...SERVER_FLAGS])] : [...flags, "help", "version"];
}

interface ReadFlag {
  readonly name: FlagName;
  /** Undefined: a switch. */
  readonly value: string | undefined;
  readonly tookNext: boolean;
}

function readFlag(word: string, next: string | undefined, named: Subcommand | undefined): Outcome<ReadFlag> {
  const equals = word.indexOf("=");
  const typed = equals < 0 ? word : word.slice(0, equals);
  const name = findFlag(typed);
  if (name === undefined) return failure(unknownFlag(typed, named));
  const { value: kind, placeholder } = flagNamed(name);
  if (kind === "none") {
    if (equals < 0) return success({ name, value: undefined, tookNext: false });
    return failure(`Cannot use "${word}": flag "--${name}" takes no value`);
  }
  const value = equals < 0 ? next : word.slice(equals + 1);
  if (value === undefined || (equals < 0 && (value === "--" || findFlag(value) !== undefined))) {
    return failure(`Cannot use flag "--${name}": it needs a value, as in "--${name} ${placeholder}"`);
  }
  return success({ name, value, tookNext: equals < 0 });
}

function findFlag(typed: string): FlagName | undefined {
  if (typed === "-h") return "help";
  if (typed === "-V") return "version";
  const folded = typed.replaceAll("_", "-");
  return FLAG_NAMES.find((name) => folded === `--${name}`);
}

function unknownFlag(typed: string, named: Subcommand | undefined): string {
  const help = named === undefined ? "ahma_mcp --help" : `ahma_mcp ${named} --help`;
  const pools = named === undefined ? [flagsOf("serve"), FLAG_NAMES] : [flagsOf(named)];
  const guesses = pools.map((names) => flagsLike(typed, names)).find(({ length }) => length > 0);
  return `Unknown flag "${typed}": ${
    guesses === undefined ? `see "${help}"` : `did you mean ${guesses.join(" or ")}?`
  }`;
}

/** The flag that is spelled most nearly so, else those with this word in their name, such as `--sandbox-scope`. */
function flagsLike(typed: string, names: readonly FlagName[]): readonly string[] {
  const word = typed.replace(/^-+/, "");
  const near = closest(word, names);
  const like = near !== undefined ? [near] : names.filter((name) => hasWord(name, word)).slice(0, MOST_GUESSES);
  return like.map((name) => `"--${name}"`);
}

function hasWord(name: FlagName, word: string): boolean {
  return name.split("-").includes(word);
}

function strayWord(word: string, subcommand: Subcommand): string {
  const start = `Unexpected argument "${word}"`;
  if (subcommand !== "serve") return `${start}: only flags are expected, see "ahma_mcp ${subcommand} --help"`;
  const guess = closest(word, SUBCOMMANDS);
  if (guess !== undefined) return `${start}: did you mean "${guess}"?`;
  const call = /^\w[\w-]*$/.test(word) ? `; "ahma_mcp call ${word}" calls a tool of this name` : "";
  return `${start}: only flags are expected, see "ahma_mcp --help"${call}`;
}
