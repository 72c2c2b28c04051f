/**
 * The settings of the program: flags first, then `AHMA_*` variables, then the project's and the user's settings file,
 * then the defaults (requirement L7), each held by the machine's policy (S37). Read once, here; no other file of the
 * program looks at a flag of the server or at an `AHMA_*` variable, and no command ever sees one.
 */
import { INSTANCE_VARIABLE } from "../wire/instance.ts";
import { ASK_KINDS } from "../base/command/grant_subject.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import { closest, didYouMean } from "../base/suggest.ts";
import { DEFAULT_HISTORY_LIMITS } from "../operation/history.ts";
import { DEFAULT_SPILL_LIMIT_BYTES } from "../operation/output/spill_files.ts";
import { withHosts } from "../base/network/name_list.ts";
import { readNetwork } from "./flags/network_value.ts";
import { askingProblem } from "./flags/asking.ts";
import { publicationProblem, readPublished } from "./flags/published_ports.ts";
import { type ConfinementChoice, DEFAULT_CONFINEMENT, UNIX_SOCKETS } from "../sandbox/policy/confinement.ts";
import { SANDBOX_LAYERS } from "../sandbox/policy/layers.ts";
import type { CommandLine } from "./flags/parse_command_line.ts";
import { FLAG_NAMES, type FlagName, flagNamed } from "./flags/flags.ts";
import { type FlagSources, type FlagValues, flagValues, type Given, limitOf } from "./flags/flag_values.ts";
import { askingRefused, heldBy, openingProblem } from "./policy/held.ts";
import type { Policy } from "./policy/policy.ts";
import type { SandboxChoice } from "../sandbox/policy/sandbox_settings.ts";
import type { ToolStyle } from "../catalog/format/mtdf.ts";
import { secretProblem, secretsFrom } from "./secrets.ts";
import { sshAgentFrom, sshAgentProblem } from "./ssh_agent.ts";
import { type Subcommand, SUBCOMMANDS } from "./flags/subcommands.ts";

/** All settings; paths are as typed, and relative ones start at the working directory. */
export type Settings = Readonly<ReturnType<typeof settingsFrom>> & {
  /** The machine's policy, for rights that do not come from the settings; absent: there is none (S37). */
  readonly policy?: Policy | undefined;
};

/** Settings of `--mode http`. */
export type HttpSettings = NonNullable<Settings["http"]>;

/** What to do. */
export type Invocation =
  /** `subcommand` undefined: the whole program. */
  | { readonly kind: "help"; readonly subcommand: Subcommand | undefined }
  | { readonly kind: "version" }
  /** `warnings` are sentences for a person; the program starts anyway. */
  | {
    readonly kind: "run";
    readonly subcommand: Exclude<Subcommand, "help">;
    readonly line: CommandLine;
    readonly settings: Settings;
    readonly warnings: readonly string[];
    /** Why variables and settings files are left out of the settings; undefined: they are in them. */
    readonly settingsProblem?: string | undefined;
  };

/** What the defaults depend on. */
export interface Surroundings {
  /** The server's own variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Processor cores. */
  readonly cores: number;
  /** What the settings files say; absent: nothing. */
  readonly files?: FlagSources["files"];
  /** The machine's; absent: none holds. */
  readonly policy?: Policy | undefined;
  /** True: the scopes come from the server of `--session-isolation`, and no person gave `--sandbox-scope`. */
  readonly handsScopes?: boolean;
}

/** Variables without a flag: of the launcher script, and those that the starting program sets for a server. */
const VARIABLES_OF_THE_LAUNCHER: readonly string[] = ["AHMA_DENO", "AHMA_SERVER_CHAIN", INSTANCE_VARIABLE];

/** Names of variables that no template may read. */
const CREDENTIAL_REGEXP = /token|key|secret|passw|credential|auth/i;

/** The smallest default for `--max-concurrency` (X12). */
const FEWEST_AT_ONCE = 8;

