/**
 * Settings from files (requirement L7): `.ahma/settings.json` of the project and `ahma/settings.json` in the user's
 * configuration directory, one JSON object each, whose keys are the flags' names with `_` for `-`.
 *
 * Commands can write the project's file, and so can the author of a repository: it may set only what cannot widen the
 * sandbox or hide what was done, and mistakes in it are left out with a warning. The user's file is trusted like a
 * flag, so a mistake in it is refused like a wrong flag: leaving out a mistyped scope would mean another scope.
 */
import { userDirectory } from "../system/user_directories.ts";
import { messageOf } from "../base/errors.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import { readRegularFile, systemErrorCode } from "../system/reading/regular_file.ts";
import { openScope } from "../system/path_scope.ts";
import { didYouMean } from "../base/suggest.ts";
import { repeatsKeys } from "../catalog/check/check_text.ts";
import type { UnplacedDiagnostic } from "../catalog/format/diagnostic.ts";
import { leadsOut } from "../catalog/load/find_tools.ts";
import { isObject, parseJson } from "../wire/json_value.ts";
import { placeDiagnostics, syntaxErrorOf } from "../catalog/load/positions.ts";
import { BUNDLE_WORDS } from "./bundles.ts";
import { absolutePath } from "../system/paths.ts";
import { type FlagName, flagNamed } from "./flags/flags.ts";
import type { Given } from "./flags/flag_values.ts";
import { loosens } from "./flags/loosens.ts";
import { KEYS, profilesOf, repeatedSetting, type Values, valuesOf } from "./flags/settings_block.ts";
import { heldBy } from "./policy/held.ts";
import type { Policy } from "./policy/policy.ts";
import { chooseProfile } from "./policy/profile.ts";
import { DIRECTORY_KINDS } from "./project_directories.ts";

/** What the files say. */
export interface FileSettings {
  /** The project's first. */
  readonly files: readonly Values[];
  /** Sentences for a person: what was left out. */
  readonly warnings: readonly string[];
  /** The user's file when it says anything: the last of `files`. */
  readonly userFile: string | undefined;
}

/** Where to look. */
export interface SettingsPlaces {
  readonly environment: Readonly<Record<string, string>>;
  /** The project; relative paths in its file start there. */
  readonly directory: string;
  /** The machine's; absent: none holds. */
  readonly policy?: Policy | undefined;
  /** The name of a profile, from a flag or variable; absent: what the policy or the user's file says. */
  readonly profile?: string | undefined;
}

/** A settings file is written by hand; anything larger, or not a file, is not one. */
const LARGEST_BYTES = 64 * 1024;

/** Each is checked before and after every command: a project must not slow its commands down with thousands of them. */
const MOST_PROTECTED = 64;

/** Directories that a project may choose inside itself. */
const PROJECT_DIRECTORIES: readonly FlagName[] = [
  "tools-dir",
  "prompts-dir",
  ...DIRECTORY_KINDS.map((kind) => `${kind}-dir` as const),
];

/** Profiles override the user's file, projects narrow both. The problem is for stderr (exit code 2). */
export async function readSettingsFiles(
  { environment, directory, policy, profile: named }: SettingsPlaces,
): Promise<Outcome<FileSettings>> {
  const read = await readUserFile(environment);
  if (!read.ok) return read;
  const { values, profiles, warnings } = read.value;
  const file = userSettingsPath(environment);
  const chosen = chooseProfile({ named, values, profiles, file, policy });
  if (!chosen.ok) return chosen;
  const user = new Map([...values, ...chosen.value.values]);
  const project = await readProjectFile(directory, user, policy);
  const files = [added(project.values, user), user].filter((one) => one.size > 0);
  const userFile = values.size > 0 || chosen.value.isUsers ? file : undefined;
  return success({ files, warnings: [...project.warnings, ...warnings, ...chosen.value.warnings], userFile });
}

/** The user's settings file; undefined: no variable names its directory. */
export function userSettingsPath(environment: Readonly<Record<string, string>>): string | undefined {
  const configuration = userDirectory(environment, "XDG_CONFIG_HOME");
  return configuration === undefined ? undefined : `${configuration}/ahma/settings.json`;
}

