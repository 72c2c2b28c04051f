import { SANDBOX_LAYERS } from "../../sandbox/policy/layers.ts";
import { CLIENT_NAMES } from "./client_names.ts";
import { CONFINEMENT_FLAGS } from "./confinement_flags.ts";
import { type Flag, type FlagRow, LONGEST_SECONDS, PLACEHOLDERS } from "./flag.ts";
import { HTTP_FLAGS } from "./http_flags.ts";
import { LOGIN_FLAGS } from "./login_flags.ts";

/** Every flag there is: the parser, the settings and the help text are made from this one table (requirement L1). */
const FLAGS = {
  "mode": {
    value: "choice",
    placeholder: "MODE",
    choices: ["stdio", "http", "list-tools"],
    help: "How clients connect (default: stdio); list-tools lists and ends",
  },
  "tools-dir": {
    value: "directory",
    help: "Where the tool files are (default: .ahma/tools, else .ahma)",
    project: true,
  },
  "bundles": {
    value: "text",
    placeholder: "NAMES",
    help: "Offer shipped tools by name, as in git,npm, or all",
    project: true,
  },
  "mcp-config": {
    value: "directory",
    placeholder: "FILE",
    repeatable: true,
    refuseEmpty: true,
    help: "Offer the tools of the servers in this mcp.json too (docs/servers.md)",
  },
  "sandbox-scope": {
    value: "directory",
    repeatable: true,
    refuseEmpty: true,
    help: "What commands may change (default: the working directory)",
  },
  "allow-broad-scope": {
    help: "Accept the home directory, or what holds it, as a scope (DENO_DIR must lie outside; never /)",
  },
  "read": { value: "directory", repeatable: true, help: "More paths that commands may read, outside the scope" },
  "write": { value: "directory", repeatable: true, help: "More paths that commands may change, outside the scope" },
  "protect": {
    value: "directory",
    placeholder: "PATH",
    repeatable: true,
    refuseEmpty: true,
    help: "More paths inside the scope that commands may not change, as .git/hooks",
    project: true,
  },
  "allow-protected": {
    value: "directory",
    placeholder: "PATH",
    repeatable: true,
    help: "A protected path that commands may change after all, as in .git/config",
  },
  "allow-read-sensitive": {
    value: "directory",
    placeholder: "PATH",
    repeatable: true,
    help: "A place of credentials, as in ~/.npmrc, that commands may read after all",
  },
  "strict": {
    help: "Commands read nothing below home but the scope and what is named; validate: warnings fail too",
    project: true,
  },
  "env": {
    value: "name",
    placeholder: "NAME",
    repeatable: true,
    help: "A variable of the server to pass on to commands",
  },
  "no-temp-files": { help: "Give commands no temporary directory and no /tmp", project: true },
  "require-abi": {
    value: "count",
    range: [1, 99],
    help: "Refuse to start below this version of Landlock (default: 1)",
    project: true,
  },
  ...CONFINEMENT_FLAGS,
  "require-layer": {
    value: "choice",
    placeholder: "LAYER",
    repeatable: true,
    choices: SANDBOX_LAYERS,
    help: "Refuse to start where the kernel does not give this layer",
    project: true,
  },
  "no-sandbox": { help: "Disable the sandbox: commands run with all your permissions" },
  "sync": {
    help: "Wait for the result of every call (an operation id after 50 s without a progress token)",
    project: true,
  },
  "timeout": {
    value: "number",
    range: [0.001, LONGEST_SECONDS],
    help: "How long a command may run (default: 360)",
    projectMost: 21_600,
  },
  "max-concurrency": {
    value: "count",
    range: [1, 10_000],
    help: "How many commands run at once (default: twice the cores, at least 8)",
    projectMost: 64,
  },
  "tool-prefix": {
    value: "prefix",
    placeholder: "PREFIX",
    help: "Put this before the name of each tool, as in ahma_: for clients that mix tools of several servers",
    project: true,
  },
  "tool-style": {
    value: "choice",
    placeholder: "STYLE",
    choices: ["leaf", "program"],
    help: "One tool for each subcommand (leaf, the default), or one for each tool file (program): fewer bytes to list",
    project: true,
  },
  "lean": { help: "List two tools, find_tools and call_tool, instead of the tools of the servers of --mcp-config" },
  "lean-tool-files": { help: "List the same two tools instead of the tools of tool files and bundles" },
  "inline-wait": {
    value: "number",
    placeholder: "MS",
    range: [0, LONGEST_SECONDS * 1000],
    help: "Wait this long for a result before answering with an id (default: 3000)",
    projectMost: 60_000,
  },
  "max-inline-output": {
    value: "count",
    placeholder: "BYTES",
    range: [256, 1024 * 1024 * 1024],
    help: "How much output one result shows (default: 10240)",
    projectMost: 262_144,
  },
  "keep-results": {
    value: "count",
    range: [1, 100_000],
    help: "How many ended operations stay readable (default: 1000)",
    projectMost: 10_000,
  },
  "max-spilled-output": {
    value: "count",
    placeholder: "BYTES",
    range: [0, 1024 * 1024 * 1024 * 1024],
    help: "How much output too long for memory is kept in files (default: 536870912)",
  },
  "push-results": {
    help: "Send the result of a call that was answered before as a last progress message",
    project: true,
  },
  "exit-errors": { help: "Mark the result of a command that failed as an error (isError)", project: true },
  "keep-ansi": { help: "Leave colours and cursor movements in output", project: true },
  "shell": { value: "text", placeholder: "PATH", help: "The shell for command lines (default: bash, else sh)" },
  "no-pool": { help: "Start every command afresh instead of keeping some processes ready for the next", project: true },
  "no-hot-reload": { help: "Read the tool files once, and not again when they change", project: true },
  "audit-log": {
    value: "text",
    placeholder: "FILE",
    help: "Write every command to this file, and run none that cannot be",
    refuseEmpty: true,
  },
  ...HTTP_FLAGS,
  "log-to-stderr": { help: "Log to stderr instead of the daily file" },
  "debug": { help: "Log more", project: true },
  "tool-name": { value: "text", placeholder: "TOOL", help: "Call this tool and end; see call", own: true },
  "tool-args": { value: "text", placeholder: "JSON", help: "The arguments of --tool-name", own: true },
  "list-tools": { help: "The same as the subcommand", own: true },
  "validate": { help: "The same as the subcommand", own: true },
  "http": { value: "text", placeholder: "URL", help: "List the tools of the server at this address", own: true },
  "no-sandbox-server": { help: "Disable the sandbox: the other server runs with all your permissions", own: true },
  "json": { help: "Print JSON", own: true },
  "sandbox": { help: "Only what the sandbox holds on this machine", own: true },
  "result-json": { help: "Print the MCP result instead of the output", own: true },
  "quiet": { help: "No status lines on stderr", own: true },
  "client": {
    value: "choice",
    placeholder: "NAME",
    choices: CLIENT_NAMES,
    help: "The client whose settings are meant",
    own: true,
  },
  ...LOGIN_FLAGS,
  "dry-run": { help: "Show what would change, and change nothing", own: true },
  "check": { help: "Ask the npm registry for the newest version", own: true },
  "yes": { help: "Change files without a question", own: true },
  "help": { help: "Show this text" },
  "version": { help: "Show the version" },
} as const satisfies Readonly<Record<string, FlagRow>>;

/** A flag's name, without the dashes. */
export type FlagName = keyof typeof FLAGS;

/** Flags that are about one run only. */
const WITHOUT_VARIABLE: readonly FlagName[] = ["help", "version"];

/** The table's row in its general form. */
export function flagNamed(name: FlagName): Flag {
  const row: FlagRow = FLAGS[name];
  const variable = `AHMA_${name.toUpperCase().replaceAll("-", "_")}`;
  const hasVariable = row.own !== true && !WITHOUT_VARIABLE.includes(name);
  const isBounded = row.narrowsOnly !== undefined || row.projectMost !== undefined;
  const { value = "none", placeholder = PLACEHOLDERS[value] ?? "" } = row;
  return { ...row, value, placeholder, ...hasVariable && { variable }, ...isBounded && { project: true } };
}

/** Every flag's name, in the order of the help text. */
export const FLAG_NAMES = Object.keys(FLAGS) as readonly FlagName[]; // the keys of a constant object are known

/** Flags of the server: what it is set up with, and not what one subcommand alone is asked. */
export const SERVER_FLAGS: readonly FlagName[] = FLAG_NAMES.filter((name) => flagNamed(name).own !== true);
