/** Joins native tools with their workers, each in its own sandbox (K2). Nothing is started here. */
import type { SandboxChoice } from "../sandbox/policy/sandbox_settings.ts";
import type { SessionSandbox } from "../sandbox/settle_paths.ts";
import { openingFlags } from "../sandbox/denials/denied_protected.ts";
import { startInSandbox } from "../child_server/sandboxed_start.ts";
import { shortId } from "../operation/operation_id.ts";
import type { CallAudit } from "../service/run/call_audit.ts";
import { messageOf } from "../base/errors.ts";
import type { FindValues } from "../service/prompts/prompt_file_source.ts";
import type { ResourceSource } from "../service/resource_source.ts";
import type { ToolSource } from "../service/service.ts";
import { type ToolGroup, toolGroups } from "../settings/bundles.ts";
import type { ProjectDirectories } from "../settings/project_directories.ts";
import type { Settings } from "../settings/settings.ts";
import { DirectoryWatch } from "../system/directory_watch.ts";
import { absolutePath, isDirectory, realPath } from "../system/paths.ts";
import { MIGRATE } from "../toolbox/definition/question.ts";
import type { Protection, ToolArguments, ToolResult, WebSetup } from "../toolbox/frame/messages.ts";
import { type GroupedTool, toolsOf } from "../toolbox/definition/groups.ts";
import { UNDO_AS, UNDO_START, UNDO_TOOLS } from "../toolbox/definition/undo.ts";
import { RULE_TOOLS, USER_RULES } from "../toolbox/definition/rules.ts";
import type { WorkerKind } from "../toolbox/definition/tool_definition.ts";
import { type OpenWorkerSandbox, WorkerLink } from "../toolbox/link/worker_link.ts";
import { RunStore } from "../toolbox/flow/run_store.ts";
import { FlowTool } from "../toolbox/flow_tool/flow_tool.ts";
import { RunResources } from "../toolbox/flow_tool/run_resources.ts";
import { flowDirectories, makeNotePlaces, runsDirectory, userRules } from "./project_places.ts";
import { NoteResources } from "../toolbox/source/note_resources.ts";
import { projectValues } from "../toolbox/source/project_values.ts";
import { questionTool } from "../toolbox/source/question_tool.ts";
import { toolboxSource, type ToolboxSourceParts } from "../toolbox/source/toolbox_source.ts";
import { heldFlags } from "../settings/policy/held.ts";
import type { Policy } from "../settings/policy/policy.ts";
import { openSession, type SessionOptions } from "./open_sandbox.ts";
import { workerCacheOf } from "./program/scope_cache.ts";
import { workerProgram } from "./program/worker_program.ts";
import { RecordedCalls } from "./undo/recorded_calls.ts";
import { undoStore } from "./undo/undo_store.ts";

export interface OpenToolboxOptions extends SessionOptions {
  /** Of commands. */
  readonly sandbox: Pick<SessionSandbox, "scopes" | "writable" | "directories" | "guard">;
  /** Undefined: no log is kept. */
  readonly audit: CallAudit | undefined;
  /** Of the project's notes, flows and rules. */
  readonly directories: ProjectDirectories;
}

/** The source, and what ends its workers. */
export interface OpenToolbox extends AsyncDisposable {
  readonly source: ToolSource;
  /** Notes and runs of flows as resources; empty where their groups are not offered. */
  readonly resources: readonly ResourceSource[];
  /** Copies the notes of an earlier program in the first scope (K6). */
  migrate(options: { readonly dryRun: boolean; readonly signal: AbortSignal }): Promise<ToolResult>;
  /** What the project has for an argument of a prompt. */
  readonly findValues: FindValues;
  /** Records what calls change; absent: nothing is recorded (S39). */
  readonly recorded?: RecordedCalls;
  /** What operations changed, for a person: a call of the tool `changes`. */
  changes(args: ToolArguments, signal: AbortSignal): Promise<ToolResult>;
  /** Starts the processes that will be needed first. */
  warmUp(): Promise<void>;
}

const IDLE_MS = 60_000;
/** A worker that watches the project goes on: the longest time of a timer. */
const WATCHING_MS = 2_147_483_647;
const GRACE_MS = 2_000;
const NEVER = new AbortController().signal;