/** Repeatable settings are added to the user's: a project can add values, and never remove any. */
function added(project: Values, user: Values): Values {
  return new Map([...project].map(([name, given]) => {
    if (flagNamed(name).repeatable !== true) return [name, given];
    return [name, { ...given, values: [...given.values ?? [], ...user.get(name)?.values ?? []] }];
  }));
}

interface ReadFile {
  readonly values: Values;
  readonly profiles: ReadonlyMap<string, Values>;
  readonly warnings: readonly string[];
}

const NOTHING: ReadFile = { values: new Map(), profiles: new Map(), warnings: [] };

async function readUserFile(environment: Readonly<Record<string, string>>): Promise<Outcome<ReadFile>> {
  const path = userSettingsPath(environment);
  if (path === undefined) return success(NOTHING);
  // A home this user may not enter (HOME kept by `sudo -u`, `setpriv`) belongs to another user, and so do its settings.
  const place = outOfReach(path);
  if (place !== undefined) {
    const warning = `Settings file "${path}" is not looked for: this user may not enter its directory (${place})`;
    return success({ ...NOTHING, warnings: [warning] });
  }
  const text = readText(path);
  if (text === undefined) return success(NOTHING);
  const read = await parse(path, text);
  const mistake = read.mistakes[0];
  if (mistake !== undefined) return failure(`Cannot use settings file ${mistake}`);
  return success(read);
}

async function readProjectFile(directory: string, user: Values, policy: Policy | undefined): Promise<ReadFile> {
  const path = `${directory}/.ahma/settings.json`;
  const text = leadsOut(path, directory) ? LEADS_OUT : readText(path);
  if (text === undefined) return NOTHING;
  const read = await parse(path, text);
  const values = new Map(read.values);
  const refusals = read.profiles.size === 0
    ? []
    : [`"profiles" of "${path}" is ignored: a project may not have profiles, because commands can write its files`];
  for (const [name, given] of read.values) {
    const held = heldBy(policy, name, given);
    const reason = await refusal(name, given, { directory, user }) ?? (held.ok ? undefined : held.problem);
    if (reason === undefined) {
      const [text] = PROJECT_DIRECTORIES.includes(name) ? given.values ?? [] : [];
      if (text !== undefined) values.set(name, { ...given, values: [absolutePath(text, directory)] });
      continue;
    }
    values.delete(name);
    refusals.push(`${given.source} is ignored: ${reason}`);
  }
  const mistakes = read.mistakes.map((mistake) => `Settings file ${mistake}; this is ignored`);
  const warnings = [...mistakes, ...read.warnings, ...refusals];
  if (read.losesNetwork !== true) return { ...NOTHING, values, warnings };
  // A setting that should narrow the network must not open it.
  const source = `setting "network" of "${path}"`;
  values.set("network", { source, values: ["none"] });
  return { ...NOTHING, values, warnings: [...warnings, `Commands have no network until this is corrected: ${source}`] };
}

/** Why a project's file may not say this; undefined: it may. */
async function refusal(
  name: FlagName,
  given: Given,
  { directory, user }: { readonly directory: string; readonly user: Values },
): Promise<string | undefined> {
  const { values = [] } = given;
  if (flagNamed(name).project !== true) {
    return `a project may not set "${name}", because commands can write its files. ` +
      `Use the flag "--${name}", or the settings file of the user`;
  }
  if (PROJECT_DIRECTORIES.includes(name)) {
    const inside = await (await openScope([directory])).contains(values[0] ?? "", directory);
    return inside.ok ? undefined : `it lies outside the project. Use the flag "--${name}"`;
  }
  if (name === "protect") {
    if (values.length > MOST_PROTECTED) return `a project may name at most ${MOST_PROTECTED} places`;
    const outside = values.find((value) => !isBelow(value));
    return outside === undefined ? undefined : `"${outside}" does not name a place in the project, as in "docs/api.md"`;
  }
  if (name === "strict" && given.values === undefined && user.get(name)?.values !== undefined) {
    return "the user's own file says true";
  }
  if (name === "bundles") {
    const unknown = values.find((one) => !BUNDLE_WORDS.includes(one));
    return unknown === undefined ? undefined : `"${unknown}" is not shipped${didYouMean(unknown, BUNDLE_WORDS)}`;
  }
  const wider = tooWide(name, values[0], user.get(name)?.values?.[0]) ?? tooHigh(name, values[0]);
  if (wider !== undefined) return wider;
  const least = Number(user.get(name)?.values?.[0] ?? 1);
  if (name === "require-abi" && Number(values[0]) < least) return `the user's own file asks for ${least}`;
  return undefined;
}

