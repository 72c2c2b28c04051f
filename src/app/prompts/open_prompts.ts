/** The prompts of a running program: their directories, and the variables of templates (Q1, Q4). */
import type { Logger } from "../../base/log.ts";
import { leadsOut, readableDirectories } from "../../catalog/load/find_tools.ts";
import { LivePrompts, type LivePromptsOptions } from "../../prompt/live_prompts.ts";
import type { PromptDirectory } from "../../prompt/load/read_prompts.ts";
import { type FindValues, PromptFileSource } from "../../service/prompts/prompt_file_source.ts";
import type { PromptSource } from "../../service/prompts/prompt_source.ts";
import { chosenDirectory, DEFAULT_DIRECTORIES, projectDirectory } from "../../settings/project_directories.ts";
import type { Settings } from "../../settings/settings.ts";
import { shippedPrompts } from "../../settings/shipped_texts.ts";
import { absolutePath, realPath } from "../../system/paths.ts";
import { userDirectory } from "../../system/user_directories.ts";
import { readTextIfRegular } from "../../system/reading/regular_file.ts";

export interface PromptOptions {
  readonly settings: Settings;
  /** The server's own variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Logger;
}

/** Below the project; the second belongs to another program, and is read if the first does not exist. */
const PROJECT_PLACES = [".ahma/prompts", ".swissarmyhammer/prompts"] as const;

/** Paths of the directories, as they may appear; absolute. */
interface PromptPlaces {
  readonly user: string | undefined;
  /** The first that is there counts. */
  readonly project: readonly string[];
}

/** The source of prompt files; empty: none. A process for one isolated session always has one. */
export function promptSources(
  options: PromptOptions,
  stack: AsyncDisposableStack,
  findValues: FindValues,
): readonly PromptSource[] {
  const { prompts, sandbox: { pinned = [] }, hotReload } = options.settings;
  if (!prompts.offered || !offersPrompts(options) && pinned.length === 0) return [];
  return [new PromptFileSource(stack.use(openPrompts(options)), { changes: hotReload, findValues })];
}

/** Whether a flag asks for prompts, or a directory of them exists now. */
export function offersPrompts(options: Pick<PromptOptions, "settings" | "environment">): boolean {
  const { prompts } = options.settings;
  const { user, project } = promptPlaces(options);
  const isThere = [user, ...project].some((path) => path !== undefined && realPath(path) !== undefined);
  const isNamed = prompts.shipped || prompts.directory !== undefined || prompts.userDirectory !== undefined;
  return prompts.offered && (isThere || isNamed);
}

/** The prompts of the settings; the first request for them reads their files. */
export function openPrompts(options: PromptOptions): LivePrompts {
  const { settings: { prompts, hotReload }, log } = options;
  const { user, project } = promptPlaces(options);
  const cwd = projectOf(options.settings);
  const mayReadUser = readableDirectories(user, cwd);
  const mayReadProject = readableDirectories(prompts.directory && project[0], cwd);
  let isTold = false;
  const directories = (): readonly PromptDirectory[] => {
    const chosen = project.find((path) => realPath(path) !== undefined);
    if (chosen !== undefined && chosen === project[1] && !isTold) {
      isTold = true;
      log.info("Prompts of SwissArmyHammer are read, because there is no .ahma/prompts", { directory: chosen });
    }
    return [
      ...user === undefined ? [] : [{ origin: "user" as const, path: user, mayRead: mayReadUser }],
      ...chosen === undefined ? [] : [{ origin: "project" as const, path: chosen, mayRead: mayReadProject }],
    ];
  };
  return new LivePrompts({
    directories,
    watched: hotReload ? [user ?? [], project].flat() : [],
    bundled: prompts.shipped ? shippedPrompts : () => Promise.resolve([]),
    variables: variablesOf(options, cwd),
    log,
  });
}

/** Where the settings say that prompts are. */
export function promptPlaces({ settings, environment }: Pick<PromptOptions, "settings" | "environment">): PromptPlaces {
  const { directory, userDirectory: named } = settings.prompts;
  const configuration = userDirectory(environment, "XDG_CONFIG_HOME");
  const user = named === undefined ? configuration && `${configuration}/ahma/prompts` : absolutePath(named, Deno.cwd());
  const cwd = projectOf(settings);
  const project = directory === undefined
    ? PROJECT_PLACES.map((place) => `${cwd}/${place}`)
    : [absolutePath(directory, Deno.cwd())];
  return { user, project };
}

function projectOf({ sandbox }: Pick<Settings, "sandbox">): string {
  return projectDirectory(sandbox.scopes, Deno.cwd());
}

function variablesOf({ settings, environment }: PromptOptions, cwd: string): LivePromptsOptions["variables"] {
  const issues = chosenDirectory(settings, "issues") ?? `${cwd}/${DEFAULT_DIRECTORIES.issues}`;
  const names = settings.prompts.environmentNames;
  const shown = Object.fromEntries(names.map((name) => [name, environment[name] ?? ""]));
  return () => promptVariables({ directory: cwd, issues, environment: shown, now: new Date() });
}

interface PromptSurroundings {
  /** The project, absolute. */
  readonly directory: string;
  /** Absolute. */
  readonly issues: string;
  /** The variables that the user lets templates read. */
  readonly environment: Readonly<Record<string, string>>;
  readonly now: Date;
}

/** `git_branch` is read when a template asks for it. */
export function promptVariables(
  { directory, issues, environment, now }: PromptSurroundings,
): Readonly<Record<string, unknown>> {
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  return {
    project_name: directory.slice(directory.lastIndexOf("/") + 1),
    working_directory: directory,
    issues_directory: issues,
    date: day.map((part) => String(part).padStart(2, "0")).join("-"),
    env: environment,
    git_branch: () => branchOf(directory),
  };
}

/** The branch of a repository; empty: there is none, or it lies elsewhere. Nothing else of the file is passed on. */
function branchOf(directory: string): string {
  const file = `${directory}/.git/HEAD`;
  const text = leadsOut(file, directory) ? undefined : readTextIfRegular(file, 1_000);
  return /^ref: refs\/heads\/([\x21-\x7e]{1,200})\n?$/.exec(text ?? "")?.[1] ?? "";
}
