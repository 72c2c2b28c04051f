/**
 * Writes docs/reference.md: every flag, variable and key of a settings file, from the tables that the program uses.
 * scripts/reference_test.ts compares the two.
 *
 *   deno task reference
 */
import { FLAG_NAMES, type FlagName, flagNamed, SERVER_FLAGS } from "../src/settings/flags/flags.ts";
import { mayRepeat } from "../src/settings/flags/flag.ts";
import { factsOf, SUBCOMMANDS } from "../src/settings/flags/subcommands.ts";

const FILE = new URL("../docs/reference.md", import.meta.url);

const HEAD = `# Reference

Generated from the program's tables by \`deno task reference\`. A value comes from the first place that names it: the flag,
the variable, \`.ahma/settings.json\` of the project, \`~/.config/ahma/settings.json\` of the user (or \`ahma/settings.json\`
in \`XDG_CONFIG_HOME\`), the default. A switch is \`true\` or \`false\` in a file, \`1\` or \`0\` in a variable. A repeatable flag is a list in a file. In a variable, \`:\` separates paths and \`,\` everything else. A flag and a file also
accept several names in one text, as in \`--env A,B\`.

The column **project** says what the project's file may set. Commands can write that file, so it can only
restrict them. *Narrower* means a value that allows no more than the user's file or the default; *adds* means that its
items are added to the user's list.

## The server
`;

const REST = `
## Variables without a flag

| variable          | meaning                                                                                         |
| ----------------- | ----------------------------------------------------------------------------------------------- |
| \`AHMA_DENO\`       | The runtime that the start script uses: a path, or a name on the PATH (default: deno)           |
| \`HOME\`            | The home directory: never a scope by itself; holds settings, caches and state                   |
| \`PATH\`            | Where the server and commands find programs; tool chains on it are readable          |
| \`XDG_CONFIG_HOME\` | Holds \`ahma/settings.json\` (default: ~/.config)                                                 |
| \`XDG_CACHE_HOME\`  | Holds \`ahma_mcp\`: logs and the caches of package managers (default: ~/.cache)                   |
| \`XDG_STATE_HOME\`  | Holds the token of \`--require-token\`, logins to other servers, and grants of \`--ask\` (default: ~/.local/state) |
| \`XDG_RUNTIME_DIR\` | Holds \`ahma_mcp\`: sockets of servers, for \`attach\`, \`ps\` and \`grants\` (default: below XDG_STATE_HOME)             |
| \`DENO_DIR\`        | The runtime's own cache; it must not be in a scope                                             |
| \`NO_COLOR\`        | Set to anything: no colour on a terminal                                                        |

[guide.md](guide.md#flags) explains the flags that matter most, [security.md](security.md) those of the sandbox, and
[http.md](http.md) those of \`--mode http\`.
`;

/** The whole page, formatted as the other documents are. */
export async function referenceText(): Promise<string> {
  const format = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--no-config", "--line-width", "120", "--ext", "md", "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = format.stdin.getWriter();
  await writer.write(new TextEncoder().encode([HEAD, serverTable(), ownTable(), REST].join("\n")));
  await writer.close();
  return new TextDecoder().decode((await format.output()).stdout);
}

function serverTable(): string {
  const names = FLAG_NAMES.filter((name) => SERVER_FLAGS.includes(name) && flagNamed(name).variable !== undefined);
  return table(
    ["flag", "variable", "key", "default", "project", "meaning"],
    names.map((name) => [
      typed(name),
      code(flagNamed(name).variable ?? ""),
      code(name.replaceAll("-", "_")),
      defaultOf(name),
      projectMay(name),
      meaningOf(name),
    ]),
  );
}

/** Flags of some subcommands only. */
function ownTable(): string {
  const names = FLAG_NAMES.filter((name) => !SERVER_FLAGS.includes(name));
  const owners = (name: FlagName) => SUBCOMMANDS.filter((one) => factsOf(one).flags.includes(name));
  return "\n## Flags of subcommands\n\n" +
    table(
      ["flag", "of", "meaning"],
      names.map((name) => [
        typed(name),
        owners(name).map(code).join(", ") || "no subcommand",
        meaningOf(name),
      ]),
    );
}

function typed(name: FlagName): string {
  const flag = flagNamed(name);
  return code(`--${name} ${flag.placeholder}`.trim()) + (mayRepeat(flag) ? " (repeatable)" : "");
}

const DEFAULT = / ?\(default: ([^)]*)\)/;

function defaultOf(name: FlagName): string {
  const { value, help, narrowsOnly } = flagNamed(name);
  return DEFAULT.exec(help)?.[1] ?? narrowsOnly ?? (value === "none" ? "off" : "");
}

function meaningOf(name: FlagName): string {
  const { help, choices } = flagNamed(name);
  const unnamed = choices?.some((choice) => !help.includes(choice)) === true;
  return help.replace(DEFAULT, "") + (unnamed ? `: ${choices?.map(code).join(", ")}` : "");
}

function projectMay(name: FlagName): string {
  const { project, projectMost, narrowsOnly, repeatable } = flagNamed(name);
  if (project !== true) return "no";
  if (projectMost !== undefined) return `up to ${projectMost}`;
  if (repeatable === true) return "adds";
  if (name.endsWith("-dir") && flagNamed(name).project === true) return "inside the project";
  return narrowsOnly !== undefined || name === "require-abi" || name === "strict" ? "narrower" : "yes";
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) await Deno.writeTextFile(FILE, await referenceText());
