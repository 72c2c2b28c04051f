/** Joins flags, variables and settings files (L7). Help, and checks for mistakes, work with broken settings. */
import { messageOf, UserError } from "../base/errors.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import { type CommandLine, parseCommandLine } from "../settings/flags/parse_command_line.ts";
import type { WholeCommandLine } from "../app/http/awaited_scope.ts";
import { isInOpenTree, openTrees } from "../app/writable_trees.ts";
import { projectDirectory } from "../settings/project_directories.ts";
import { type Invocation, readInvocation } from "../settings/settings.ts";
import type { Policy } from "../settings/policy/policy.ts";
import { readPolicy } from "../settings/policy/policy_file.ts";
import { readSettingsFiles } from "../settings/settings_files.ts";
import { factsOf, type Subcommand } from "../settings/flags/subcommands.ts";

type Environment = Readonly<Record<string, string>>;

/** Subcommands that ignore broken settings, and say so. */
const LOOK_FOR_MISTAKES: readonly Subcommand[] = ["doctor", "validate", "init", "grants"];
/** Subcommands that take no flags of the server, and yet depend on what it will be told elsewhere. */
const ABOUT_SETTINGS: readonly Subcommand[] = ["init", "grants"];

/** The problem is for stderr (exit code 2). @throws {UserError} when commands can write the user's settings */
export async function readWholeInvocation(
  { words, pinned }: WholeCommandLine,
  environment: Environment,
): Promise<Outcome<Invocation>> {
  const line = parseCommandLine(words);
  if (!line.ok) return line;
  const { subcommand, flags } = line.value;
  const cores = navigator.hardwareConcurrency;
  const readsSettings = factsOf(subcommand).serverFlags || ABOUT_SETTINGS.includes(subcommand);
  // The policy to check may be meant for the place of a broken one.
  if (flags.has("help") || flags.has("version") || flags.has("policy") || !readsSettings) {
    return readInvocation(line.value, { environment: {}, cores });
  }
  const policy = await readPolicy();
  if (!policy.ok) return policy;
  const asked = { line: line.value, policy: policy.value, handsScopes: pinned.length > 0 };
  const whole = await withFiles(asked, environment).catch((thrown: unknown) => {
    if (thrown instanceof UserError && LOOK_FOR_MISTAKES.includes(subcommand)) return failure(thrown.message);
    throw thrown;
  });
  const invocation = whole.ok || !LOOK_FOR_MISTAKES.includes(subcommand)
    ? whole
    : withoutSettings(asked, whole.problem);
  if (!invocation.ok || invocation.value.kind !== "run") return invocation;
  const { settings } = invocation.value;
  return success({ ...invocation.value, settings: { ...settings, sandbox: { ...settings.sandbox, pinned } } });
}

interface Asked {
  readonly line: CommandLine;
  readonly policy: Policy | undefined;
  readonly handsScopes: boolean;
}

async function withFiles({ line, policy, handsScopes }: Asked, environment: Environment): Promise<Outcome<Invocation>> {
  const profile = line.flags.get("profile")?.[0] ?? environment["AHMA_PROFILE"];
  const read = await readSettingsFiles({ environment, directory: projectOf(line, environment), policy, profile });
  if (!read.ok) return failure(read.problem);
  const { files, warnings, userFile } = read.value;
  const surroundings = { environment, cores: navigator.hardwareConcurrency, policy, handsScopes };
  const invocation = readInvocation(line, { ...surroundings, files });
  if (!invocation.ok || invocation.value.kind !== "run") return invocation;
  if (userFile !== undefined) {
    const without = readInvocation(line, { ...surroundings, files: files.slice(0, -1) });
    for (const one of [invocation, without]) {
      if (!one.ok || one.value.kind !== "run") continue;
      if (isInOpenTree(userFile, openTrees(one.value.settings.sandbox, environment))) {
        throw new UserError(untrusted(userFile));
      }
    }
  }
  return success({ ...invocation.value, warnings: [...invocation.value.warnings, ...warnings] });
}

/** The user's own file may name scopes too, and is read only later: there the working directory is the project. */
function projectOf({ flags }: CommandLine, environment: Environment): string {
  const variable = environment["AHMA_SANDBOX_SCOPE"];
  return projectDirectory(flags.get("sandbox-scope") ?? variable?.split(":") ?? [], workingDirectory());
}

/** @throws {UserError} Where its path cannot be named. */
function workingDirectory(): string {
  try {
    return Deno.cwd();
  } catch (thrown) {
    throw new UserError(`Cannot start in this directory: ${messageOf(thrown)}. Start in another one`);
  }
}

/** The invocation from the command line alone, so that broken settings can be reported. */
function withoutSettings({ line, policy }: Asked, settingsProblem: string): Outcome<Invocation> {
  const invocation = readInvocation(line, { environment: {}, cores: navigator.hardwareConcurrency, policy });
  if (!invocation.ok || invocation.value.kind !== "run") return invocation;
  return success({ ...invocation.value, settingsProblem });
}

function untrusted(userFile: string): string {
  return `Cannot use settings file "${userFile}": commands can write where it is, so one of them may have written it. ` +
    "Move it out of the scope (XDG_CONFIG_HOME names its directory), or choose another scope";
}