/** The tools of the groups that `--bundles` names. */
export function openToolbox(options: OpenToolboxOptions): OpenToolbox {
  const groups = toolGroups(options.settings.bundles);
  const tools = [...toolsOf(groups), ...options.settings.undo.isOn ? undoTools() : []];
  const { directories } = options;
  const worker = (kind: WorkerKind) =>
    new WorkerLink({
      name: kind,
      open: () => openWorker(kind, options, directories),
      idleMs: kind === "undo" ? WATCHING_MS : IDLE_MS,
      graceMs: GRACE_MS,
      log: options.log,
    });
  const workers = { project: worker("project"), web: worker("web"), undo: worker("undo") };
  const recorded = options.settings.undo.isOn ? new RecordedCalls(workers.undo) : undefined;
  const { environment, sandbox } = options;
  const report = (thrown: unknown) =>
    options.log.warn("Cannot tell changes of resources", { error: messageOf(thrown) });
  const store = new RunStore(runsDirectory(environment, sandbox));
  const runs = new RunResources(store, report);
  const flows = new FlowTool({
    directories: () => flowDirectories(environment, sandbox, directories.flows),
    store,
    onSave: (id) => runs.saved(id),
  });
  const { notes, resources } = noteResources(options, groups, { worker: workers.project, report });
  return {
    resources: [
      ...resources,
      ...groups.includes("flow") ? [runs] : [],
    ],
    source: toolboxSource({
      tools,
      workers,
      onChange: (tool) => void notes.called(tool).catch(report),
      audit: options.audit,
      ...recorded !== undefined && { recorded },
      added: addedArguments(environment),
      inServer: {
        flow: (service, args, context) => flows.call(service, args, context),
        question_ask: questionTool(workers.project),
      },
    }),
    migrate: ({ dryRun, signal }) => workers.project.call(MIGRATE, { dry_run: dryRun }, { signal }),
    findValues: (asked, signal) => projectValues(workers.project, asked, signal),
    ...recorded !== undefined && { recorded },
    changes: (args, signal) => workers.undo.call("changes", { [UNDO_AS]: shortId(), ...args }, { signal }),
    warmUp: async () => {
      const used = (place: WorkerKind) => tools.some((tool) => tool.place === place);
      const first = used("undo") ? workers.undo.call(UNDO_START, {}, { signal: NEVER }) : undefined;
      if (used("project")) await workers.project.warmUp();
      await first;
    },
    async [Symbol.asyncDispose]() {
      await notes[Symbol.asyncDispose]();
      await Promise.all(Object.values(workers).map((link) => link[Symbol.asyncDispose]()));
    },
  };
}

/** Notes as resources, if their groups are offered. */
function noteResources(
  { directories, sandbox, log }: OpenToolboxOptions,
  groups: readonly ToolGroup[],
  { worker, report }: { readonly worker: WorkerLink; readonly report: (thrown: unknown) => void },
): { readonly notes: NoteResources; readonly resources: readonly NoteResources[] } {
  const kinds = (["issues", "memos"] as const).filter((kind) => groups.includes(kind));
  const notes = new NoteResources({
    kinds,
    tasks: groups.includes("todo"),
    worker,
    watch: (onChange) => new DirectoryWatch({ directories: notePlaces(directories, sandbox), onChange, log: log }),
    onError: report,
  });
  return { notes, resources: kinds.length > 0 || groups.includes("todo") ? [notes] : [] };
}

/** What tools are given by the server alone. */
function addedArguments(environment: OpenToolboxOptions["environment"]): ToolboxSourceParts["added"] {
  return Object.fromEntries([
    ...RULE_TOOLS.map(({ name }) => [name, () => ({ [USER_RULES]: userRules(environment) })] as const),
    ...UNDO_TOOLS.map(({ name }) => [name, (as: string) => ({ [UNDO_AS]: as })] as const),
  ]);
}

function undoTools(): readonly GroupedTool[] {
  return UNDO_TOOLS.map((definition) => ({ definition, place: "undo" }));
}

/** Directories whose files are notes, and that of the list of tasks. */
function notePlaces(
  { issues, memos }: ProjectDirectories,
  { scopes }: OpenToolboxOptions["sandbox"],
): readonly string[] {
  const [project] = scopes;
  const places = [issues, `${issues}/complete`, memos, ".ahma/state"];
  return project === undefined ? [] : places.map((one) => `${project.path}/${one}`);
}

