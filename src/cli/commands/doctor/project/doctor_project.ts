/** `doctor --project` (L6): what the project in the scope needs, which of it works here, and the settings for the rest. */
import { compose, type ComposeOptions } from "../../../../app/compose_service.ts";
import { homeOf } from "../../../../system/user_directories.ts";
import { userSettingsPath } from "../../../../settings/settings_files.ts";
import { type Colours, colours } from "../../../terminal/colours.ts";
import { mayColour, print } from "../../../terminal/print.ts";
import { checkLines } from "../../../terminal/check.ts";
import { type GitFacts, policyChecks, type ProjectFacts } from "./policy_checks.ts";
import {
  heldCheck,
  type NeededFlag,
  type NeededSettings,
  type ProjectCheck,
  settingsFor,
  typed,
  works,
} from "./project_check.ts";
import { lookAtProject } from "./project_files.ts";
import { gitConfiguration } from "./project_hosts.ts";
import { needsOf } from "./project_needs.ts";
import { filterChecks, toolChecks } from "./tool_checks.ts";
import type { SessionSandbox } from "../../../../sandbox/settle_paths.ts";
import { gitValues } from "../../../../sandbox/protect/git_hook_paths.ts";
import { linkedRepository } from "../../../../sandbox/protect/linked_worktree.ts";
import { expected, isWithin, parentOf, realPath } from "../../../../system/paths.ts";

interface ProjectReport {
  readonly scopes: readonly string[];
  readonly checks: readonly ProjectCheck[];
  readonly flags: readonly NeededFlag[];
  readonly settings: NeededSettings;
  /** The user's settings file; undefined: there is no place for one. */
  readonly file: string | undefined;
}

/** Prints the report, as JSON where asked; resolves with the exit code. @throws {UserError} when the server would not start */
export async function doctorProject(
  composing: ComposeOptions,
  { json, stop }: { readonly json: boolean; readonly stop: AbortSignal },
): Promise<number> {
  const report = await reportOn(composing, stop);
  const { scopes, checks, flags, settings, file } = report;
  const failed = checks.some(({ status }) => status === "failed");
  const shown = {
    ok: !failed,
    scopes,
    checks: checks.map((one) => ({ ...one, flags: one.flags.map(typed) })),
    flags: flags.map(typed),
    settings: { file, values: settings },
  };
  const text = () => reportText(report, colours(mayColour(composing.environment)));
  await print(json ? `${JSON.stringify(shown, null, 2)}\n` : text());
  return failed ? 1 : 0;
}

async function reportOn(composing: ComposeOptions, stop: AbortSignal): Promise<ProjectReport> {
  await using program = await compose(composing);
  const { settings: { sandbox: choice }, environment: serverEnvironment } = composing;
  const { sandbox, runner } = program;
  const policy = await runner.policy;
  const scopes = sandbox.scopes.map(({ path }) => path);
  const home = homeOf(serverEnvironment);
  const { environment, sensitive } = sandbox;
  const bench = { runner, policy, scopes, sensitive, environment, home, stop };
  const checks: ProjectCheck[] = [];
  for (const scope of scopes) {
    const needs = needsOf(lookAtProject(scope));
    checks.push(...await toolChecks(needs.tools, bench));
    checks.push(...await filterChecks(needs.filters, bench));
    if (policy === undefined) continue;
    const looks = { look: lookAt, isProtected: protection(sandbox), git: gitFacts(scope) };
    const facts = { policy, choice, scope, scopes, sensitive, home, environment, serverEnvironment, ...looks };
    checks.push(...policyChecks(needs, facts).map((one) => heldCheck(composing.settings.policy, one)));
  }
  if (checks.length === 0) {
    checks.push(works("project", "project", "no project file that this program knows needs anything"));
  }
  const all = checks.flatMap(({ flags }) => flags);
  const flags = all.filter((one, at) => all.findIndex((other) => typed(other) === typed(one)) === at);
  return { scopes, checks, flags, settings: settingsFor(flags, choice), file: userSettingsPath(serverEnvironment) };
}

/** The report for a person. */
function reportText({ scopes, checks, flags, settings, file }: ProjectReport, style: Colours): string {
  const shown = checks.map((one) => {
    const advice = one.flags.length === 0 ? "" : `: ${one.flags.map(typed).join(" ")}`;
    return { ...one, message: `${one.message}${advice}` };
  });
  const opening = flags.length === 0 ? [] : [
    "",
    style.bold("Flags for the server of this project"),
    "",
    `  ${flags.map(typed).join(" ")}`,
    "",
    style.bold(`Or for every project without a value of its own, in ${file ?? "the settings file"}`),
    "",
    `  ${JSON.stringify(settings)}`,
  ];
  return [style.bold(scopes.join(", ")), "", ...checkLines(shown, style), ...opening, ""].join("\n");
}

/** What is at a path, links followed; undefined: nothing. */
function lookAt(path: string): ReturnType<ProjectFacts["look"]> {
  const real = realPath(path);
  const facts = real === undefined ? undefined : expected(() => Deno.statSync(real));
  return real === undefined || facts === undefined ? undefined : { path: real, isDirectory: facts.isDirectory };
}

/** Where the repository of a canonical scope is. */
function gitFacts(scope: string): GitFacts {
  const isOwn = expected(() => Deno.lstatSync(`${scope}/.git`))?.isDirectory === true;
  const hooks = expected(() => [...Deno.readDirSync(`${scope}/.git/hooks`)]) ?? [];
  const configuration = gitConfiguration(scope);
  return {
    isOwn,
    linked: linkedRepository(scope),
    above: repositoryAbove(parentOf(scope)),
    remotes: gitValues(configuration, "url"),
    hasHooks: hooks.some(({ name }) => !name.endsWith(".sample")) || gitValues(configuration, "hookspath").length > 0,
  };
}

function repositoryAbove(directory: string): string | undefined {
  if (expected(() => Deno.lstatSync(`${directory}/.git`)) !== undefined) return directory;
  return directory === "/" ? undefined : repositoryAbove(parentOf(directory));
}

function protection({ guard }: Pick<SessionSandbox, "guard">): ProjectFacts["isProtected"] {
  return (path) => guard?.protected.some((one) => !one.fileOnly && isWithin(path, one.path)) === true;
}
