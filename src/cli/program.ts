/** From the command line to an exit code (L1): 0, 1 when refused or failed, 2 for wrong usage. */
import { messageOf, UsageError, UserError } from "../base/errors.ts";
import { VERSION } from "../base/version.ts";
import { withAwaitedScope } from "../app/http/awaited_scope.ts";
import { showNodeOptions } from "../app/program/node_options.ts";
import { becomesWorker } from "../app/program/worker_program.ts";
import { serve } from "./serve/serve.ts";
import { helpText } from "./terminal/help.ts";
import { readWholeInvocation } from "./invocation.ts";
import { mayColour, print, printProblem } from "./terminal/print.ts";
import { scopeDirectory } from "../sandbox/grants/resolve_scopes.ts";
import type { Invocation, Settings } from "../settings/settings.ts";
import { listenForSignals } from "./signals.ts";
import { parentEnd, takeWrapper, tieToParent } from "./wrapper.ts";
import { findToolsDirectory, readableDirectories } from "../catalog/load/find_tools.ts";
import { readToolTexts } from "../catalog/load/read_directory.ts";
import { projectDirectory } from "../settings/project_directories.ts";
import { absolutePath } from "../system/paths.ts";

const REFUSED = 1;
const WRONG_USAGE = 2;

type Environment = Readonly<Record<string, string>>;

/** Runs the program with the words of its command line; resolves with its exit code and never rejects. */
export async function main(words: readonly string[]): Promise<number> {
  const environment = Deno.env.toObject();
  const wrapper = takeWrapper(environment);
  showNodeOptions(environment);
  try {
    if (await becomesWorker(words)) return 0;
    const all = await withAwaitedScope(words);
    if (all === undefined) return 0;
    const invocation = all.ok ? await readWholeInvocation(all.value, environment) : all;
    if (invocation.ok) return await run(invocation.value, { environment, wrapper });
    await printProblem(invocation.problem);
    return WRONG_USAGE;
  } catch (thrown) {
    if (thrown instanceof UsageError) {
      await printProblem(thrown.message);
      return WRONG_USAGE;
    }
    await printProblem(thrown instanceof UserError ? thrown.message : internalError(thrown));
    return REFUSED;
  }
}

interface Process {
  readonly environment: Environment;
  /** The process between the start script and this process. */
  readonly wrapper: number | undefined;
}

async function run(invocation: Invocation, { environment, wrapper }: Process): Promise<number> {
  switch (invocation.kind) {
    case "help":
      await print(helpText({ colour: mayColour(environment), subcommand: invocation.subcommand }));
      return 0;
    case "version":
      await print(`ahma_mcp ${VERSION}\n`);
      return 0;
    case "run": {
      const { subcommand, line, settings, warnings, settingsProblem } = invocation;
      const { operands, flags } = line;
      if (!usesNetwork(invocation)) await Deno.permissions.revoke({ name: "net" });
      // A second signal does not wait for the orderly end: main.ts ends the program and all that it started.
      using signals = listenForSignals(wrapper === undefined ? undefined : parentEnd());
      if (wrapper !== undefined && !tieToParent(wrapper)) return 0;
      const runs = subcommand === "serve" ? serve : (await import("./commands/run.ts")).RUN_SUBCOMMAND[subcommand];
      const done = runs({
        settings,
        warnings: subcommand === "serve" ? [...warnings, ...missingTools(settings.toolsDirectory)] : warnings,
        settingsProblem,
        environment,
        operands,
        flags,
        wrapped: wrapper !== undefined,
        stop: signals.stop,
      });
      return await Promise.race([done, signals.second.then(() => 0)]);
    }
  }
}

/** The warning about a missing directory of tool files; files that come later are still read. */
function missingTools(directory: string | undefined): readonly string[] {
  if (directory === undefined || scopeDirectory(directory, Deno.cwd()) !== undefined) return [];
  return [`No tool file is read from "${directory}" (--tools-dir): there is no such directory yet`];
}

/** Whether the run needs the network; the start script grants it, because settings files may choose the mode. */
function usesNetwork({ subcommand, settings, line }: Extract<Invocation, { kind: "run" }>): boolean {
  return settings.mcpConfigs.length > 0 && (subcommand !== "servers" || line.operands[0] === "test") ||
    subcommand === "serve" && settings.http !== undefined ||
    subcommand === "list-tools" && line.flags.has("http") ||
    subcommand === "dashboard" ||
    subcommand === "auth" && line.operands[0] !== "list" ||
    subcommand === "version" && line.flags.has("check") ||
    RUNS_TOOLS.includes(subcommand) && (settings.otlp !== undefined || toolFilesListHosts(settings)) ||
    settings.sandbox.confinement.network === "names";
}

const RUNS_TOOLS: readonly string[] = ["serve", "call"];

function internalError(thrown: unknown): string {
  return `Internal error: ${thrown instanceof Error ? thrown.stack ?? thrown.message : messageOf(thrown)}`;
}

/** Asked before the start, if nothing else needs the network; the first call of a later file reports the problem. */
function toolFilesListHosts({ sandbox, toolsDirectory }: Pick<Settings, "sandbox" | "toolsDirectory">): boolean {
  if (!sandbox.enforce || sandbox.confinement.network !== "full") return false;
  const cwd = projectDirectory(sandbox.scopes, Deno.cwd());
  const explicit = toolsDirectory === undefined ? undefined : absolutePath(toolsDirectory, Deno.cwd());
  const directory = findToolsDirectory(explicit, cwd);
  return directory !== undefined &&
    readToolTexts(directory, readableDirectories(explicit, cwd)).texts.some(({ text }) => LIST.test(text));
}

const LIST = /"network"\s*:\s*\[/;
