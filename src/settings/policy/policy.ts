/** The text of a policy: what the administrators of a machine forbid and force, and named settings (S37). */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { didYouMean } from "../../base/suggest.ts";
import { hiddenCharacter, shorten } from "../../base/visible_text.ts";
import { repeatsKeys } from "../../catalog/check/check_text.ts";
import { errorAt, type UnplacedDiagnostic } from "../../catalog/format/diagnostic.ts";
import { placeDiagnostics, syntaxErrorOf } from "../../catalog/load/positions.ts";
import { isObject, parseJson } from "../../wire/json_value.ts";
import { type FlagName, flagNamed } from "../flags/flags.ts";
import { flagsOf } from "../flags/parse_command_line.ts";
import { PROFILES, profilesOf, repeatedSetting, type Values, valuesOf } from "../flags/settings_block.ts";

/** What holds for every start on a machine. */
export interface Policy {
  /** Its path, for messages. */
  readonly file: string;
  /** SHA-256 of its text, 64 hexadecimal digits. */
  readonly fingerprint: string;
  /** Flags that may not be given anywhere. */
  readonly forbidden: ReadonlySet<FlagName>;
  /** The values of flags that hold everywhere; checked, and empty for a switch. */
  readonly forced: ReadonlyMap<FlagName, readonly string[]>;
  readonly profiles: ReadonlyMap<string, Values>;
  /** One line that every refusal ends with; undefined: there is none. */
  readonly support: string | undefined;
}

const FIELDS = ["forbid", "force", PROFILES, "support"];
const LONGEST_SUPPORT = 500;

/** Flags with which a project can have less: without them a start would open more, so they can only be forced. */
const NARROWING: readonly FlagName[] = ["protect", "strict", "require-layer", "require-abi"];

/** Flags that a policy may forbid: nearly all of the server's, so that new flags are included. */
export const FORBIDDABLE: readonly FlagName[] = flagsOf("serve").filter((name) =>
  name !== "help" && name !== "version" && !onlyNarrows(name)
);

function onlyNarrows(name: FlagName): boolean {
  return flagNamed(name).narrowsOnly !== undefined || NARROWING.includes(name);
}

/** Without the sandbox commands could undo whatever a policy forces. */
export const UNFORCED: readonly FlagName[] = ["no-sandbox", "no-sandbox-server"];

/** Flags whose value is a path of this machine, though their kind does not say so. */
const PATHS: readonly FlagName[] = ["audit-log", "shell"];
/** Directories whose relative paths start in every scope. */
const INSIDE_THE_SCOPE: readonly FlagName[] = ["protect", "allow-protected"];

