/** The words that may come first, with what the help, the parser and the completions need to know of each. */
import { COMPLETION_SHELLS } from "./actions.ts";
import { OPERATION_SUBCOMMANDS } from "./operation_subcommands.ts";
import type { Row, SubcommandFacts } from "./subcommand.ts";

/** Every subcommand, in the order of the help. */
const SUBCOMMAND_FACTS = {
  "serve": {
    summary: "Serve one MCP client over stdio, or many over HTTP; the default without a subcommand",
    flags: ["no-sandbox-server"],
    serverFlags: true,
    examples: [
      ["ahma_mcp", "Serve the working directory over stdio, as a client starts it"],
      ["ahma_mcp --sandbox-scope ~/project --tools-dir ~/project/.ahma", "A fixed scope and its own tools"],
      ["ahma_mcp --sync --timeout 60", "Every call waits for its result, for a minute at most"],
      ["ahma_mcp --mode http --http-port 3000", "Many clients at http://127.0.0.1:3000/mcp, one scope"],
      ["ahma_mcp --mode http --session-isolation", "A scope for each client: its first root"],
      ["ahma_mcp --log-to-stderr --debug", "See what it does"],
    ],
  },
  "list-tools": {
    summary: "List the tools of this server, or of any other MCP server",
    usage: "[flags] [-- COMMAND ARGS | --http URL]",
    operands: "command",
    flags: ["json", "http", "no-sandbox-server"],
    serverFlags: true,
    details: [
      "Prints a table on a terminal. In a pipe it prints one line per tool: name, parameters and description, separated by tabs.",
      "A server named after -- runs inside the sandbox, with the network and its own private caches. If it is " +
      "silent for 10 s, list-tools gives up; --timeout changes that.",
    ],
    examples: [
      ["ahma_mcp list-tools", "The tools that a client of this directory gets"],
      ["ahma_mcp list-tools --json | jq -r '.tools[].name'", "Names only"],
      ["ahma_mcp list-tools -- npx -y @modelcontextprotocol/server-everything", "Another server, over stdio"],
      ["ahma_mcp list-tools --http http://127.0.0.1:3000/mcp", "Another server, over HTTP"],
    ],
  },
  "validate": {
    summary: "Check tool files: every mistake with its place and remedy",
    usage: "[flags] [FILE or DIR ...]",
    operands: "paths",
    flags: ["json", "strict"],
    serverFlags: true,
    details: ["Without a name it checks the tools directory that the server would use, otherwise tools."],
    examples: [
      ["ahma_mcp validate", "The tool files of this directory"],
      ["ahma_mcp validate tools .ahma/tools/cargo.json --strict", "A directory and a file; warnings count too"],
      ["ahma_mcp validate --json | jq '.problems[]'", "For programs"],
    ],
  },
  "schema": {
    summary: "Print the JSON Schema of tool files",
    usage: "[--write FILE]",
    flags: ["write"],
    details: ["--write FILE writes it to a file instead."],
    examples: [
      ["ahma_mcp schema", "Print it"],
      ["ahma_mcp schema --write mtdf.schema.json", 'Write it, for the "$schema" of a tool file'],
    ],
  },
  "call": {
    summary: "Call one tool: live output, and the command's exit code",
    usage: "[flags] TOOL [--option VALUE ...] [WORD ...] [-- WORD ...]",
    operands: "tool",
    flags: ["result-json", "quiet"],
    serverFlags: true,
    details: [
      "Everything after the tool's name belongs to the tool: its options as flags, its positional arguments as words, and " +
      "--json '{...}' (or --args-json) for all arguments at once. \"ahma_mcp call TOOL --help\" lists them. The shipped " +
      "tools are available without --bundles.",
      "Exit codes: the command's; 128 + N when signal N ended it; 124 at its time limit; 130 when it was cancelled; 1 " +
      "when it could not run; 2 when the arguments are wrong.",
    ],
    examples: [
      ["ahma_mcp call git_status --short", "A shipped tool, or one of this directory"],
      ["ahma_mcp call git_log --json '{\"max-count\": 3}'", "Arguments as an agent sends them"],
      ['ahma_mcp sandboxed_shell --working-directory . -- "echo hi"', "A shell line; the word call is optional here"],
      ['ahma_mcp --tool_name git --tool_args \'{"subcommand":"status"}\'', "The same in flags"],
    ],
  },
  ...OPERATION_SUBCOMMANDS,
  "doctor": {
    summary: "Check this machine, and show your client's settings",
    usage: "[flags]",
    flags: ["json", "sandbox", "project", "denials", "since", "policy"],
    serverFlags: true,
    details: [
      "Checks kernel, Landlock and namespaces; tests what the sandbox denies and allows; checks shells, tool files and prompts; " +
      "lists missing programs and how to install them; prints the settings of a client.",
      "--project reads lock files, tool chains, hooks, sockets and paths in the scope, runs its programs in the sandbox, and " +
      "says what works, what a person has to do, and which flags or settings allow the rest.",
      "--denials summarizes the audit log (--audit-log, or audit_log of the settings): what was denied how often, and the " +
      "settings that would have allowed it. Settings that open much are marked, and left out.",
      "--policy FILE checks a policy of administrators (docs/policy.md) before it is rolled out.",
      "The exit code is 1 if something essential fails.",
    ],
    examples: [
      ["ahma_mcp doctor", "Everything"],
      ["ahma_mcp doctor --sandbox", "What the sandbox denies, one line per capability"],
      ["ahma_mcp doctor --project", "Whether this project builds here, before an agent tries"],
      ["ahma_mcp doctor --denials --since 2w", "What agents could not do, and what would let them"],
      ["ahma_mcp doctor --policy policy.json", "What a policy forbids and forces, and its mistakes"],
      ["ahma_mcp doctor --json | jq '.checks[] | select(.status != \"ok\")'", "Only the problems"],
    ],
  },
  "check-access": {
    summary: "Say whether commands may use a path or reach a host, and by which rule",
    usage: "PATH | HOST[:PORT] [read | list | write | execute | create | remove]",
    operands: "paths",
    flags: ["json"],
    serverFlags: true,
    details: [
      "The answer is that of a server with the same flags and settings, in this directory. Nothing is opened or changed.",
      "The exit code is 0 for yes and 1 for no.",
    ],
    examples: [
      ["ahma_mcp check-access ~/.npmrc", "Whether commands see a file"],
      ["ahma_mcp check-access .git/config write", "Whether they may change one"],
      ["ahma_mcp check-access registry.npmjs.org --network packages", "Whether they reach a host"],
    ],
  },
  "init": {
    summary: "Write a first tool file, and the entry for your client",
    usage: "[--client NAME] [--ask KINDS] [--skills] [--dry-run] [--yes]",
    flags: ["client", "ask", "skills", "dry-run", "yes"],
    details: [
      "The entry goes into the client's settings file; everything else there stays, comments too. init asks before it " +
      "changes a file or creates one in your home. For a library it prints the code.",
      "The entry's commands reach only package registries and git hosts, if this machine can enforce that and " +
      "your settings say nothing else. An existing tool file is not changed.",
      "--skills writes the shipped skill to .claude/skills, for clients that read skills from folders (docs/skills.md).",
    ],
    examples: [
      ["ahma_mcp init", "A tool file in .ahma/tools"],
      ["ahma_mcp init --client vscode", "The entry goes to .vscode/mcp.json"],
      ["ahma_mcp init --client codex --ask read,network", "The entry asks you about what commands are denied"],
      ["ahma_mcp init --client codex --dry-run", "What would change in ~/.codex/config.toml"],
    ],
  },
  "uninstall": {
    summary: "Remove the entry from your client's settings",
    usage: "--client NAME [--dry-run] [--yes]",
    flags: ["client", "dry-run", "yes"],
    details: [
      "uninstall asks before it changes a file. A file without other content is removed. Tool files, settings " +
      "and logs stay; the output names their directories.",
    ],
    examples: [
      ["ahma_mcp uninstall --client vscode", "The entry leaves .vscode/mcp.json"],
      ["ahma_mcp uninstall --client codex --yes", "Without asking"],
    ],
  },
  "migrate": {
    summary: "Copy issues, memos, prompts, workflows and rules of SwissArmyHammer to .ahma",
    usage: "[flags] [--dry-run]",
    flags: ["dry-run"],
    serverFlags: true,
    details: [
      "Issues and memos get front matter; existing files stay, and nothing is removed. A second run copies only " +
      "new files.",
    ],
    examples: [
      ["ahma_mcp migrate --dry-run", "What would be copied"],
    ],
  },
  "accept": {
    summary: "Let git see a repository that a command made",
    usage: "[DIRECTORY]...",
    operands: "paths",
    flags: ["yes"],
    details: [
      "A repository that a command made is set aside if git outside the sandbox would act on more than its history: " +
      "hooks, programs named in its configuration, a .git file. Commands keep using it; git outside does not see it.",
      "accept shows what git would act on, and puts the repository back. Without a directory it lists what is set aside.",
    ],
    examples: [
      ["ahma_mcp accept", "What is set aside in this project"],
      ["ahma_mcp accept vendor/lib", "Show that one, and put it back"],
    ],
  },
  "undo": {
    summary: "Show what operations changed in this project, and undo it",
    usage: "[OPERATION [PATH]...] [flags]",
    operands: "changed",
    flags: ["yes", "json"],
    serverFlags: true,
    details: [
      "A server with --undo keeps what each call changes in the scope. undo lists the last operations of this directory's " +
      "project; with one it shows what that changed, asks, and puts it back. It needs no running server.",
      "Paths that changed since are named and left alone, unless they are given as PATH. Each undo is an operation that can be undone.",
      "The exit code is 1 if something was left alone, or if there is no such operation.",
    ],
    examples: [
      ["ahma_mcp undo", "The last operations, and what they changed"],
      ["ahma_mcp undo op_P48D4J7W", "Show one, and put it back"],
      ["ahma_mcp undo op_P48D4J7W src/main.rs --yes", "One file of it, without a question"],
    ],
  },
  "cache": {
    summary: "List the package manager caches of each project, or clear them",
    usage: "[list] | clear [DIRECTORY]... | clear --all",
    operands: "paths",
    flags: ["all", "json"],
    details: [
      "Each scope has its own cache in ~/.cache/ahma_mcp/scopes: packages, build caches, and programs that package " +
      "managers install for the user. A new clone at the same path finds it again. After 30 days without use it is removed.",
      "What --undo keeps of a project is listed and cleared too; after 7 days without use it is removed.",
      "clear removes the caches of the named scopes, by default that of the current directory. A cache in use by a server stays.",
    ],
    examples: [
      ["ahma_mcp cache", "Size and last use of each"],
      ["ahma_mcp cache clear", "That of this directory"],
      ["ahma_mcp cache clear --all", "All of them"],
    ],
  },
  "grants": {
    summary: "List what you allowed, take it back, and answer what waits for you",
    usage: "[list] | revoke ID or DIRECTORY ... | allow ID [ANSWER] | deny ID",
    operands: "grants",
    flags: ["all", "json"],
    details: [
      "A server with --ask asks you in its client for what a command is denied. What you allow always for a project is kept in " +
      "~/.local/state/ahma/grants, where commands cannot read it. It ends after 30 days without use.",
      "revoke takes it back for all commands that start from then on. DIRECTORY means all grants of that project, --all every one.",
      "Where a client shows no questions, allow and deny answer them here. ANSWER is once, session or project; without it, allow " +
      "chooses the narrowest that is offered.",
      "The exit code is 1 if there is no such grant or question.",
    ],
    examples: [
      ["ahma_mcp grants", "What you allowed, and what waits for your answer"],
      ["ahma_mcp grants allow q_3fa91c session", "Until the server ends"],
      ["ahma_mcp grants deny q_3fa91c", "Not at all"],
      ["ahma_mcp grants revoke g_1a2b3c4d", "Take one back"],
      ["ahma_mcp grants revoke .", "All of this directory's project"],
    ],
  },
  "auth": {
    summary: "Log in to other servers: list, login, logout",
    usage: "list | login SERVER | logout SERVER",
    operands: "login",
    flags: [
      "json",
      "client-id",
      "client-secret-env",
      "client-metadata-url",
      "scopes",
      "oauth-port",
      "oauth-timeout",
    ],
    serverFlags: true,
    details: [
      "SERVER is an address, or a name in the files of --mcp-config, whose entry then says how to log in.",
      "login opens a page of the server in the browser, and prints its address. Without a browser on this machine, paste the " +
      "address where another browser ends.",
      "Tokens are kept in ~/.local/state/ahma/oauth, where commands cannot read them. list-tools --http and servers of --mcp-config use them.",
    ],
    examples: [
      ["ahma_mcp auth login https://mcp.example/mcp", "Log in to a server at an address"],
      ["ahma_mcp auth login github --mcp-config ~/.mcp.json", "Log in to a server that is configured"],
      ["ahma_mcp auth list", "Every login: scopes, expiry, state; never a token"],
      ["ahma_mcp auth logout https://mcp.example/mcp", "Revoke the tokens, and delete them"],
    ],
  },
  "servers": {
    summary: "Show and test the servers behind this one, and approve their changes",
    usage: "list | test [NAME] | diff [NAME] | approve NAME [TOOL]... --mcp-config FILE",
    operands: "servers",
    flags: ["json"],
    serverFlags: true,
    details: [
      "list shows the configured servers, and starts nothing. test starts or connects each server as in real use, in its " +
      "sandbox, and lists what it offers; the exit code is 1 if one fails. Packages for npx or uvx are then downloaded.",
      "A server's tools are trusted as first seen; a tool whose definition changes later is withheld. diff shows " +
      "the changes, approve accepts them.",
    ],
    examples: [
      ["ahma_mcp servers list --mcp-config ~/.mcp.json", "Every server, and what is known about it"],
      [
        "ahma_mcp servers test --mcp-config ~/.mcp.json",
        "Whether each works: version, what it offers, time, or why not",
      ],
      ["ahma_mcp servers diff github --mcp-config ~/.mcp.json", "What it changed; hidden characters are shown escaped"],
      ["ahma_mcp servers approve github --mcp-config ~/.mcp.json", "Trust that"],
    ],
  },
  "prompts": {
    summary: "List prompts, show the source of one, or render it with arguments",
    usage: "[list | show NAME | render NAME KEY=VALUE ...]",
    operands: "prompts",
    flags: ["json"],
    serverFlags: true,
    details: [
      "list shows the prompts that a client of this directory gets, and every mistake in a file with its place; with --prompts " +
      "the shipped ones too. show and render know the shipped prompts without it.",
    ],
    examples: [
      ["ahma_mcp prompts list --prompts", "Every prompt available here"],
      ["ahma_mcp prompts show plan", "Its arguments and template"],
      ['ahma_mcp prompts render plan goal="Start in 50 ms"', "What the model would read"],
    ],
  },
  "rules": {
    summary: "Check files against rules, or list the rules",
    usage: "check [PATH]... [OPTION]... | list",
    operands: "rules",
    serverFlags: true,
    details: [
      "check prints findings as file:line:column. Options are those of the tool rules_check: --changed, --severity, " +
      '--rule-names, --category and more; "ahma_mcp rules check --help" lists them. Flags of the server come before check.',
      "Exit codes: 0 if no finding is an error; 1 if one is; 2 if the check or one of its rules could not run.",
    ],
    examples: [
      ["ahma_mcp rules check", "The whole project"],
      ["ahma_mcp rules check --changed --severity warning", "Uncommitted files, without hints"],
      ["ahma_mcp rules check src tests/a_test.ts", "A part of it"],
      ["ahma_mcp rules list", "Every rule, and mistakes in rule files"],
    ],
  },
  "completions": {
    summary: "Print a script that completes commands, flags and tools",
    usage: COMPLETION_SHELLS.join("|"),
    operands: "shell",
    examples: [
      ['eval "$(ahma_mcp completions bash)"', "bash, in ~/.bashrc"],
      ["ahma_mcp completions zsh > ~/.zfunc/_ahma_mcp", "zsh, in a directory of its fpath"],
      ["ahma_mcp completions fish > ~/.config/fish/completions/ahma_mcp.fish", "fish"],
    ],
  },
  "version": {
    summary: "Show the version; with --check, ask whether there is a newer one",
    usage: "[--check]",
    flags: ["check"],
    details: [
      "--check asks the npm registry, or the mirror that npm_config_registry names. No other part of the program asks " +
      "for updates. The exit code is 1 without an answer.",
    ],
    examples: [["ahma_mcp version --check", "Is this the newest version?"]],
  },
  "help": {
    summary: "Explain a subcommand",
    usage: "[SUBCOMMAND]",
    operands: "subcommand",
    examples: [["ahma_mcp help call", "The same as ahma_mcp call --help"]],
  },
} as const satisfies Readonly<Record<string, Row>>;

/** A word that may come first. */
export type Subcommand = keyof typeof SUBCOMMAND_FACTS;

/** Every subcommand, in the order of the help. */
export const SUBCOMMANDS = Object.keys(SUBCOMMAND_FACTS) as readonly Subcommand[]; // the keys of a constant object

/** The table's row in its general form. */
export function factsOf(subcommand: Subcommand): SubcommandFacts {
  return { usage: "", operands: "none", flags: [], serverFlags: false, details: [], ...SUBCOMMAND_FACTS[subcommand] };
}