/** Turns a sorted command line and the environment into settings; the problem is for stderr (exit code 2). */
export function readInvocation(line: CommandLine, surroundings: Surroundings): Outcome<Invocation> {
  const asked = line.subcommand === "serve" ? undefined : line.subcommand;
  if (asked === "help") return helpOn(line.operands[0]);
  if (line.flags.has("help")) return success({ kind: "help", subcommand: asked });
  if (line.flags.has("version")) return success({ kind: "version" });
  const { environment, files = [], policy, handsScopes } = surroundings;
  const isFree = (name: FlagName) => handsScopes === true && name === "sandbox-scope" && !policy?.forced.has(name);
  const hold = (name: FlagName, given: Given) => isFree(name) ? success(given) : heldBy(policy, name, given);
  const values = flagValues({ typed: line.flags, environment, files, hold });
  if (!values.ok) return values;
  const forbidden = values.value.texts("env").find((name) => name.startsWith("AHMA_"));
  if (forbidden !== undefined) {
    return failure(`Cannot pass on variable "${forbidden}": the variables of this program never reach a command`);
  }
  const credential = values.value.texts("prompt-env").find((name) => CREDENTIAL_REGEXP.test(name));
  if (credential !== undefined) {
    return failure(`Cannot show prompts variable "${credential}": by its name it holds a credential`);
  }
  const settings = { ...settingsFrom(values.value, surroundings.cores), ...policy !== undefined && { policy } };
  const lists = asked === undefined && values.value.text("mode") === "list-tools";
  const subcommand = asked ?? (lists ? "list-tools" : "serve");
  const problem = settingsProblem(settings) ?? secretProblem(settings) ?? sshAgentProblem(settings) ??
    (subcommand === "serve" ? askingProblem(settings) ?? publicationProblem(settings) : undefined);
  if (problem !== undefined) return failure(problem);
  return success({
    kind: "run",
    subcommand,
    line,
    settings,
    warnings: unknownVariables(surroundings.environment),
  });
}

/** Why the policy refuses settings that open more than a single flag; undefined: it does not. */
function settingsProblem({ policy, sandbox, asks }: Settings): string | undefined {
  const opened = openingProblem(policy, sandbox);
  return opened === undefined
    ? askingRefused(policy, asks)
    : `Cannot add the hosts of --secret to the network: ${opened}`;
}

function helpOn(word: string | undefined): Outcome<Invocation> {
  const subcommand = SUBCOMMANDS.find((one) => one === word);
  if (word === undefined || subcommand !== undefined) return success({ kind: "help", subcommand });
  return failure(
    `Cannot explain "${word}": expected one of ${SUBCOMMANDS.join(", ")}${didYouMean(word, SUBCOMMANDS)}`,
  );
}

function settingsFrom(values: FlagValues, cores: number) {
  return {
    ...offersFrom(values),
    sandbox: sandboxFrom(values),
    /** What a person is asked about when commands are denied it (S35); empty: nothing. */
    asks: ASK_KINDS.filter((kind) => values.texts("ask").includes(kind)),
    /** What requests of commands carry in place of what commands see (S33). */
    secrets: secretsFrom(values),
    /** Keys that commands use and cannot read (S42). */
    sshAgent: sshAgentFrom(values),
    /** Ports of commands that a person reaches at the loopback of this machine (S34). */
    published: values.texts("publish").map(readPublished),
    /** Every call answers with its result (X2). */
    synchronous: values.isOn("sync"),
    /** For commands that no tool file gives another limit (X9). */
    timeoutSeconds: values.number("timeout") ?? 360,
    /** The same for commands that the client keeps using: a server, a debugger (X20, X21, X22). */
    longTimeoutSeconds: values.number("timeout") ?? 7200,
    /** Commands that run at once (X12). */
    maxConcurrency: values.number("max-concurrency") ?? Math.max(FEWEST_AT_ONCE, 2 * cores),
    /** How long a call waits for its result before it answers with an operation id, milliseconds (X1). */
    inlineWaitMs: values.number("inline-wait") ?? 3000,
    /** How much output a result shows, bytes (X4). */
    maxInlineBytes: values.number("max-inline-output") ?? 10 * 1024,
    /** Output keeps its escape sequences (X8). */
    keepAnsi: values.isOn("keep-ansi"),
    /** Ended operations whose results stay readable (X5). */
    keptOperations: values.number("keep-results") ?? DEFAULT_HISTORY_LIMITS.operations,
    /** Bytes of output kept in files, of all operations together (X8). */
    maxSpilledBytes: values.number("max-spilled-output") ?? DEFAULT_SPILL_LIMIT_BYTES,
    /** The result of a call that was answered before is sent as a last progress message (X5). */
    pushResults: values.isOn("push-results"),
    /** A command that failed is an error result (X4). */
    exitErrors: values.isOn("exit-errors"),
    /** Undefined: bash where present, else sh (P2). */
    shell: values.text("shell"),
    /** A named shell ends after this long without a call, milliseconds (B5). */
    shellIdleMs: (values.number("shell-idle") ?? 7200) * 1000,
    /** Shells are kept warm (P1). */
    pool: !values.isOn("no-pool"),
    /** Whether a sandbox may run several commands, one after another. */
    reuse: !values.isOn("no-reuse"),
    /** Whether a shell may fork for each line (P5). */
    fork: values.text("shell-fork") !== "off",
    /** Changes by operations are recorded for undo (S39), with this many bytes of ignored files. */
    undo: { isOn: values.isOn("undo"), ignoredBytes: limitOf(values.text("undo-ignored") ?? "64M") ?? Infinity },
    /** Commands may run on a copy-on-write view (S40); all views of the server keep at most this many bytes. */
    preview: { isOn: values.isOn("preview"), mostBytes: limitOf(values.text("preview-most") ?? "4G") ?? Infinity },
    /** As typed (S18); undefined: none is written. */
    auditLog: values.text("audit-log"),
    /** The collector that calls are reported to, as typed (V5); undefined: none. */
    otlp: values.text("otlp"),
    /** Instead of the daily file (L8). */
    logToStderr: values.isOn("log-to-stderr"),
    debug: values.isOn("debug"),
    /** Undefined: clients connect over stdio (H1). */
    http: httpSettings(values),
  };
}

