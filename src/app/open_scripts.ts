/** Joins `run_script` with the sandbox in which a new process runs each script (K11). */
import type { ResourceLimits } from "../sandbox/policy/confinement.ts";
import { startInSandbox } from "../child_server/sandboxed_start.ts";
import type { StartChildServer } from "../child_server/child_server.ts";
import { messageOf } from "../base/errors.ts";
import { lazy } from "../base/lazy.ts";
import type { SessionSandbox } from "../sandbox/settle_paths.ts";
import { type CodeMode, ScriptSource, type ScriptSourceOptions } from "../toolbox/script/script_source.ts";
import { openSession, type SessionOptions } from "./open_sandbox.ts";
import { thisForm } from "./program/own_program.ts";
import { scriptProgram } from "./program/worker_program.ts";
import type { Settings } from "../settings/settings.ts";

interface OpenScriptsOptions extends SessionOptions, Omit<ScriptSourceOptions, "start" | "may"> {
  readonly sandbox: Pick<SessionSandbox, "directories">;
  readonly may: CodeMode;
  /** Closes the sandbox. */
  readonly stack: AsyncDisposableStack;
}

/** Private memory of a script's process, bytes, and seconds of its processor time. */
const MOST_MEMORY = 2 * 1024 ** 3;
const MOST_CPU_SECONDS = 60;
/** Bytes of its stderr, the one file that it may write: the kernel ends it at the next byte. */
const MOST_ERRORS = 1024 * 1024;

/** The first script opens the sandbox. */
export function openScripts(options: OpenScriptsOptions): ScriptSource {
  const stack = options.stack.use(new AsyncDisposableStack());
  const open = lazy(() => openStart({ ...options, stack }));
  return new ScriptSource({ ...options, start: async (hooks) => await (await open())(hooks) });
}

async function openStart(options: OpenScriptsOptions): Promise<StartChildServer> {
  const { sandbox: { directories }, settings, stack, log } = options;
  const directory = `${directories.root}/script`;
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  const program = scriptProgram(`${directories.root}/worker`);
  const own = settingsFor(settings, directory, program.reads);
  const { runner, sandbox } = await openSession({
    ...options,
    secrets: undefined,
    agent: undefined,
    settings: own,
  }, stack);
  const { environment } = program;
  const argv = own.sandbox.enforce ? program.argv : limited(program.argv, own.sandbox.confinement.limits);
  let started = 0;
  return async (hooks) => {
    const stderrFile = `${sandbox.directories.files}/stderr-${++started}`;
    const script = await startInSandbox({ runner, argv, directory, environment, stderrFile, log }, hooks);
    const remove = () =>
      Deno.remove(stderrFile).catch((thrown) => log.debug("Cannot remove a file", { error: messageOf(thrown) }));
    return { ...script, ended: script.ended.finally(remove) };
  };
}

/** The command line within limits that a shell sets: without a sandbox no launcher does. */
function limited(argv: readonly string[], { cpuSeconds, fileSize, memory }: ResourceLimits): readonly string[] {
  const blocks = fileSize === undefined ? undefined : Math.ceil(fileSize / 512);
  const kibibytes = memory === undefined ? undefined : Math.ceil(memory / 1024);
  const limits = Object.entries({ t: cpuSeconds, f: blocks, d: kibibytes }).flatMap(([option, most]) =>
    most === undefined ? [] : [`ulimit -${option} ${most}`]
  );
  return ["/bin/sh", "-c", `${limits.join("; ")}; exec "$@"`, "sh", ...argv];
}

/** Nothing to read but the program, no network, and bounds. */
function settingsFor(settings: Settings, directory: string, reads: readonly string[]): Settings {
  const { sandbox, sandbox: { confinement } } = settings;
  const { memory = MOST_MEMORY, cpuSeconds = MOST_CPU_SECONDS } = confinement.limits;
  const limits = {
    ...confinement.limits,
    fileSize: Math.min(confinement.limits.fileSize ?? MOST_ERRORS, MOST_ERRORS),
    // An executable starts from a file in memory, which this limit refuses; its process limits itself.
    memory: thisForm() === "executable" ? confinement.limits.memory : Math.min(memory, MOST_MEMORY),
    cpuSeconds: Math.min(cpuSeconds, MOST_CPU_SECONDS),
  };
  return {
    ...settings,
    pool: false,
    hotReload: false,
    asks: [],
    sandbox: {
      ...sandbox,
      scopes: [directory],
      reads,
      writes: [],
      pinned: [],
      protect: [],
      allowProtected: [],
      allowSensitive: [],
      gpus: [],
      environmentNames: [],
      confinement: { ...confinement, network: "none", limits },
    },
  };
}
