/** Joins native tools with their workers, each in its own sandbox (K2). Nothing is started here. */
import type { SandboxChoice } from "../sandbox/policy/sandbox_settings.ts";
import type { SessionSandbox } from "../sandbox/settle_paths.ts";
import { openingFlags } from "../sandbox/denials/denied_protected.ts";
import { startInSandbox } from "../child_server/sandboxed_start.ts";
import { WatchedRunner } from "../child_server/watched_runner.ts";
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
import type { Protection, ToolArguments, ToolResult, UndoSetup, WebSetup } from "../toolbox/frame/messages.ts";
import { type GroupedTool, toolsOf } from "../toolbox/definition/groups.ts";
import { CHANGES, changesTool, UNDO_AS, UNDO_START } from "../toolbox/definition/undo.ts";
import { RULE_TOOLS, USER_RULES } from "../toolbox/definition/rules.ts";
import type { WorkerKind } from "../toolbox/definition/tool_definition.ts";
import { type OpenWorkerSandbox, WorkerLink } from "../toolbox/link/worker_link.ts";
import { RunStore } from "../toolbox/flow/run_store.ts";
import { FlowTool } from "../toolbox/flow_tool/flow_tool.ts";
import { RunResources } from "../toolbox/flow_tool/run_resources.ts";
import { flowDirectories, isForNotes, makeNotePlaces, runsDirectory, userRules } from "./project_places.ts";
import { NoteResources } from "../toolbox/source/note_resources.ts";
import { projectValues } from "../toolbox/source/project_values.ts";
import { questionTool } from "../toolbox/source/question_tool.ts";
import { toolboxSource, type ToolboxSourceParts, withChanges } from "../toolbox/source/toolbox_source.ts";
import { COPIES } from "../process/linux/git_config/config_broker.ts";
import { heldFlags } from "../settings/policy/held.ts";
import type { Policy } from "../settings/policy/policy.ts";
import { openSession, type SessionOptions } from "./open_sandbox.ts";
import { workerCacheOf } from "./program/scope_cache.ts";
import { workerProgram } from "./program/worker_program.ts";
import { RecordedCalls } from "./undo/recorded_calls.ts";
import { PreviewCalls, type PreviewPlace } from "./undo/preview_calls.ts";
import { undoStore, undoStorePath } from "./undo/undo_store.ts";

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
  /** Makes and reads views for commands that change nothing; absent: there are none (S40). */
  readonly previews?: PreviewCalls;
  /** What operations changed, for a person: a call of the tool `changes`. */
  changes(args: ToolArguments, signal: AbortSignal): Promise<ToolResult>;
  /** Starts the processes that will be needed first. */
  warmUp(): Promise<void>;
}

const IDLE_MS = 60_000;
/** A worker that watches the project keeps running: the longest time of a timer. */
const WATCHING_MS = 2_147_483_647;
const GRACE_MS = 2_000;
const OWN = { isOwn: true };
const NEVER = new AbortController().signal;

/** The tools of the groups that `--bundles` names. */
export function openToolbox(options: OpenToolboxOptions): OpenToolbox {
  const { settings, directories, environment, sandbox } = options;
  const groups = toolGroups(settings.bundles);
  const tools = [...toolsOf(groups), ...changesTools(settings)];
  const session = crypto.randomUUID();
  const worker = (kind: WorkerKind) =>
    new WorkerLink({
      name: kind,
      open: () => openWorker(kind, options, session),
      idleMs: kind === "undo" ? WATCHING_MS : IDLE_MS,
      graceMs: GRACE_MS,
      log: options.log,
    });
  const workers = { project: worker("project"), web: worker("web"), undo: worker("undo") };
  const recorded = settings.undo.isOn ? new RecordedCalls(workers.undo) : undefined;
  const previews = settings.preview.isOn ? new PreviewCalls(workers.undo, previewPlace(options, session)) : undefined;
  const report = reportBy(options);
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
    ...previews !== undefined && { previews },
    changes: (args, signal) => changesFor(workers.undo, args, signal),
    warmUp: async () => {
      const used = (place: WorkerKind) => tools.some((tool) => tool.place === place);
      const first = recorded !== undefined ? workers.undo.call(UNDO_START, {}, { signal: NEVER }) : undefined;
      if (used("project")) await workers.project.warmUp();
      await first;
    },
    async [Symbol.asyncDispose]() {
      await notes[Symbol.asyncDispose]();
      await previews?.close();
      await Promise.all(Object.values(workers).map((link) => link[Symbol.asyncDispose]()));
    },
  };
}

