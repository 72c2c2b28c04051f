/** The value of every flag: from the command line, its variable, or the settings files, checked against the table. */
import { LONG_NAME, LONGEST_NAME } from "../../catalog/format/names.ts";
import { networkProblem, oneNetwork } from "./network_value.ts";
import { parseBinding } from "../../secrets/binding.ts";
import { hostProblem } from "../../ssh_agent/hosts/host_name.ts";
import { publishedProblem } from "./published_ports.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { FLAG_NAMES, type FlagName, flagNamed } from "./flags.ts";
import { type Flag, valuesIn } from "./flag.ts";

/** With such a prefix, names without a warning (T5) stay short enough. */
const TOOL_PREFIX = new RegExp(`^[A-Za-z0-9_-]{1,${LONGEST_NAME - LONG_NAME}}$`);

/** A variable's name, and a text that is not empty. */
const ASSIGNMENT = /^[A-Za-z_]\w*=./s;

/** As browsers write it, without a path. */
const ORIGIN = /^(?:[a-z][a-z\d+.-]*:\/\/[^/\s]+|null)$/i;

const ON: readonly string[] = ["1", "true", "yes", "on"];
const OFF: readonly string[] = ["0", "false", "no", "off"];

/** Checked values by flag; a flag that was not given is off, undefined or empty. */
export interface FlagValues {
  isOn(name: FlagName): boolean;
  number(name: FlagName): number | undefined;
  /** The first of `texts`. */
  text(name: FlagName): string | undefined;
  texts(name: FlagName): readonly string[];
  /** Of a `limit`; undefined: none. */
  limit(name: FlagName): number | undefined;
}

/** The sources of a flag; the first that sets it wins. */
export interface FlagSources {
  /** The command line, sorted. */
  readonly typed: ReadonlyMap<FlagName, readonly string[]>;
  readonly environment: Readonly<Record<string, string>>;
  /** Settings files, the project's first; their values are checked already. */
  readonly files: readonly ReadonlyMap<FlagName, Given>[];
  /** The final value of a checked flag; the problem says why it is refused. Absent: unchanged. */
  readonly hold?: (name: FlagName, given: Given) => Outcome<Given>;
}

/** One flag as a source sets it. */
export interface Given {
  /** For messages. */
  readonly source: string;
  /** Empty for a switch that is on; undefined: a switch that is off. */
  readonly values: readonly string[] | undefined;
}

/** Reads and checks every flag; the first wrong value is the problem, named with the place it came from. */
export function flagValues(sources: FlagSources): Outcome<FlagValues> {
  const texts = new Map<FlagName, readonly string[]>();
  for (const name of FLAG_NAMES) {
    const flag = flagNamed(name);
    const given = sources.typed.has(name)
      ? success({ source: `flag "--${name}"`, values: sources.typed.get(name) ?? [] })
      : fromVariable(flag, sources.environment);
    if (!given.ok) return given;
    const found = given.value ?? sources.files.find((file) => file.has(name))?.get(name) ?? NOT_GIVEN;
    const checked = checkedGiven(flag, found);
    const held = checked.ok ? sources.hold?.(name, checked.value) ?? checked : checked;
    if (!held.ok) return failure(`Cannot use ${found.source}: ${held.problem}`);
    if (held.value.values !== undefined) texts.set(name, held.value.values);
  }
  return success({
    isOn: (name) => texts.has(name),
    number: (name) => texts.has(name) ? Number(texts.get(name)?.[0]) : undefined,
    text: (name) => texts.get(name)?.[0],
    texts: (name) => texts.get(name) ?? [],
    limit: (name) => limitOf(texts.get(name)?.[0] ?? flagNamed(name).narrowsOnly ?? "none"),
  });
}

const NOT_GIVEN: Given = { source: "", values: undefined };

function checkedGiven(flag: Flag, given: Given): Outcome<Given> {
  const { source, values } = given;
  const problem = values?.map((value) => valueProblem(flag, value)).find((found) => found !== undefined);
  if (problem !== undefined) return failure(problem);
  if (values === undefined || flag.value !== "network") return success(given);
  const whole = oneNetwork(values);
  return whole.ok ? success({ source, values: whole.value }) : whole;
}

