/**
 * The settings of the program: flags first, then `AHMA_*` variables, then the project's and the user's settings
 * file, then the defaults (requirement L7). Read once, here; no other file of the program looks at a flag of the server
 * or at an `AHMA_*` variable, and no command ever sees one.
 */
import { INSTANCE_VARIABLE } from "../wire/instance.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import { closest, didYouMean } from "../base/suggest.ts";
import { DEFAULT_HISTORY_LIMITS } from "../operation/history.ts";
import { DEFAULT_SPILL_LIMIT_BYTES } from "../operation/output/spill_files.ts";
import { SANDBOX_LAYERS } from "../sandbox/policy/layers.ts";
import type { CommandLine } from "./flags/parse_command_line.ts";
import { confinementFrom } from "./confinement_settings.ts";
import { FLAG_NAMES, type FlagName, flagNamed } from "./flags/flags.ts";
import { type HttpSettings, httpSettings } from "./http_settings.ts";
import type { DirectoryChoice } from "./project_directories.ts";
import { type FlagSources, type FlagValues, flagValues } from "./flags/flag_values.ts";
import type { SandboxChoice } from "../sandbox/policy/sandbox_settings.ts";
import type { ToolStyle } from "../catalog/format/mtdf.ts";
import { type Subcommand, SUBCOMMANDS } from "./flags/subcommands.ts";

/** Whose tools are not listed. */
export interface LeanChoice {
  /** Those of the servers of `--mcp-config`. */
  readonly servers: boolean;
  /** Those of tool files and bundles. */
  readonly toolFiles: boolean;
}

/** Which prompts are offered (Q1). */
export interface PromptChoice {
  /** False: none at all. */
  readonly offered: boolean;
  /** The shipped ones too. */
  readonly shipped: boolean;
  /** Undefined: `.ahma/prompts` of the project. */
  readonly directory: string | undefined;
  /** Undefined: `prompts` in the user's configuration directory. */
  readonly userDirectory: string | undefined;
  /** Names of variables that templates may read (Q4). */
  readonly environmentNames: readonly string[];
}

/** Everything that can be set; paths are as typed, and relative ones start at the working directory. */
export interface Settings {
  /** Undefined: `.ahma/tools` or `.ahma` in the working directory (T1). */
  readonly toolsDirectory: string | undefined;
  /** Names of shipped tool files to offer (T15). */
  readonly bundles: readonly string[];
  readonly prompts: PromptChoice;
  readonly directories: DirectoryChoice;
  /** Files that name servers whose tools are offered too, as typed (O1). */
  readonly mcpConfigs: readonly string[];
  /** Hosts that web tools may fetch from, wherever they are (K5). */
  readonly privateHosts: readonly string[];
  /** The SearXNG that web_search asks; undefined: the service that a key is there for. */
  readonly searchUrl: string | undefined;
  readonly sandbox: SandboxChoice;
  /** Every call answers with its result (X2). */
  readonly synchronous: boolean;
  /** For commands that no tool file gives another limit (X9). */
  readonly timeoutSeconds: number;
  /** Commands that run at once (X12). */
  readonly maxConcurrency: number;
  /** How long a call waits for its result before it answers with an operation id, milliseconds (X1). */
  readonly inlineWaitMs: number;
  /** Before the name of each tool; empty: nothing. */
  readonly toolPrefix: string;
  /** How the leaves of a tool file are listed, where the file says nothing. */
  readonly toolStyle: ToolStyle;
  /** The tools that are found and called through two others, and not listed. */
  readonly lean: LeanChoice;
  /** How much output a result shows, bytes (X4). */
  readonly maxInlineBytes: number;
  /** Output keeps its escape sequences (X8). */
  readonly keepAnsi: boolean;
  /** Ended operations whose results stay readable (X5). */
  readonly keptOperations: number;
  /** Bytes of output kept in files, of all operations together (X8). */
  readonly maxSpilledBytes: number;
  /** The result of a call that was answered before is sent as a last progress message (X5). */
  readonly pushResults: boolean;
  /** A command that failed is an error result (X4). */
  readonly exitErrors: boolean;
  /** Undefined: bash where present, else sh (P2). */
  readonly shell: string | undefined;
  /** A named shell that no call used for so long is ended, milliseconds (B5). */
  readonly shellIdleMs: number;
  /** Shells are kept warm (P1). */
  readonly pool: boolean;
  /** Whether a sandbox may run one command after the other. */
  readonly reuse: boolean;
  /** False: `--no-hot-reload` (T12). */
  readonly hotReload: boolean;
  /** As typed (S18); undefined: none is written. */
  readonly auditLog: string | undefined;
  /** Instead of the daily file (L8). */
  readonly logToStderr: boolean;
  readonly debug: boolean;
  /** Undefined: clients connect over stdio (H1). */
  readonly http: HttpSettings | undefined;
}

/** What to do. */
export type Invocation =
  /** `subcommand` undefined: the whole program. */
  | { readonly kind: "help"; readonly subcommand: Subcommand | undefined }
  | { readonly kind: "version" }
  /** `warnings` are sentences for a person; they do not keep the program from starting. */
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
}

