/** `doctor` (L6): what is enforced here, tools, settings for clients. Exit code 1: no start, or a failed check. */
import { messageOf, UsageError, UserError } from "../../../base/errors.ts";
import { VERSION } from "../../../base/version.ts";
import { chooseShell } from "../../../process/shell.ts";
import { searchPath } from "../../../system/search_path.ts";
import { type Colours, colours } from "../../terminal/colours.ts";
import { compose } from "../../../app/compose_service.ts";
import { mayColour, print } from "../../terminal/print.ts";
import { openRunLog } from "../../terminal/run_log.ts";
import { type ClientSettings, clientSettings } from "../clients/client_settings.ts";
import { ENTRY_LIST, entryNetwork } from "../clients/entry_network.ts";
import type { Settings } from "../../../settings/settings.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { doctorDenials } from "./doctor_denials.ts";
import { doctorPolicy } from "./doctor_policy.ts";
import { doctorProject } from "./project/doctor_project.ts";
import { doctorSandbox } from "./doctor_sandbox.ts";
import { type Check, check, checkLines } from "../../terminal/check.ts";
import { checkPrompts, checkSkills, checkTools } from "./tool_checks.ts";
import { checkSandbox, checkSelfTest } from "./self_check.ts";
import { type ProgramForm, programPath, thisForm, thisProgram } from "../../../app/program/own_program.ts";
import { summaryOfPolicy } from "../../../settings/policy/held.ts";
import { wrapped } from "../../terminal/help.ts";
import { runtimeCache } from "../../../sandbox/grants/runtime_cache.ts";
import { gpuNodesHere, isGpu, openedNodes } from "../../../sandbox/grants/gpu.ts";
import { withLibc } from "../../../system/libc.ts";
import type { ClientName } from "../../../settings/flags/actions.ts";

/** Runs all checks; resolves with the exit code. */
export async function doctor(context: CommandContext): Promise<number> {
  const { settings, warnings, environment, flags, settingsProblem } = context;
  const parts = (["sandbox", "project", "denials", "policy"] as const).filter((one) => flags.has(one));
  const isPart = parts.length > 0;
  if (isPart && settingsProblem !== undefined) throw new UsageError(settingsProblem);
  if (parts.length > 1) throw new UsageError(`Choose one of ${parts.map((one) => `--${one}`).join(" and ")}`);
  if (flags.has("since") && !flags.has("denials")) throw new UsageError("Use --since together with --denials");
  const [policyFile] = flags.get("policy") ?? [];
  if (policyFile !== undefined) return await doctorPolicy(policyFile);
  if (flags.has("denials")) return await doctorDenials(context);
  await using log = openRunLog({ settings, warnings, environment });
  log.start();
  const composing = { settings: { ...settings, pool: false, hotReload: false }, environment, log: log.logger };
  if (flags.has("sandbox")) return await doctorSandbox(composing, { json: flags.has("json") });
  if (flags.has("project")) return await doctorProject(composing, { json: flags.has("json"), stop: context.stop });
  const report: DoctorReport = {
    version: VERSION,
    checks: [
      machine(),
      ...runtimeChecks(context),
      ...settings.policy === undefined ? [] : [check("policy", "policy", "ok", summaryOfPolicy(settings.policy))],
      ...settingsProblem === undefined ? [] : [brokenSettings(settingsProblem)],
      ...await guarded("server", "server", () => checkServer(composing)),
      ...settings.sandbox.enforce ? [questions(settings)] : [],
      ...settings.sandbox.enforce ? await guarded("sandbox", "sandbox", () => checkSandbox(composing)) : [],
      ...shells(environment),
      // Tool files run checks of their own, which the broken settings may have confined further.
      ...settingsProblem === undefined ? await guarded("tools", "tool files", () => checkTools(composing)) : [],
      ...settingsProblem === undefined ? await guarded("prompts", "prompts", () => checkPrompts(composing)) : [],
      ...settingsProblem === undefined ? await guarded("skills", "skills", () => checkSkills(composing)) : [],
    ],
    clients: await clientSettings(thisProgram(), Deno.cwd(), (await entryNetwork(context)).args),
  };
  const failed = report.checks.some(({ status }) => status === "failed");
  if (flags.has("json")) await print(`${JSON.stringify({ ok: !failed, ...report }, null, 2)}\n`);
  else await print(doctorText(report, colours(mayColour(environment))));
  return failed ? 1 : 0;
}