/** Which tools and prompts a client gets, and under which names. */
function offersFrom(values: FlagValues) {
  const code = values.text("code-mode");
  const codeMode: "read" | "all" | undefined = code === "read" || code === "all" ? code : undefined;
  const toolStyle: ToolStyle = values.text("tool-style") === "program" ? "program" : "leaf";
  return {
    /** Undefined: `.ahma/tools` or `.ahma` in the working directory (T1). */
    toolsDirectory: values.text("tools-dir"),
    /** Names of shipped tool files to offer (T15). */
    bundles: values.texts("bundles"),
    /** Before the name of each tool; empty: nothing. */
    toolPrefix: values.text("tool-prefix") ?? "",
    /** How the leaves of a tool file are listed, where the file says nothing. */
    toolStyle,
    /** Whose tools are not listed, but found and called through two others: servers of `--mcp-config`, tool files. */
    lean: {
      servers: codeMode !== undefined || values.isOn("lean"),
      toolFiles: codeMode !== undefined || values.isOn("lean-tool-files"),
    },
    /** Which tools scripts may call (K11); undefined: there is no tool for scripts. */
    codeMode,
    /** False: `--no-hot-reload` (T12). */
    hotReload: !values.isOn("no-hot-reload"),
    /** Which prompts are offered (Q1). */
    prompts: {
      offered: !values.isOn("no-prompts"),
      /** The shipped ones too. */
      shipped: values.isOn("prompts"),
      /** Undefined: `.ahma/prompts` of the project. */
      directory: values.text("prompts-dir"),
      /** Undefined: `prompts` in the user's configuration directory. */
      userDirectory: values.text("user-prompts-dir"),
      /** Names of variables that templates may read (Q4). */
      environmentNames: values.texts("prompt-env"),
    },
    /** Which skills are offered (Q6). */
    skills: { offered: !values.isOn("no-skills"), shipped: values.isOn("skills") },
    /** As typed; relative ones start in the project. Undefined: the default. */
    directories: {
      issues: values.text("issues-dir"),
      memos: values.text("memos-dir"),
      flows: values.text("flows-dir"),
      rules: values.text("rules-dir"),
    },
    /** Files that name servers whose tools are offered too, as typed (O1). */
    mcpConfigs: values.texts("mcp-config"),
    /** The SearXNG server that web_search uses; undefined: the service for which a key is set. */
    searchUrl: values.text("search-url"),
    /** Hosts that web tools may fetch from, wherever they are (K5). */
    privateHosts: privateHostsOf(values),
  };
}

/** Undefined: the server speaks over stdio. */
function httpSettings(values: FlagValues) {
  if (values.text("mode") !== "http") return undefined;
  const [program] = values.texts("server-command");
  const requestTimeout = values.number("request-timeout") ?? 60;
  return {
    host: values.text("http-host") ?? "127.0.0.1",
    /** 0: any that is free (H1). */
    port: values.number("http-port") ?? 3000,
    /** One process for each session (H3). */
    sessionIsolation: values.isOn("session-isolation"),
    /** Milliseconds (H3). */
    handshakeTimeoutMs: (values.number("handshake-timeout") ?? 45) * 1000,
    /** Clients must send the bearer token (H8). */
    requireToken: values.isOn("require-token"),
    /** The page of `ahma_mcp dashboard` is served too (V2). */
    dashboard: values.isOn("dashboard"),
    /** `Host` headers and origins accepted in addition to the server's own (H8). */
    allowedHosts: values.texts("allow-host"),
    allowedOrigins: values.texts("allow-origin"),
    maxSessions: values.number("max-sessions") ?? 64,
    /** Milliseconds (H8). */
    sessionIdleMs: (values.number("session-idle") ?? 1800) * 1000,
    /** The stdio server to put behind HTTP, with its arguments (H10); undefined: this program. */
    serverCommand: program === undefined ? undefined : [program, ...values.texts("server-args")],
    /** Whether that server runs with all rights of the user. */
    openServer: values.isOn("no-sandbox-server"),
    /** Milliseconds a request to that server may take; undefined: no limit (H10). */
    requestTimeoutMs: requestTimeout === 0 ? undefined : requestTimeout * 1000,
  };
}

