import { ASK_KINDS } from "../../base/command/grant_subject.ts";
import { SANDBOX_LAYERS } from "../../sandbox/policy/layers.ts";
import { type Flag, type FlagRow, LONGEST_SECONDS, ofSubcommands, taking } from "./flag.ts";
import { HTTP_FLAGS } from "./http_flags.ts";
import { UNIX_SOCKETS } from "../../sandbox/policy/confinement.ts";
import { CLIENT_NAMES } from "./actions.ts";

/** Its values are collected. */
const LIST = { repeatable: true } as const;
/** Also refuses an empty variable. */
const MANY = { ...LIST, refuseEmpty: true } as const;
/** A project may set it. */
const PROJECT = { project: true } as const;

/** Every flag there is: the parser, the settings and the help text are made from this one table (requirement L1). */
const FLAGS = {
  "mode": taking("choice", "MODE", "How clients connect (default: stdio); list-tools prints the tools and exits", {
    choices: ["stdio", "http", "list-tools"],
  }),
  "profile": taking(
    "text",
    "NAME",
    "Use the settings of this name in the user's settings file or the machine's policy",
    {
      refuseEmpty: true,
    },
  ),
  "tools-dir": taking("directory", "DIR", "Where the tool files are (default: .ahma/tools, else .ahma)", PROJECT),
  "bundles": taking("bundle", "NAMES", "Offer shipped tools (such as git,npm or all) and native ones (such as files)", {
    ...LIST,
    ...PROJECT,
  }),
  "prompts": { help: "Offer the shipped prompts too (docs/prompts.md)", project: true },
  "no-prompts": { help: "Offer no prompts from files, even if prompt directories exist", project: true },
  "skills": { help: "Offer the shipped skill and .claude/skills too (docs/skills.md)", project: true },
  "no-skills": { help: "Offer no skills, even if directories of them exist", project: true },
  "prompts-dir": taking("directory", "DIR", "Where the prompts of the project are (default: .ahma/prompts)", PROJECT),
  "issues-dir": taking("directory", "DIR", "Where the issues of the project are (default: .ahma/issues)", PROJECT),
  "memos-dir": taking("directory", "DIR", "Where the memos of the project are (default: .ahma/memos)", PROJECT),
  "flows-dir": taking("directory", "DIR", "Where the flows of the project are (default: .ahma/flows)", PROJECT),
  "rules-dir": taking("directory", "DIR", "Where the rules of the project are (default: .ahma/rules)", PROJECT),
  "user-prompts-dir": taking("directory", "DIR", "Where the user's own prompts are (default: ~/.config/ahma/prompts)"),
  "prompt-env": taking("name", "NAME", "A variable of the server that prompts may show as {{ env.NAME }}", LIST),
  "allow-private-hosts": taking(
    "host",
    "HOST",
    "A private host that web tools and the network by name may reach, even on this machine",
    MANY,
  ),
  "search-url": taking("text", "URL", "The SearXNG server that web_search uses"),
  "mcp-config": taking(
    "directory",
    "FILE",
    "Offer the tools of the servers in this mcp.json too (docs/servers.md)",
    MANY,
  ),
  "sandbox-scope": taking("directory", "DIR", "What commands may change (default: the working directory)", MANY),
  "allow-broad-scope": {
    help: "Accept the home directory or a parent of it as a scope (DENO_DIR must be outside; never /)",
  },
  "read": taking("directory", "DIR", "More paths that commands may read, outside the scope", LIST),
  "write": taking("directory", "DIR", "More paths that commands may change, outside the scope", LIST),
  "protect": taking(
    "directory",
    "PATH",
    "More paths inside the scope that commands may not change, such as .git/hooks",
    { ...MANY, ...PROJECT },
  ),
  "allow-protected": taking(
    "directory",
    "PATH",
    "A protected path that commands may change, such as .git/config",
    LIST,
  ),
  "allow-read-sensitive": taking(
    "directory",
    "PATH",
    "A path of credentials that commands may read, such as ~/.npmrc",
    LIST,
  ),
  "strict": {
    help: "Commands read nothing below home except the scope and named paths; validate: warnings fail too",
    project: true,
  },
  "gpu": taking("gpu", "WHICH", "Open GPUs to commands: all, or numbers as in 0,2 (docs/security.md)", MANY),
  "env": taking("name", "NAME", "A variable of the server to pass on to commands", LIST),
  "private-home": {
    help: "Give commands a HOME in the project's cache, for programs that can only write to ~",
    project: true,
  },
  "no-temp-files": { help: "Give commands no temporary directory and no /tmp", project: true },
  "require-abi": taking("count", "N", "Refuse to start below this version of Landlock (default: 1)", {
    range: [1, 99],
    project: true,
  }),
  // Network, sockets and resources (S6, S10).
  "network": taking(
    "network",
    "WHERE",
    "Where commands may connect: full, none, localhost, or hosts as in packages,git-hosts,*.x.org:443 (default: full)",
    { narrowsOnly: "full", refuseEmpty: true },
  ),
  "ask": taking(
    "choice",
    "KINDS",
    "Ask you in your client for all that is denied, as in read,network (docs/asking.md)",
    { ...MANY, choices: ASK_KINDS },
  ),
  "publish": taking(
    "port",
    "PORT",
    "Open a port of commands to you at 127.0.0.1, as in 5173; with 8080:5173 as port 8080 (docs/network.md)",
    MANY,
  ),
  // Secrets that commands use and cannot read (S33).
  "secret": taking(
    "secret",
    "NAME=HOST",
    "A variable of the server for requests to HOST (or HOST:git, 'HOST:GET /path/*'); commands cannot read it",
    MANY,
  ),
  "secret-file": taking("assignment", "NAME=FILE", "The file that holds a secret, in place of the variable", LIST),
  "secret-command": taking(
    "assignment",
    "NAME=COMMAND",
    "A command that prints a secret, run as you once at start",
    LIST,
  ),
  // The ssh agent of commands (S42).
  "ssh-agent": taking(
    "text",
    "KEY",
    "A key of your ssh agent that commands may use: SHA256:..., comment or /path.pub",
    MANY,
  ),
  "ssh-hosts": taking(
    "host",
    "HOST",
    "Hosts where commands may log in with these keys, as in github.com,x.org:2222",
    MANY,
  ),
  "unix-sockets": taking(
    "choice",
    "WHICH",
    "Which Unix sockets commands use: allow (all), private (their own), deny (default: private)",
    {
      choices: UNIX_SOCKETS,
      narrowsOnly: "private",
    },
  ),
  "limit-file-size": taking("limit", "BYTES", "Largest file that a command may write, such as 500M (default: 16G)", {
    range: [4096, Number.MAX_SAFE_INTEGER],
    narrowsOnly: "16G",
  }),
  "limit-processes": taking("limit", "N", "How many processes and threads a command may have (default: 2048)", {
    range: [8, 4_000_000],
    narrowsOnly: "2048",
  }),
  "limit-open-files": taking("limit", "N", "How many files a process may have open (default: 65536)", {
    range: [100, 1_000_000_000],
    narrowsOnly: "65536",
  }),
  "limit-memory": {
    value: "limit",
    placeholder: "BYTES",
    help: "How much memory one process may write to, such as 4G; it can then share only /dev/shm (default: none)",
    range: [16 * 1024 ** 2, Number.MAX_SAFE_INTEGER],
    narrowsOnly: "none",
  },
  "limit-cpu": taking("limit", "SECONDS", "How much processor time one process may take (default: none)", {
    range: [1, 1_000_000_000],
    narrowsOnly: "none",
  }),
  "limit-memory-total": {
    value: "limit",
    placeholder: "BYTES",
    help:
      "How much memory all processes of a command may have, such as 8G; refuses to start if that cannot be enforced",
    range: [16 * 1024 ** 2, Number.MAX_SAFE_INTEGER],
    narrowsOnly: "none",
  },
  "limit-tasks": taking("limit", "N", "As --limit-processes, and refuses to start if that cannot be enforced", {
    range: [8, 4_000_000],
    narrowsOnly: "none",
  }),
  "require-layer": taking("choice", "LAYER", "Refuse to start if the kernel does not provide this layer", {
    repeatable: true,
    choices: SANDBOX_LAYERS,
    project: true,
  }),
  "no-sandbox": { help: "Disable the sandbox: commands run with all your permissions" },
  "sync": {
    help: "Wait for the result of every call (an operation id after 50 s without a progress token)",
    project: true,
  },
  "timeout": taking("number", "SECONDS", "How long a command may run (default: 360; 7200 with until, tty)", {
    range: [0.001, LONGEST_SECONDS],
    projectMost: 21_600,
  }),
  "max-concurrency": taking("count", "N", "How many commands run at once (default: twice the cores, at least 8)", {
    range: [1, 10_000],
    projectMost: 64,
  }),
  "tool-prefix": {
    value: "prefix",
    placeholder: "PREFIX",
    help: "Prefix for the name of each tool, such as ahma_: for clients that mix tools of several servers",
    project: true,
  },
  "tool-style": {
    value: "choice",
    placeholder: "STYLE",
    help: "One tool for each subcommand (leaf, the default), or one for each tool file (program): fewer bytes to list",
    choices: ["leaf", "program"],
    project: true,
  },
  "lean": { help: "List two tools, find_tools and call_tool, instead of the tools of the servers of --mcp-config" },
  "lean-tool-files": { help: "List the same two tools instead of the tools of tool files and bundles" },
  "code-mode": taking(
    "choice",
    "TOOLS",
    "Let scripts call read-only tools, or all, through one more tool; hides tools as --lean",
    {
      choices: ["read", "all"],
    },
  ),
  "inline-wait": taking("number", "MS", "Wait this long for a result before answering with an id (default: 3000)", {
    range: [0, LONGEST_SECONDS * 1000],
    projectMost: 60_000,
  }),
  "max-inline-output": taking("count", "BYTES", "How much output one result shows (default: 10240)", {
    range: [256, 1024 * 1024 * 1024],
    projectMost: 262_144,
  }),
  "keep-results": taking("count", "N", "How many ended operations stay readable (default: 1000)", {
    range: [1, 100_000],
    projectMost: 10_000,
  }),
  "max-spilled-output": {
    value: "count",
    placeholder: "BYTES",
    help: "How much output that does not fit in memory is kept in files (default: 536870912)",
    range: [0, 1024 * 1024 * 1024 * 1024],
  },
  "push-results": {
    help: "Send the result of a call that was already answered as a last progress message",
    project: true,
  },
  "exit-errors": { help: "Mark the result of a command that failed as an error (isError)", project: true },
  "keep-ansi": { help: "Keep colours and cursor movements in output", project: true },
  "shell": taking("text", "PATH", "The shell for command lines (default: bash, else sh)"),
  "shell-idle": taking("number", "SECONDS", "End a sandboxed_shell session after this idle time (default: 7200)", {
    range: [0.001, LONGEST_SECONDS],
    project: true,
  }),
  "no-pool": { help: "Start a new process for every command instead of keeping some ready", project: true },
  "no-reuse": { help: "Run each command in a new sandbox instead of reusing one" },
  "shell-fork": taking("choice", "WHEN", "Fork a shell for each line: auto (where it can), off (default: auto)", {
    choices: ["auto", "off"],
  }),
  "no-hot-reload": { help: "Read the tool files only once, not again when they change", project: true },
  "undo": { help: "Record what each call changes in the scope, to show and undo it (docs/undo.md)" },
  "undo-ignored": taking("limit", "SIZE", "How much of ignored files --undo keeps (default: 64M)", {
    range: [0, 1024 * 1024 * 1024 * 1024],
  }),
  "preview": { help: "Let calls run on a copy of the scope, and change nothing until it is applied (docs/preview.md)" },
  "preview-most": taking("limit", "SIZE", "How much disk space all previews of this server may take (default: 4G)", {
    range: [1, 1024 * 1024 * 1024 * 1024],
  }),
  "audit-log": taking("text", "FILE", "Log every command to this file, and run none that cannot be logged", {
    refuseEmpty: true,
  }),
  "otlp": taking("text", "URL", "Report calls to the OpenTelemetry collector at this address (docs/telemetry.md)", {
    refuseEmpty: true,
  }),
  ...HTTP_FLAGS,
  "log-to-stderr": { help: "Log to stderr instead of the daily file" },
  "debug": { help: "Log more", project: true },
  ...ofSubcommands({
    "tool-name": taking("text", "TOOL", "Call this tool and exit; see call"),
    "tool-args": taking("text", "JSON", "The arguments of --tool-name"),
    "list-tools": { help: "The same as the subcommand" },
    "validate": { help: "The same as the subcommand" },
    "http": taking("text", "URL", "List the tools of the server at this address"),
    "no-sandbox-server": { help: "Disable the sandbox: the other server runs with all your permissions" },
    "json": { help: "Print JSON" },
    "sandbox": { help: "Print only what the sandbox enforces on this machine" },
    "project": { help: "Print only what the project in the scope needs, and what of that works" },
    "denials": { help: "Print only what the audit log says was denied, and what would allow it" },
    "policy": taking("text", "FILE", "Print only what this file would enforce as the policy of a machine"),
    "since": taking("text", "TIME", "How far back: hours, days or weeks, as in 12h, 7d, 2w (default: 7d)"),
    "result-json": { help: "Print the MCP result instead of the output" },
    "quiet": { help: "No status lines on stderr" },
    "client": taking("choice", "NAME", "The client whose settings to change", {
      choices: CLIENT_NAMES,
      repeatable: true,
    }),
    "all": { help: "All of them" },
    "watch": { help: "Show changes as they come, until ctrl-c" },
    "tool": taking("text", "TOOL", "Only this tool"),
    "in": taking("directory", "DIRECTORY", "Only commands that started in this directory or below it"),
    "port": taking("count", "PORT", "The port (default: any free one)", { range: [0, 65_535] }),
    "no-open": { help: "Open no browser" },
    "follow": { help: "Print what is written until the operation ends" },
    "dry-run": { help: "Show what would change, and change nothing" },
    "check": { help: "Ask the npm registry for the newest version" },
    "yes": { help: "Change files without asking" },
    // Those of "auth login" (O3).
    "client-id": taking("text", "ID", "The id of a client registered at the server for this program"),
    "client-secret-env": taking("name", "NAME", "The variable that holds the secret of --client-id"),
    "client-metadata-url": {
      value: "text",
      placeholder: "URL",
      help: "A public document that describes the client; its address is the id if the server supports such documents",
    },
    "scopes": taking(
      "text",
      "SCOPES",
      "Scopes to request, separated by spaces, instead of those that the server names",
      LIST,
    ),
    "oauth-port": taking("count", "PORT", "Port that the browser returns to (default: 8080, or a free one)", {
      range: [0, 65_535],
    }),
    "oauth-timeout": taking("number", "SECONDS", "How long a person may take to log in (default: 300)", {
      range: [0.001, LONGEST_SECONDS],
    }),
  }),
  "help": { help: "Show this text" },
  "version": { help: "Show the version" },
} as const satisfies Readonly<Record<string, FlagRow>>;

/** A flag's name, without the dashes. */
export type FlagName = keyof typeof FLAGS;

/** Flags that concern one run only. */
const WITHOUT_VARIABLE: readonly FlagName[] = ["help", "version"];

/** The table's row in its general form. */
export function flagNamed(name: FlagName): Flag {
  const row: FlagRow = FLAGS[name];
  const variable = `AHMA_${name.toUpperCase().replaceAll("-", "_")}`;
  const hasVariable = row.own !== true && !WITHOUT_VARIABLE.includes(name);
  const isBounded = row.narrowsOnly !== undefined || row.projectMost !== undefined;
  return {
    value: "none",
    placeholder: "",
    ...row,
    ...hasVariable && { variable },
    ...isBounded && { project: true },
  };
}

/** Every flag's name, in the order of the help text. */
export const FLAG_NAMES = Object.keys(FLAGS) as readonly FlagName[]; // the keys of a constant object are known

/** Flags that configure the server, without those of single subcommands. */
export const SERVER_FLAGS: readonly FlagName[] = FLAG_NAMES.filter((name) => flagNamed(name).own !== true);
