/** The tools of a running program: their directory, and how their programs are found. */
import type { Logger } from "../base/log.ts";
import type { Scope } from "../system/path_scope.ts";
import {
  findToolsDirectory,
  readableDirectories,
  strayToolsDirectories,
  toolsDirectoryCandidates,
} from "../catalog/load/find_tools.ts";
import { LiveCatalog } from "../catalog/load/live_catalog.ts";
import type { SessionRunner } from "../process/command_runner.ts";
import type { SessionSandbox } from "../sandbox/settle_paths.ts";
import { absolutePath } from "../system/paths.ts";
import { searchPath } from "../system/search_path.ts";
import { probeAsker } from "./probes/run_probe.ts";
import type { CheckMemory } from "./probes/probe_cache.ts";
import type { ToolText } from "../catalog/load/read_directory.ts";
import { projectDirectory } from "../settings/project_directories.ts";
import type { Settings } from "../settings/settings.ts";
import { LeanSource } from "../service/lean/lean_source.ts";
import type { ListFacts } from "../service/result/listed_texts.ts";
import type { ToolSource } from "../service/service.ts";

export interface LiveToolsParts {
  readonly settings: Settings;
  readonly bundled: readonly ToolText[];
  readonly runner: SessionRunner;
  readonly scope: Scope;
  /** Its commands' variables, with their PATH. */
  readonly sandbox: Pick<SessionSandbox, "environment">;
  /** Earlier answers of checks. */
  readonly memory: CheckMemory;
  readonly log: Logger;
}

/** The first request for the tools reads them. */
export function liveTools({ settings, bundled, runner, scope, sandbox, memory, log }: LiveToolsParts): LiveCatalog {
  const path = sandbox.environment["PATH"];
  const cwd = projectDirectory(settings.sandbox.scopes, Deno.cwd());
  const explicit = settings.toolsDirectory === undefined
    ? undefined
    : absolutePath(settings.toolsDirectory, Deno.cwd());
  let warned = false;
  const stray = settings.toolsDirectory === undefined ? strayToolsDirectories(cwd) : [];
  for (const directory of stray) {
    log.warn(
      `Tool files in "${directory}" are not read: it leads out of the project. Name the place with "--tools-dir"`,
    );
  }
  const findDirectory = () => {
    const directory = findToolsDirectory(explicit, cwd);
    if (directory === undefined && bundled.length === 0 && !warned) {
      warned = true;
      log.warn('No tool files: only the built-in tools are offered; see "--tools-dir" and "--bundles"');
    }
    return directory;
  };
  return new LiveCatalog({
    findDirectory,
    mayRead: readableDirectories(explicit, cwd),
    watched: settings.hotReload ? toolsDirectoryCandidates(explicit, cwd) : [],
    bundled,
    namePrefix: settings.toolPrefix,
    network: settings.sandbox.confinement,
    ...probeAsker({ runner, scope, path: searchPath(path), memory, opened: openedBy(settings.sandbox) }),
    log,
  });
}

/** The settings that can change the result of a check, as texts; empty if all have their defaults. */
function openedBy(choice: Settings["sandbox"]): readonly string[] {
  const { enforce, strict, privateHome, reads, writes, allowSensitive, gpus, environmentNames } = choice;
  const lists = Object.entries({ reads, writes, allowSensitive, gpus, environmentNames });
  return [
    ...Object.entries({ unsandboxed: !enforce, strict, privateHome }).flatMap(([name, isSet]) => isSet ? [name] : []),
    ...lists.flatMap(([name, values]) => values.length === 0 ? [] : [`${name} ${values.join(" ")}`]),
  ];
}

/** The tools of servers, and what these are called. */
interface NamedSource {
  readonly source: ToolSource;
  readonly names: readonly string[];
}

interface ListedSourcesParts {
  /** Built-in tools, then tool files, then native tools where they are asked for. */
  readonly own: readonly [ToolSource, ToolSource, ...ToolSource[]];
  /** Empty: none is configured. */
  readonly servers: readonly NamedSource[];
  readonly facts: ListFacts;
  readonly settings: Pick<Settings, "lean" | "bundles" | "codeMode">;
  readonly log: Logger;
}

/** The sources of a service in the order in which tools are listed: all of them, or those of `--lean` behind two tools. */
export function listedSources(parts: ListedSourcesParts): readonly ToolSource[] {
  const { own: [builtin, toolFiles, ...native], servers, facts, settings: { lean, bundles, codeMode }, log } = parts;
  if (lean.servers && servers.length === 0 && codeMode === undefined) {
    log.warn('Flag "--lean" changes nothing: no --mcp-config names servers');
  }
  const foreign = servers.map(({ source }) => source);
  const hidden = [...lean.toolFiles ? [toolFiles, ...native] : [], ...lean.servers ? foreign : []];
  const all = [builtin, toolFiles, ...native, ...foreign];
  if (hidden.length === 0) return all;
  const origins = [
    ...lean.toolFiles ? [...bundles, "the project's tool files"] : [],
    ...lean.servers ? servers.flatMap(({ names }) => names) : [],
  ];
  const shown = all.filter((source) => !hidden.includes(source));
  return [...shown, new LeanSource({ hidden, origins, facts, ...codeMode !== undefined && { scripts: codeMode } })];
}