function machine(): Check {
  const { os, arch } = Deno.build;
  return check("machine", "machine", "ok", `${os} ${Deno.osRelease()} on ${arch}, ahma_mcp ${VERSION}`);
}

function brokenSettings(problem: string): Check {
  const left = "The server does not start; the checks below leave these settings out";
  return check("settings", "settings", "failed", `${problem}. ${left}`);
}

/** Checks the server with these settings, or reports why it would not start. */
async function checkServer(composing: Parameters<typeof compose>[0]): Promise<readonly Check[]> {
  await using program = await compose(composing);
  const { sandbox, runner, service } = program;
  const policy = await runner.policy;
  const places = [
    check("scope", "scope", "ok", service.scope.roots.join(", ")),
    ...sandbox.warnings.map((warning) => check("cache", "cache", "warning", warning)),
  ];
  const line = await service.settings.sandbox.groups?.();
  const groups = line === undefined ? [] : [check("groups", "control groups", "ok", line)];
  const gaps = (help: string) => sandbox.missing.map((gap) => check("gap", "not enforced", "warning", `${gap}${help}`));
  if (policy === undefined && service.settings.sandbox.enforced) {
    return [...places, check("seatbelt", "Seatbelt", "ok", "the profile was tried"), ...gaps("")];
  }
  if (policy === undefined) {
    const off = "off (--no-sandbox): commands run with all your permissions";
    return [...places, check("landlock", "Landlock", "warning", off), ...groups];
  }
  return [
    ...places,
    check("landlock", "Landlock", "ok", `ABI ${policy.abi}`),
    policy.namespaces
      ? check("namespaces", "namespaces", "ok", "mount and PID namespaces")
      : check("namespaces", "namespaces", "warning", NO_NAMESPACES),
    ...groups,
    ...gpuCheck(composing.settings.sandbox.gpus),
    ...policy.confinement.network === "full" ? [check("network", "network", "ok", OPEN)] : [],
    ...gaps(": a newer kernel does it"),
    ...await checkSelfTest(runner),
  ];
}

const NO_NAMESPACES =
  "refused by this kernel, a container or another sandbox (also one of this program); only Landlock is left (kernel.unprivileged_userns_clone, " +
  "kernel.apparmor_restrict_unprivileged_userns)";

const OPEN = `commands reach every host: --network ${ENTRY_LIST} leaves them registries and git hosts, none closes it`;

/** Whether a person is asked (S35). */
function questions({ asks, policy }: Pick<Settings, "asks" | "policy">): Check {
  const isForbidden = policy?.forbidden.has("ask") === true;
  const message = asks.length === 0
    ? `off: results say what commands were denied${isForbidden ? "" : "; --ask asks you in the client"}`
    : `--ask ${asks.join(",")}: your client decides who answers, and some let a hook or a model do it. ` +
      "Without --ask nothing is asked; ahma_mcp grants lists what holds";
  return check("ask", "questions", "ok", message);
}

function shells(environment: Readonly<Record<string, string>>): readonly Check[] {
  const path = searchPath(environment["PATH"]);
  return ["bash", "sh", "zsh"].map((name) => {
    const found = chooseShell(name, path);
    const row = (status: Check["status"], message: string) => check(`shell_${name}`, `shell ${name}`, status, message);
    if (found.ok) return row("ok", found.value.path);
    if (name !== "bash") return row("ok", "not found, and not needed");
    return row("warning", "not found: without it shells are not kept warm, and calls are slower");
  });
}