/** Why a project may not set the flag this high; undefined: it may. The user can, with the flag. */
function tooHigh(name: FlagName, value: string | undefined): string | undefined {
  const { projectMost } = flagNamed(name);
  if (projectMost === undefined || Number(value) <= projectMost) return undefined;
  return `a project may set it to at most ${projectMost}. Use the flag "--${name}"`;
}

/** Why a project may not set the flag to `value`; undefined: it may. `user`: what the user's file says, if anything. */
function tooWide(name: FlagName, value: string | undefined, user: string | undefined): string | undefined {
  const { narrowsOnly } = flagNamed(name);
  if (narrowsOnly === undefined || value === undefined) return undefined;
  const bound = user ?? narrowsOnly;
  if (!loosens(name, value, bound)) return undefined;
  const source = user === undefined ? "the default" : "the user's own file";
  return `a project may not widen the rights of commands, and ${source} says "${bound}". Use the flag "--${name}"`;
}

/** Whether a path is relative and leads below where it starts. */
function isBelow(path: string): boolean {
  const steps = path.split("/").filter((step) => step !== "" && step !== ".");
  return !path.startsWith("/") && steps.length > 0 && !steps.includes("..");
}

/** What the system says when a directory above the file may not be entered; undefined: they all may. */
function outOfReach(path: string): string | undefined {
  try {
    Deno.lstatSync(path);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Deno.errors.PermissionDenied ? messageOf(thrown) : undefined;
  }
}

type Text = { readonly text: string } | { readonly unreadable: string };

/** The agent reads messages about mistakes in the file: a link must not show it the text of another file. */
const LEADS_OUT: Text = { unreadable: "it is a link that leads out of the project" };

/** Undefined: there is none. */
function readText(path: string): Text | undefined {
  try {
    const read = readRegularFile(path, LARGEST_BYTES);
    if (read.kind === "read") return { text: new TextDecoder().decode(read.bytes) };
    if (read.kind === "not_regular") return { unreadable: "it is not a regular file" };
    return { unreadable: `it has ${read.size} bytes, at most ${LARGEST_BYTES} are read` };
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes(systemErrorCode(thrown) ?? "")) return undefined;
    return { unreadable: messageOf(thrown) };
  }
}

interface Parsed extends ReadFile {
  /** Each with file, line and column. */
  readonly mistakes: readonly string[];
  /** It names a network, which cannot be read. */
  readonly losesNetwork?: boolean;
}

async function parse(path: string, text: Text): Promise<Parsed> {
  if ("unreadable" in text) return { ...NOTHING, mistakes: [`"${path}": ${text.unreadable}`] };
  const plain = text.text.startsWith("\uFEFF") ? text.text.slice(1) : text.text;
  const parsed = parseJson(plain);
  if (!parsed.ok) {
    const { line, column, message } = await syntaxErrorOf(path, plain, { fallback: parsed.problem });
    const mistake = `${path}:${line}:${column}: ${message.replace(/: correct it there.*$/, "")}`;
    return { ...NOTHING, mistakes: [mistake], losesNetwork: plain.includes('"network"') };
  }
  const diagnostics: UnplacedDiagnostic[] = [];
  const values = new Map(valuesOf(parsed.value, { file: path, path: [], unknown: "warning" }, diagnostics));
  const profiles = profilesOf(parsed.value, { file: path, unknown: "warning" }, diagnostics);
  if (diagnostics.length === 0 && !repeatsKeys(plain, parsed.value)) {
    return { values, profiles, warnings: [], mistakes: [] };
  }
  const placed = await placeDiagnostics(path, plain, diagnostics, repeatedSetting);
  for (const { severity, pointer } of placed) {
    const name = KEYS.get(pointer.slice(1));
    if (severity === "error" && name !== undefined) values.delete(name);
  }
  const say = (severity: UnplacedDiagnostic["severity"]) =>
    placed.filter((problem) => problem.severity === severity)
      .map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`);
  const losesNetwork = isObject(parsed.value) && "network" in parsed.value && !values.has("network");
  return { values, profiles, warnings: say("warning"), mistakes: say("error"), losesNetwork };
}