function fromVariable(flag: Flag, environment: Readonly<Record<string, string>>): Outcome<Given | undefined> {
  const text = flag.variable === undefined ? undefined : environment[flag.variable];
  if (flag.variable === undefined || text === undefined) return success(undefined);
  const source = `variable "${flag.variable}"`;
  if (text === "" && flag.refuseEmpty !== true) return success(undefined);
  if (flag.value === "none") {
    const word = text.toLowerCase();
    if (ON.includes(word)) return success({ source, values: [] });
    if (OFF.includes(word)) return success({ source, values: undefined });
    return failure(`Cannot use ${source}: "${text}" is neither "1" nor "0"`);
  }
  return success({ source, values: valuesInVariable(flag, text) });
}

function valuesInVariable(flag: Flag, text: string): readonly string[] {
  if (flag.repeatable !== true) return [text];
  if (flag.value === "directory") return text.split(":");
  if (flag.value === "secret" || flag.value === "assignment") return text.split(/,(?=[A-Za-z_]\w*=)/);
  return flag.value === "text" ? text.split(",") : valuesIn(flag, text);
}

/** What is wrong with a value, to follow a colon; undefined when nothing is. */
export function valueProblem(flag: Flag, value: string): string | undefined {
  if (value === "") return "the value is empty";
  if (value.includes("\0")) return "the value holds a NUL character";
  switch (flag.value) {
    case "none":
    case "text":
    case "directory":
    case "bundle": // unknown names are refused where the bundles are read
      return undefined;
    case "choice":
      return flag.choices?.includes(value) === true
        ? undefined
        : `"${value}" is not supported, expected ${flag.choices?.map((choice) => `"${choice}"`).join(" or ")}`;
    case "network":
      return networkProblem(value);
    case "secret": {
      const parsed = parseBinding(value);
      return parsed.ok ? undefined : parsed.problem;
    }
    case "assignment":
      return ASSIGNMENT.test(value) ? undefined : `"${value.split("=", 1)[0]}" is not followed by "=" and a value`;
    case "gpu":
      return /^(?:all|\d{1,3}|(?:nvidia|renderD)\d{1,3})$/.test(value)
        ? undefined
        : `"${value}" is neither "all" nor a number as in "0" nor a device as in "renderD128"`;
    case "host":
      return hostProblem(value);
    case "origin":
      return ORIGIN.test(value) ? undefined : `"${value}" is not an origin such as https://ide.example`;
    case "port":
      return publishedProblem(value);
    case "prefix":
      return TOOL_PREFIX.test(value)
        ? undefined
        : `"${value}" is not 1 to ${LONGEST_NAME - LONG_NAME} letters, digits, "_" and "-"`;
    case "name":
      return /^[A-Za-z_]\w*$/.test(value) ? undefined : `"${value}" is not the name of a variable`;
    case "limit":
      return limitProblem(value, flag.range);
    case "count":
    case "number":
      return numberProblem(flag, value);
  }
}

function numberProblem(flag: Flag, value: string): string | undefined {
  const [smallest, largest] = flag.range ?? [0, Number.MAX_SAFE_INTEGER];
  const number = Number(value);
  const pattern = flag.value === "count" ? /^\d+$/ : /^\d+(\.\d+)?$/;
  if (pattern.test(value) && number >= smallest && number <= largest) return undefined;
  const kind = flag.value === "count" ? "a whole number" : "a number";
  return `"${value}" is not ${kind} from ${smallest} to ${largest}`;
}

/** By letter; powers of 1024. */
const UNITS: Readonly<Record<string, number>> = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };

const PATTERN = /^(\d+)([KMGT]?)$/i;

/** The number; undefined: no limit. The text was checked by `limitProblem`. */
export function limitOf(text: string): number | undefined {
  const [, digits, unit = ""] = PATTERN.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (UNITS[unit.toUpperCase()] ?? 1);
}

/** What is wrong with a limit, to follow a colon; undefined when nothing is. */
export function limitProblem(
  text: string,
  [smallest, largest]: readonly [number, number] = [1, Number.MAX_SAFE_INTEGER],
): string | undefined {
  if (text === "none") return undefined;
  const limit = limitOf(text);
  if (limit !== undefined && limit >= smallest && limit <= largest) return undefined;
  return `"${text}" is neither "none" nor a whole number from ${smallest} to ${largest} (K, M, G and T may follow it)`;
}