/** Whether a server with these settings may connect to hosts itself; with `full`, for the hosts of tool files. */
export function mayUseNetwork(
  { mcpConfigs, sandbox, otlp }: Pick<Settings, "mcpConfigs" | "sandbox" | "otlp">,
): boolean {
  return mcpConfigs.length > 0 || otlp !== undefined ||
    sandbox.enforce && ["full", "names"].includes(sandbox.confinement.network);
}

function sandboxFrom(values: FlagValues): SandboxChoice {
  return {
    enforce: !values.isOn("no-sandbox"),
    scopes: values.texts("sandbox-scope"),
    allowBroad: values.isOn("allow-broad-scope"),
    reads: values.texts("read"),
    writes: values.texts("write"),
    protect: values.texts("protect"),
    allowProtected: values.texts("allow-protected"),
    allowSensitive: values.texts("allow-read-sensitive"),
    strict: values.isOn("strict"),
    requiredLayers: SANDBOX_LAYERS.filter((layer) => values.texts("require-layer").includes(layer)),
    gpus: values.texts("gpu"),
    environmentNames: values.texts("env"),
    privateHome: values.isOn("private-home") && !values.isOn("no-sandbox"),
    temporaryFiles: !values.isOn("no-temp-files"),
    requireAbi: values.number("require-abi") ?? 1,
    confinement: confinementFrom(values),
  };
}

/** The result of the flags for network, sockets and resources (S6, S10); values were checked against the table. */
export function confinementFrom(values: FlagValues): ConfinementChoice {
  const unixSockets = values.text("unix-sockets");
  const [memory, tasks] = [values.limit("limit-memory-total"), values.limit("limit-tasks")];
  const { network, names } = readNetwork(values.text("network") ?? DEFAULT_CONFINEMENT.network);
  const bound = secretsFrom(values).bindings.flatMap(({ hosts }) => hosts);
  return {
    network,
    // Their hosts are named by the same person.
    names: network === "names" ? withHosts(names, bound) : names,
    privateHosts: privateHostsOf(values),
    ...values.texts("ask").includes("network") && { asks: true },
    ...values.texts("publish").length > 0 && { sharesLoopback: true },
    unixSockets: UNIX_SOCKETS.find((one) => one === unixSockets) ?? DEFAULT_CONFINEMENT.unixSockets,
    limits: {
      fileSize: values.limit("limit-file-size"),
      processes: least(values.limit("limit-processes"), tasks),
      openFiles: values.limit("limit-open-files"),
      memory: values.limit("limit-memory"),
      cpuSeconds: values.limit("limit-cpu"),
    },
    ...(memory ?? tasks) !== undefined && {
      totals: { ...memory !== undefined && { memory }, ...tasks !== undefined && { tasks } },
    },
  };
}

/** In small letters, as names are compared. */
function privateHostsOf(values: FlagValues): readonly string[] {
  return values.texts("allow-private-hosts").map((host) => host.toLowerCase());
}

/** Undefined: no limit. */
function least(...limits: readonly (number | undefined)[]): number | undefined {
  const given = limits.filter((one) => one !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}

/** A mistyped variable is easy to miss, and a mistyped scope means another scope. */
function unknownVariables(environment: Readonly<Record<string, string>>): string[] {
  const known = FLAG_NAMES.flatMap((name: FlagName) => flagNamed(name).variable ?? []);
  return Object.keys(environment)
    .filter((name) => name.startsWith("AHMA_") && !name.startsWith("AHMA_INPUT_") && !known.includes(name))
    .filter((name) => !VARIABLES_OF_THE_LAUNCHER.includes(name))
    .map((name) => {
      const guess = closest(name, known);
      return `Variable "${name}" is ignored: ${guess === undefined ? "it is not known" : `did you mean "${guess}"?`}`;
    });
}