async function openWorker(
  kind: WorkerKind,
  options: OpenToolboxOptions,
  directories: ProjectDirectories,
): Promise<OpenWorkerSandbox> {
  const { settings, log } = options;
  await using stack = new AsyncDisposableStack();
  const program = workerProgram(`${options.sandbox.directories.root}/worker`);
  const cache = kind === "project" ? await makeCache(options) : undefined;
  const store = kind === "undo" ? await undoStore(options.environment, options.sandbox, stack) : undefined;
  const place = kind === "web" ? await emptyPlace(options) : placeOfProject(options);
  const own = { reads: program.reads, writes: [cache ?? [], store ?? []].flat(), store };
  const session = await openSession({ ...options, settings: settingsFor(kind, settings, place, own) }, stack);
  const { runner, sandbox: { directories: { files } } } = session;
  const opened = stack.move();
  return {
    setup: {
      // A flag may name a device too, which no call opens.
      scopes: [...place.scopes, ...place.writes.filter(isDirectory)],
      protection: protectionOf(session.sandbox, place.scopes, options.settings.policy),
      directories,
      data: program.data,
      helper: program.helper,
      readable: place.reads,
      writable: place.writes,
      cache,
      ...kind === "web" && { web: webSetup(options) },
      ...store !== undefined && { undo: { store, ignoredBytes: options.settings.undo.ignoredBytes } },
    },
    start: (hooks) => {
      if (kind === "project") makeNotePlaces(options.sandbox.scopes, settings);
      return startInSandbox({
        runner,
        argv: program.argv,
        directory: place.scopes[0] ?? "/",
        environment: program.environment,
        stderrFile: `${files}/stderr`,
        log,
      }, hooks);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Keys of search services reach the worker for the network only; no command sees them. */
function webSetup({ settings, environment }: OpenToolboxOptions): WebSetup {
  const { BRAVE_API_KEY: brave, TAVILY_API_KEY: tavily, EXA_API_KEY: exa } = environment;
  const keys = Object.entries({ searxng: settings.searchUrl, brave, tavily, exa }).filter(([, key]) =>
    key !== undefined && key !== ""
  );
  return {
    allowedHosts: settings.privateHosts,
    isOffline: settings.sandbox.confinement.network !== "full",
    providers: Object.fromEntries(keys),
  };
}

/** What a worker may change and read, canonical. */
type WorkerPlace = Pick<SandboxChoice, "scopes" | "reads" | "writes">;

/** The directory that outlives the worker, which alone may write there; undefined: it cannot be made. */
async function makeCache({ environment, sandbox, log }: OpenToolboxOptions): Promise<string | undefined> {
  try {
    return await workerCacheOf(environment, sandbox);
  } catch (thrown) {
    log.warn("Native tools keep nothing between starts", { problem: messageOf(thrown) });
    return undefined;
  }
}

/** What commands may. */
function placeOfProject({ sandbox, settings }: OpenToolboxOptions): WorkerPlace {
  const { reads, writes } = settings.sandbox;
  const real = (paths: readonly string[]) => paths.flatMap((path) => realPath(absolutePath(path, Deno.cwd())) ?? []);
  return { scopes: sandbox.scopes.map(({ path }) => path), reads: real(reads), writes: real(writes) };
}

/** A directory without files: what comes from the network never meets what is in the project. */
async function emptyPlace({ sandbox }: OpenToolboxOptions): Promise<WorkerPlace> {
  const directory = `${sandbox.directories.root}/web`;
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  return { scopes: [directory], reads: [], writes: [] };
}

/** The place, and what is the worker's own; the network for the one without files only. */
function settingsFor(
  kind: WorkerKind,
  settings: Settings,
  place: WorkerPlace,
  own: Pick<WorkerPlace, "reads" | "writes"> & { readonly store: string | undefined },
): Settings {
  const { sandbox } = settings;
  const network = kind === "web" ? sandbox.confinement.network : "none";
  return {
    ...settings,
    pool: false,
    hotReload: false,
    sandbox: {
      ...sandbox,
      ...place,
      ...kind === "web" && { pinned: [], protect: [], allowProtected: [], allowSensitive: [] },
      reads: [...place.reads, ...own.reads],
      writes: [...place.writes, ...own.writes],
      ...own.store !== undefined && { store: own.store },
      environmentNames: [],
      confinement: { ...sandbox.confinement, network },
    },
  };
}

/** What the worker itself refuses to change; undefined: nothing, without a sandbox. */
function protectionOf(
  { guard }: SessionSandbox,
  scopes: readonly string[],
  policy: Policy | undefined,
): Protection | undefined {
  return guard && {
    paths: guard.protected.map(({ path, fileOnly, writable }) => ({
      path,
      fileOnly,
      flags: heldFlags(policy, openingFlags(path, scopes)).flags,
      ...writable !== undefined && { writable },
    })),
    open: guard.open,
  };
}