/** A person's call of the tool `changes`. */
function changesFor(undo: WorkerLink, args: ToolArguments, signal: AbortSignal): Promise<ToolResult> {
  return withChanges(
    { worker: undo, runsPrograms: false },
    () => undo.call("changes", { [UNDO_AS]: shortId(), ...args }, { signal }),
  );
}

function reportBy({ log }: OpenToolboxOptions): (thrown: unknown) => void {
  return (thrown) => log.warn("Cannot tell changes of resources", { error: messageOf(thrown) });
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
    [CHANGES, (as: string) => ({ [UNDO_AS]: as })] as const,
  ]);
}

function changesTools({ undo, preview }: Settings): readonly GroupedTool[] {
  if (!undo.isOn && !preview.isOn) return [];
  return [{ definition: changesTool({ records: undo.isOn, previews: preview.isOn }), place: "undo" }];
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
  previewSession: string,
): Promise<OpenWorkerSandbox> {
  const { settings, log, directories } = options;
  await using stack = new AsyncDisposableStack();
  const program = workerProgram(`${options.sandbox.directories.root}/worker`);
  const cache = kind === "project" ? await makeCache(options) : undefined;
  const store = kind === "undo" ? await undoStore(options.environment, options.sandbox, stack) : undefined;
  const place = kind === "web" ? await emptyPlace(options) : placeOfProject(options);
  const own = { reads: program.reads, writes: [cache ?? [], store ?? []].flat(), store };
  const session = await openSession({ ...options, settings: settingsFor(kind, settings, place, own) }, stack);
  const { sandbox: { directories: { files, temporary } } } = session;
  const runner = new WatchedRunner(session.runner, OWN);
  const opened = stack.move();
  return {
    setup: {
      // A flag may name a device too, which no call opens.
      scopes: treesOf(place),
      protection: protectionOf(session.sandbox, place.scopes, options.settings.policy),
      directories,
      data: program.data,
      helper: program.helper,
      readable: place.reads,
      writable: place.writes,
      cache,
      ...temporary !== undefined && { configCopies: `${temporary}/${COPIES}` },
      ...kind === "web" && { web: webSetup(options) },
      ...store !== undefined && { undo: undoSetup(settings, store, previewSession) },
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
    begin: async (call) => {
      const end = await runner.begin(call);
      return async () => (await end()).filter((change) => !isForNotes(change, options.sandbox.scopes));
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

/** What the worker that keeps changes does; for a person too, whose command has no flag. */
function undoSetup({ undo, preview }: Settings, store: string, session: string): UndoSetup {
  const records = undo.isOn || !preview.isOn;
  return {
    store,
    ...records && { ignoredBytes: undo.ignoredBytes },
    ...preview.isOn && { previews: { session, mostBytes: preview.mostBytes } },
  };
}

/** Directories that calls may change. */
function treesOf({ scopes, writes }: Pick<WorkerPlace, "scopes" | "writes">): readonly string[] {
  return [...scopes, ...writes.filter(isDirectory)];
}

/** The places of the views of commands. */
function previewPlace(options: OpenToolboxOptions, session: string): PreviewPlace {
  const { sandbox, settings, environment } = options;
  const trees = treesOf(placeOfProject(options));
  return {
    directory: `${undoStorePath(environment, sandbox)}/previews/${session}`,
    trees,
    own: sandbox.writable.filter((path) => !trees.includes(path)),
    mostBytes: settings.preview.mostBytes,
    isEnforced: settings.sandbox.enforce,
  };
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
    // A person is asked for commands only.
    asks: [],
    sandbox: {
      ...sandbox,
      ...place,
      ...kind === "web" && { pinned: [], protect: [], allowProtected: [], allowSensitive: [] },
      reads: [...place.reads, ...own.reads],
      writes: [...place.writes, ...own.writes],
      ...own.store !== undefined && { store: own.store },
      gpus: [],
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
