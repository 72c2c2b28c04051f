/** A block of settings in JSON: an object whose keys are the flags' names with `_` for `-` (L7). Pure. */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { didYouMean } from "../../base/suggest.ts";
import { shorten } from "../../base/visible_text.ts";
import type { UnplacedDiagnostic } from "../../catalog/format/diagnostic.ts";
import { isObject } from "../../wire/json_value.ts";
import { type Flag, valuesIn } from "./flag.ts";
import { type Given, valueProblem } from "./flag_values.ts";
import { FLAG_NAMES, type FlagName, flagNamed } from "./flags.ts";

/** The checked settings of a block. */
export type Values = ReadonlyMap<FlagName, Given>;

/** The keys of a block, and the flag of each. */
export const KEYS: ReadonlyMap<string, FlagName> = new Map(
  FLAG_NAMES.filter((name) => flagNamed(name).variable !== undefined).map((name) => [name.replaceAll("-", "_"), name]),
);

/** The key of named blocks in a file of settings. */
export const PROFILES = "profiles";

/** Where a block is, and how strictly it is read. */
export interface BlockPlace {
  /** The path of its file. */
  readonly file: string;
  /** Keys from the top of the file to the block; empty: the file is the block. */
  readonly path: readonly string[];
  /** How serious an unknown key is. */
  readonly unknown: UnplacedDiagnostic["severity"];
}

/** The settings of a block without its profiles; `diagnostics` gets what is wrong, and such a setting is left out. */
export function valuesOf(block: unknown, place: BlockPlace, diagnostics: UnplacedDiagnostic[]): Values {
  const values = new Map<FlagName, Given>();
  const { file, path, unknown } = place;
  if (!isObject(block)) {
    const what = path.length === 0 ? "The file" : `"${path.join(".")}"`;
    diagnostics.push({ severity: "error", path, at: "value", message: `${what} is not an object: write { ... }` });
    return values;
  }
  for (const [key, value] of Object.entries(block)) {
    if (path.length === 0 && (key === "$schema" || key === PROFILES)) continue;
    const at = [...path, key];
    const name = KEYS.get(key);
    if (name === undefined) {
      const ignored = unknown === "warning" ? " and ignored" : "";
      const message = `Setting "${key}" is unknown${ignored}${didYouMean(key, KEYS.keys())}`;
      diagnostics.push({ severity: unknown, path: at, at: "key", message });
      continue;
    }
    const given = wordsOf(flagNamed(name), value);
    const problem = given.ok ? problemIn(flagNamed(name), given.value) : given.problem;
    if (!given.ok || problem !== undefined) {
      diagnostics.push({ severity: "error", path: at, at: "value", message: `Setting "${key}": ${problem}` });
      continue;
    }
    values.set(name, { source: `setting "${at.join(".")}" of "${file}"`, values: given.value });
  }
  return values;
}

const PROFILE_NAME = /^[\w.-]{1,64}$/;

/** The profiles of a file, by name; empty: it has none. */
export function profilesOf(
  parsed: unknown,
  { file, unknown }: Omit<BlockPlace, "path">,
  diagnostics: UnplacedDiagnostic[],
): ReadonlyMap<string, Values> {
  const block = isObject(parsed) ? parsed[PROFILES] : undefined;
  if (block === undefined) return new Map();
  const refuse = (path: readonly string[], message: string) =>
    void diagnostics.push({ severity: "error", path, at: "key", message });
  if (!isObject(block)) {
    refuse([PROFILES], `"${PROFILES}" is not an object: write { "NAME": { ... } }`);
    return new Map();
  }
  return new Map(
    Object.entries(block).map(([name, settings]) => {
      const path = [PROFILES, name];
      if (!PROFILE_NAME.test(name)) {
        refuse(path, `The name of profile "${shorten(name)}" needs 1 to 64 of a-z 0-9 _ . -`);
      }
      const values = valuesOf(settings, { file, unknown, path }, diagnostics);
      if (values.has("profile")) refuse([...path, "profile"], `Profile "${name}" cannot choose a profile itself`);
      return [name, values];
    }),
  );
}

/** The message for a setting that is given twice: only the last value would count, and the first may be a scope. */
export function repeatedSetting(
  path: UnplacedDiagnostic["path"],
  texts: readonly [string, string],
): UnplacedDiagnostic {
  const key = String(path.at(-1));
  const name = KEYS.get(key);
  const remedy = name !== undefined && flagNamed(name).repeatable === true ? "write one list" : "it takes one value";
  const message = `Setting "${key}" is given as ${texts.join(" and as ")}: ${remedy}`;
  return { severity: "error", path, at: "key", message };
}

function problemIn(flag: Flag, words: readonly string[] | undefined): string | undefined {
  return words?.map((word) => valueProblem(flag, word)).find((problem) => problem !== undefined);
}

/** The value as the words that the flag would be typed with; undefined: a switch that is off. */
function wordsOf(flag: Flag, value: unknown): Outcome<readonly string[] | undefined> {
  const shown = JSON.stringify(value) ?? "nothing";
  if (Array.isArray(value) && flag.value === "network") {
    return value.every((one) => typeof one === "string")
      ? success([value.join(",")])
      : failure(`${shown} is not a list of texts`);
  }
  if (Array.isArray(value) && flag.repeatable !== true) return failure(`${shown} is a list, and it takes one value`);
  if (flag.value === "none") {
    return typeof value === "boolean" ? success(value ? [] : undefined) : failure(`${shown} is neither true nor false`);
  }
  if (flag.value === "count" || flag.value === "number") {
    return typeof value === "number" ? success([String(value)]) : failure(`${shown} is not a number`);
  }
  if (flag.value === "limit") {
    return typeof value === "number" || typeof value === "string"
      ? success([String(value)])
      : failure(`${shown} is neither a number nor a text as in "16G"`);
  }
  const list: readonly unknown[] = [value].flat();
  const words = list.map((one) => ["port", "gpu"].includes(flag.value) && typeof one === "number" ? String(one) : one)
    .filter((one) => typeof one === "string");
  if (words.length === list.length) return success(words.flatMap((word) => valuesIn(flag, word)));
  return failure(
    flag.repeatable === true ? `${shown} is neither a text nor a list of texts` : `${shown} is not a text`,
  );
}
