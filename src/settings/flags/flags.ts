import { SANDBOX_LAYERS } from "../../sandbox/policy/layers.ts";
import { CLIENT_NAMES } from "./client_names.ts";
import { CONFINEMENT_FLAGS } from "./confinement_flags.ts";
import { type Flag, LONGEST_SECONDS } from "./flag.ts";
import { HTTP_FLAGS } from "./http_flags.ts";

/** Every flag there is: the parser, the settings and the help text are made from this one table (requirement L1). */
export const FLAGS = {
  "mode": {
    value: "choice",
    placeholder: "MODE",
    choices: ["stdio", "http", "list-tools"],
    help: "How clients connect (default: stdio); list-tools lists and ends",
    variable: "AHMA_MODE",
  },
  "tools-dir": {
    value: "directory",
    placeholder: "DIR",
    help: "Where the tool files are (default: .ahma/tools, else .ahma)",
    variable: "AHMA_TOOLS_DIR",
    project: true,
  },
  "bundles": {
    value: "text",
    placeholder: "NAMES",
    help: "Offer shipped tools by name, as in git,npm, or all",
    variable: "AHMA_BUNDLES",
    project: true,
  },
  "sandbox-scope": {
    value: "directory",
    placeholder: "DIR",
    repeatable: true,
    refuseEmpty: true,
    help: "What commands may change (default: the working directory)",
    variable: "AHMA_SANDBOX_SCOPE",
  },
  "allow-broad-scope": {
    value: "none",
    placeholder: "",
    help: "Accept the home directory, or what holds it, as a scope (DENO_DIR must lie outside; never /)",
    variable: "AHMA_ALLOW_BROAD_SCOPE",
  },
  "read": {
    value: "directory",
    placeholder: "DIR",
    repeatable: true,
    help: "More paths that commands may read, outside the scope",
    variable: "AHMA_READ",
  },
  "write": {
    value: "directory",
    placeholder: "DIR",
    repeatable: true,
    help: "More paths that commands may change, outside the scope",
    variable: "AHMA_WRITE",
  },
  "protect": {
    value: "directory",
    placeholder: "PATH",
    repeatable: true,
    refuseEmpty: true,
    help: "More paths inside the scope that commands may not change, as .git/hooks",
    variable: "AHMA_PROTECT",
    project: true,
  },
  "allow-protected": {
    value: "directory",
    placeholder: "PATH",
    repeatable: true,
    help: "A protected path that commands may change after all, as in .git/config",
    variable: "AHMA_ALLOW_PROTECTED",
  },
  "allow-read-sensitive": {
    value: "directory",
    placeholder: "PATH",
    repeatable: true,
    help: "A place of credentials, as in ~/.npmrc, that commands may read after all",
    variable: "AHMA_ALLOW_READ_SENSITIVE",
  },
  "strict": {
    value: "none",
    placeholder: "",
    help: "Commands read nothing below home but the scope and what is named; validate: warnings fail too",
    variable: "AHMA_STRICT",
    project: true,
  },
  "env": {
    value: "name",
    placeholder: "NAME",
    repeatable: true,
    help: "A variable of the server to pass on to commands",
    variable: "AHMA_ENV",
  },
  "no-temp-files": {
    value: "none",
    placeholder: "",
    help: "Give commands no temporary directory and no /tmp",
    variable: "AHMA_NO_TEMP_FILES",
    project: true,
  },
  "require-abi": {
    value: "count",
    placeholder: "N",
    range: [1, 99],
    help: "Refuse to start below this version of Landlock (default: 1)",
    variable: "AHMA_REQUIRE_ABI",
    project: true,
  },
  ...CONFINEMENT_FLAGS,
  "require-layer": {
    value: "choice",
    placeholder: "LAYER",
    repeatable: true,
    choices: SANDBOX_LAYERS,
    help: "Refuse to start where the kernel does not give this layer",
    variable: "AHMA_REQUIRE_LAYER",
    project: true,
  },
  "no-sandbox": {
    value: "none",
    placeholder: "",
    help: "Disable the sandbox: commands run with all your permissions",
    variable: "AHMA_NO_SANDBOX",
  },
  "sync": {
    value: "none",
    placeholder: "",
    help: "Wait for the result of every call (an operation id after 50 s without a progress token)",
    variable: "AHMA_SYNC",
    project: true,
  },
  "timeout": {
    value: "number",
    placeholder: "SECONDS",
    range: [0.001, LONGEST_SECONDS],
    help: "How long a command may run (default: 360)",
    variable: "AHMA_TIMEOUT",
    project: true,
    projectMost: 21_600,
  },
  "max-concurrency": {
    value: "count",
    placeholder: "N",
    range: [1, 10_000],
    help: "How many commands run at once (default: twice the cores, at least 8)",
    variable: "AHMA_MAX_CONCURRENCY",
    project: true,
    projectMost: 64,
  },
  "tool-prefix": {
    value: "prefix",
    placeholder: "PREFIX",
    help: "Put this before the name of each tool, as in ahma_: for clients that mix tools of several servers",
    variable: "AHMA_TOOL_PREFIX",
    project: true,
  },
  "tool-style": {
    value: "choice",
    placeholder: "STYLE",
    choices: ["leaf", "program"],
    help: "One tool for each subcommand (leaf, the default), or one for each tool file (program): fewer bytes to list",
    variable: "AHMA_TOOL_STYLE",
    project: true,
  },
  "inline-wait": {
    value: "number",
    placeholder: "MS",
    range: [0, LONGEST_SECONDS * 1000],
    help: "Wait this long for a result before answering with an id (default: 3000)",
    variable: "AHMA_INLINE_WAIT",
    project: true,
    projectMost: 60_000,
  },
  "max-inline-output": {
    value: "count",
    placeholder: "BYTES",
    range: [256, 1024 * 1024 * 1024],
    help: "How much output one result shows (default: 10240)",
    variable: "AHMA_MAX_INLINE_OUTPUT",
    project: true,
    projectMost: 262_144,
  },
  "keep-results": {
    value: "count",
    placeholder: "N",
    range: [1, 100_000],
    help: "How many ended operations stay readable (default: 1000)",
    variable: "AHMA_KEEP_RESULTS",
    project: true,
    projectMost: 10_000,
  },
  "max-spilled-output": {
    value: "count",
    placeholder: "BYTES",
    range: [0, 1024 * 1024 * 1024 * 1024],
    help: "How much output too long for memory is kept in files (default: 536870912)",
    variable: "AHMA_MAX_SPILLED_OUTPUT",
  },
  "push-results": {
    value: "none",
    placeholder: "",
    help: "Send the result of a call that was answered before as a last progress message",
    variable: "AHMA_PUSH_RESULTS",
    project: true,
  },
  "exit-errors": {
    value: "none",
    placeholder: "",
    help: "Mark the result of a command that failed as an error (isError)",
    variable: "AHMA_EXIT_ERRORS",
    project: true,
  },
  "keep-ansi": {
    value: "none",
    placeholder: "",
    help: "Leave colours and cursor movements in output",
    variable: "AHMA_KEEP_ANSI",
    project: true,
  },
  "shell": {
    value: "text",
    placeholder: "PATH",
    help: "The shell for command lines (default: bash, else sh)",
    variable: "AHMA_SHELL",
  },
  "no-pool": {
    value: "none",
    placeholder: "",
    help: "Start every command afresh instead of keeping some processes ready for the next",
    variable: "AHMA_NO_POOL",
    project: true,
  },
  "no-hot-reload": {
    value: "none",
    placeholder: "",
    help: "Read the tool files once, and not again when they change",
    variable: "AHMA_NO_HOT_RELOAD",
    project: true,
  },
  "audit-log": {
    value: "text",
    placeholder: "FILE",
    help: "Write every command to this file, and run none that cannot be",
    variable: "AHMA_AUDIT_LOG",
    refuseEmpty: true,
  },
  ...HTTP_FLAGS,
  "log-to-stderr": {
    value: "none",
    placeholder: "",
    help: "Log to stderr instead of the daily file",
    variable: "AHMA_LOG_TO_STDERR",
  },
  "debug": { value: "none", placeholder: "", help: "Log more", variable: "AHMA_DEBUG", project: true },
  "tool-name": { value: "text", placeholder: "TOOL", help: "Call this tool and end; see call", own: true },
  "tool-args": { value: "text", placeholder: "JSON", help: "The arguments of --tool-name", own: true },
  "list-tools": { value: "none", placeholder: "", help: "The same as the subcommand", own: true },
  "validate": { value: "none", placeholder: "", help: "The same as the subcommand", own: true },
  "http": { value: "text", placeholder: "URL", help: "List the tools of the server at this address", own: true },
  "no-sandbox-server": {
    value: "none",
    placeholder: "",
    help: "Disable the sandbox: the other server runs with all your permissions",
    own: true,
  },
  "json": { value: "none", placeholder: "", help: "Print JSON", own: true },
  "sandbox": { value: "none", placeholder: "", help: "Only what the sandbox holds on this machine", own: true },
  "result-json": { value: "none", placeholder: "", help: "Print the MCP result instead of the output", own: true },
  "quiet": { value: "none", placeholder: "", help: "No status lines on stderr", own: true },
  "client": {
    value: "choice",
    placeholder: "NAME",
    choices: CLIENT_NAMES,
    help: "Write the entry of this client too, or print it where its file is not the project's",
    own: true,
  },
  "help": { value: "none", placeholder: "", help: "Show this text" },
  "version": { value: "none", placeholder: "", help: "Show the version" },
} as const satisfies Readonly<Record<string, Flag>>;

/** A flag's name, without the dashes. */
export type FlagName = keyof typeof FLAGS;

/** The table's row in its general form. */
export function flagNamed(name: FlagName): Flag {
  return FLAGS[name];
}

/** Every flag's name, in the order of the help text. */
export const FLAG_NAMES = Object.keys(FLAGS) as readonly FlagName[]; // the keys of a constant object are known

/** Flags of the server: what it is set up with, and not what one subcommand alone is asked. */
export const SERVER_FLAGS: readonly FlagName[] = FLAG_NAMES.filter((name) => flagNamed(name).own !== true);