/** Turns a refusal into a finding. */
async function guarded(
  id: string,
  title: string,
  look: () => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    return await look();
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    return [check(id, title, "failed", messageOf(thrown))];
  }
}

/** The whole report of `doctor`. */
interface DoctorReport {
  readonly version: string;
  readonly checks: readonly Check[];
  readonly clients: readonly ClientSettings[];
}

/** The report as text for a terminal. */
function doctorText({ checks, clients }: DoctorReport, colours: Colours): string {
  const names = wrapped(clients.map(({ client }) => client).join(", "), WIDTH);
  const common = clients.filter(({ client }) => client === COMMON).map(({ text }) => indented(text));
  return [
    ...checkLines(checks, colours),
    "",
    colours.bold("Settings for your client"),
    "",
    "ahma_mcp init --client NAME writes them, and asks before it changes a file of yours. NAME is",
    ...names.map((line) => `  ${line}`),
    "",
    "docs/clients.md shows each, and where the client keeps its log. Most have this form:",
    "",
    ...common,
    "",
  ].join("\n");
}

/** The client whose entry most others take too. */
const COMMON: ClientName = "claude";
/** Longest line of names. */
const WIDTH = 90;

function indented(text: string): string {
  return text.trimEnd().split("\n").map((line) => `  ${line}`).join("\n");
}

interface RuntimeQuestion {
  readonly environment: Readonly<Record<string, string>>;
  /** A program that passes no signals on started the runtime. */
  readonly wrapped: boolean;
}

/** The runtime, the form of the program that it runs, and whether it can keep compiled code. */
function runtimeChecks({ environment, wrapped }: RuntimeQuestion): readonly Check[] {
  return [runtime(wrapped), ...Deno.build.standalone ? [] : compiledCode(environment)];
}

function runtime(wrapped: boolean): Check {
  const form = thisForm();
  const found = form === "executable"
    ? `deno ${Deno.version.deno} in the executable ${Deno.execPath()}`
    : `deno ${Deno.version.deno}, ${Deno.execPath()}, runs ${FORMS[form]} ${programPath()}`;
  if (!wrapped) return check("runtime", "runtime", "ok", found);
  const between = "started by another program, which does not forward signals: set AHMA_DENO to the runtime's path";
  return check("runtime", "runtime", "warning", `${found}, ${between}`);
}

const FORMS: Readonly<Record<Exclude<ProgramForm, "executable">, string>> = {
  "packed program": "the packed program",
  "sources": "the sources",
};

/** Empty: compiled code can be kept. */
function compiledCode(environment: RuntimeQuestion["environment"]): readonly Check[] {
  const warning = (why: string) => {
    const cost = "each start takes 0.2 s longer. Set DENO_DIR to a writable directory";
    return [check("compiled_code", "compiled code", "warning", `${why}: ${cost}`)];
  };
  const directory = runtimeCache(environment, Deno.cwd());
  if (directory === undefined) return warning("there is no place for it without HOME");
  try {
    // As the runtime does.
    Deno.mkdirSync(directory, { recursive: true });
    Deno.removeSync(Deno.makeTempFileSync({ dir: directory }));
    return [];
  } catch (thrown) {
    return warning(`"${directory}" cannot be written (${messageOf(thrown)})`);
  }
}

/** One line where there is a GPU: what `--gpu` opens, or would open. */
function gpuCheck(chosen: readonly string[]): readonly Check[] {
  const nodes = withLibc(gpuNodesHere);
  const gpus = nodes.filter(isGpu);
  if (gpus.length === 0) return [];
  const opened = openedNodes(chosen, nodes);
  const open = opened.ok ? opened.value : [];
  const closed = gpus.filter((path) => !open.includes(path));
  const said = [
    ...open.length === 0 ? [] : [`open to commands: ${open.join(", ")}`],
    ...closed.length === 0 ? [] : [`closed to commands: ${closed.join(", ")}`],
    ...open.length === 0 ? ["--gpu all opens them"] : [],
  ];
  return [check("gpu", "GPUs", "ok", said.join("; "))];
}