/** The policy; the problem is each mistake with file, line and column. `user`: the number that `{uid}` stands for. */
export async function parsePolicy(
  file: string,
  bytes: Uint8Array<ArrayBuffer>,
  user: number | null,
): Promise<Outcome<Policy, readonly string[]>> {
  const text = new TextDecoder().decode(bytes);
  const parsed = parseJson(text);
  if (!parsed.ok) {
    const { line, column, message } = await syntaxErrorOf(file, text, { fallback: parsed.problem });
    return failure([`${file}:${line}:${column}: ${message.replace(/: correct it there.*$/, "")}`]);
  }
  const diagnostics: UnplacedDiagnostic[] = [];
  const policy = read(parsed.value, { file, user }, diagnostics);
  if (diagnostics.length > 0 || repeatsKeys(text, parsed.value)) {
    const placed = await placeDiagnostics(file, text, diagnostics, repeatedSetting);
    return failure(placed.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`));
  }
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return success({ ...policy, file, fingerprint: digest.toHex() });
}

interface ReadFrom {
  readonly file: string;
  readonly user: number | null;
}

function read(
  parsed: unknown,
  { file, user }: ReadFrom,
  diagnostics: UnplacedDiagnostic[],
): Omit<Policy, "file" | "fingerprint"> {
  if (!isObject(parsed)) {
    diagnostics.push(errorAt([], "The file is not an object: write { ... }"));
    return { forbidden: new Set(), forced: new Map(), profiles: new Map(), support: undefined };
  }
  for (const key of Object.keys(parsed)) {
    if (key === "$schema" || FIELDS.includes(key)) continue;
    diagnostics.push({ ...errorAt([key], `"${shorten(key)}" is unknown${didYouMean(key, FIELDS)}`), at: "key" });
  }
  const forced = forcedBy(parsed["force"], { file, user }, diagnostics);
  const implied = [...forced.size > 0 ? UNFORCED : [], ...forced.has("protect") ? ["allow-protected" as const] : []];
  return {
    forbidden: new Set([...forbiddenBy(parsed["forbid"], diagnostics), ...implied]),
    forced,
    profiles: profilesOf(parsed, { file, unknown: "error" }, diagnostics),
    support: supportOf(parsed["support"], diagnostics),
  };
}

function forbiddenBy(value: unknown, diagnostics: UnplacedDiagnostic[]): readonly FlagName[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    diagnostics.push(errorAt(["forbid"], '"forbid" is not a list of flags, as in ["no-sandbox"]'));
    return [];
  }
  return value.flatMap((one: unknown, index) => {
    const word = typeof one === "string" ? one.replace(/^--/, "").replaceAll("_", "-") : undefined;
    const name = flagsOf("serve").find((flag) => flag === word);
    if (name !== undefined && FORBIDDABLE.includes(name)) return [name];
    if (name !== undefined && onlyNarrows(name)) {
      const message =
        `"${name}" cannot be forbidden: it can give commands less. Write the most that they get in "force"`;
      diagnostics.push(errorAt(["forbid", index], message));
      return [];
    }
    const shown = shorten(JSON.stringify(one));
    diagnostics.push(
      errorAt(["forbid", index], `${shown} is not a flag of the server${didYouMean(word ?? "", FORBIDDABLE)}`),
    );
    return [];
  });
}

function forcedBy(value: unknown, { file, user }: ReadFrom, diagnostics: UnplacedDiagnostic[]): Policy["forced"] {
  if (value === undefined) return new Map();
  const forced = new Map<FlagName, readonly string[]>();
  for (const [name, { values }] of valuesOf(value, { file, path: ["force"], unknown: "error" }, diagnostics)) {
    const key = name.replaceAll("-", "_");
    const problem = unforceable(name, values);
    if (problem !== undefined) diagnostics.push(errorAt(["force", key], `"${key}" cannot be forced: ${problem}`));
    else forced.set(name, (values ?? []).map((one) => name === "audit-log" ? one.replaceAll("{uid}", `${user}`) : one));
  }
  return forced;
}

/** Why a flag cannot be forced to these values; undefined: it can. */
function unforceable(name: FlagName, values: readonly string[] | undefined): string | undefined {
  if (values === undefined) return `write "${name}" in "forbid"`;
  if (UNFORCED.includes(name)) return "a policy that forces something forbids it";
  const isPath = PATHS.includes(name) || flagNamed(name).value === "directory" && !INSIDE_THE_SCOPE.includes(name);
  const relative = isPath ? values.find((one) => !one.startsWith("/")) : undefined;
  return relative === undefined
    ? undefined
    : `"${relative}" depends on the directory of each start; write an absolute path`;
}

function supportOf(value: unknown, diagnostics: UnplacedDiagnostic[]): string | undefined {
  if (value === undefined) return undefined;
  const refuse = (why: string) => void diagnostics.push(errorAt(["support"], `"support" ${why}`));
  if (typeof value !== "string" || value.trim() === "") refuse("is not a text that tells people where to ask");
  else if (value.length > LONGEST_SUPPORT) {
    refuse(`has ${value.length} characters, at most ${LONGEST_SUPPORT} are shown`);
  } else if (/[\r\n]/.test(value)) refuse("has more than one line");
  else if (hiddenCharacter(value) !== undefined) refuse(`holds an invisible character (${hiddenCharacter(value)})`);
  else return value.trim();
  return undefined;
}