/** Variables that no flag stands for: of the launcher script, and those that the starting program sets for a server. */
const VARIABLES_OF_THE_LAUNCHER: readonly string[] = ["AHMA_DENO", "AHMA_SERVER_CHAIN", INSTANCE_VARIABLE];

/** Names of variables that no template may read. */
const CREDENTIAL_REGEXP = /token|key|secret|passw|credential|auth/i;

/** The smallest default for `--max-concurrency` (X12). */
const FEWEST_AT_ONCE = 8;

/** Turns the sorted command line and the environment into settings; the problem is a sentence for stderr (exit code 2). */
export function readInvocation(line: CommandLine, surroundings: Surroundings): Outcome<Invocation> {
  const asked = line.subcommand === "serve" ? undefined : line.subcommand;
  if (asked === "help") return helpOn(line.operands[0]);
  if (line.flags.has("help")) return success({ kind: "help", subcommand: asked });
  if (line.flags.has("version")) return success({ kind: "version" });
  const { environment, files = [] } = surroundings;
  const values = flagValues({ typed: line.flags, environment, files });
  if (!values.ok) return values;
  const forbidden = values.value.texts("env").find((name) => name.startsWith("AHMA_"));
  if (forbidden !== undefined) {
    return failure(`Cannot pass on variable "${forbidden}": the variables of this program never reach a command`);
  }
  const credential = values.value.texts("prompt-env").find((name) => CREDENTIAL_REGEXP.test(name));
  if (credential !== undefined) {
    return failure(`Cannot show prompts variable "${credential}": by its name it holds a credential`);
  }
  const lists = asked === undefined && values.value.texts("mode")[0] === "list-tools";
  return success({
    kind: "run",
    subcommand: asked ?? (lists ? "list-tools" : "serve"),
    line,
    settings: settingsFrom(values.value, surroundings.cores),
    warnings: unknownVariables(surroundings.environment),
  });
}

function helpOn(word: string | undefined): Outcome<Invocation> {
  const subcommand = SUBCOMMANDS.find((one) => one === word);
  if (word === undefined || subcommand !== undefined) return success({ kind: "help", subcommand });
  return failure(
    `Cannot explain "${word}": expected one of ${SUBCOMMANDS.join(", ")}${didYouMean(word, SUBCOMMANDS)}`,
  );
}

function settingsFrom(values: FlagValues, cores: number): Settings {
  return {
    toolsDirectory: values.texts("tools-dir")[0],
    bundles: values.texts("bundles"),
    prompts: {
      offered: !values.isOn("no-prompts"),
      shipped: values.isOn("prompts"),
      directory: values.texts("prompts-dir")[0],
      userDirectory: values.texts("user-prompts-dir")[0],
      environmentNames: values.texts("prompt-env"),
    },
    directories: {
      issues: values.texts("issues-dir")[0],
      memos: values.texts("memos-dir")[0],
      flows: values.texts("flows-dir")[0],
      rules: values.texts("rules-dir")[0],
    },
    mcpConfigs: values.texts("mcp-config"),
    searchUrl: values.texts("search-url")[0],
    privateHosts: values.texts("allow-private-hosts"),
    sandbox: sandboxFrom(values),
    synchronous: values.isOn("sync"),
    timeoutSeconds: values.number("timeout") ?? 360,
    maxConcurrency: values.number("max-concurrency") ?? Math.max(FEWEST_AT_ONCE, 2 * cores),
    toolPrefix: values.texts("tool-prefix")[0] ?? "",
    toolStyle: values.texts("tool-style")[0] === "program" ? "program" : "leaf",
    lean: { servers: values.isOn("lean"), toolFiles: values.isOn("lean-tool-files") },
    inlineWaitMs: values.number("inline-wait") ?? 3000,
    maxInlineBytes: values.number("max-inline-output") ?? 10 * 1024,
    keepAnsi: values.isOn("keep-ansi"),
    keptOperations: values.number("keep-results") ?? DEFAULT_HISTORY_LIMITS.operations,
    maxSpilledBytes: values.number("max-spilled-output") ?? DEFAULT_SPILL_LIMIT_BYTES,
    pushResults: values.isOn("push-results"),
    exitErrors: values.isOn("exit-errors"),
    shell: values.texts("shell")[0],
    shellIdleMs: (values.number("shell-idle") ?? 7200) * 1000,
    pool: !values.isOn("no-pool"),
    reuse: !values.isOn("no-reuse"),
    hotReload: !values.isOn("no-hot-reload"),
    auditLog: values.texts("audit-log")[0],
    logToStderr: values.isOn("log-to-stderr"),
    debug: values.isOn("debug"),
    http: httpSettings(values),
  };
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
    environmentNames: values.texts("env"),
    privateHome: values.isOn("private-home") && !values.isOn("no-sandbox"),
    temporaryFiles: !values.isOn("no-temp-files"),
    requireAbi: values.number("require-abi") ?? 1,
    confinement: confinementFrom(values),
  };
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
