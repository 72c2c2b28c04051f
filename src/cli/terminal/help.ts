/** The help texts, made from the tables of flags and subcommands (requirement L1). */
import { type Colours, colours } from "./colours.ts";
import { FLAG_NAMES, type FlagName, flagNamed, SERVER_FLAGS } from "../../settings/flags/flags.ts";
import { mayRepeat } from "../../settings/flags/flag.ts";
import { factsOf, type Subcommand, SUBCOMMANDS } from "../../settings/flags/subcommands.ts";

/** Longest line of the help, characters. */
const WIDTH = 100;

interface HelpOptions {
  /** Whether the help may be coloured. */
  readonly colour: boolean;
  /** Undefined: the whole program. */
  readonly subcommand?: Subcommand | undefined;
}

/** One row of a table: the typed words, and their purpose. */
type Row = readonly [typed: string, help: string];

/** The help of the program or of one subcommand. */
export function helpText({ colour, subcommand }: HelpOptions): string {
  const style = colours(colour);
  return subcommand === undefined ? programHelp(style) : subcommandHelp(subcommand, style);
}

function programHelp(style: Colours): string {
  const { bold } = style;
  const flags = FLAG_NAMES.filter((name) => SERVER_FLAGS.includes(name)).map(flagRow);
  return [
    bold("ahma_mcp") + ": command-line programs as MCP tools, each command inside a kernel sandbox",
    "",
    bold("Usage") + ": ahma_mcp [serve] [flags]",
    "       ahma_mcp SUBCOMMAND [flags] [...]",
    "",
    bold("Subcommands") + ' ("ahma_mcp help SUBCOMMAND" explains one)',
    ...table(SUBCOMMANDS.map((name) => [name, factsOf(name).summary]), style),
    "",
    bold("Flags") + " (the variable in brackets does the same; the flag wins)",
    ...table(flags, style),
    "",
    bold("Examples"),
    ...examples("serve", style),
    "",
    "Lists in variables are separated by : (directories) or , (names). After flags and variables come the",
    "settings files: .ahma/settings.json (ignored where it loosens the sandbox),",
    "then ~/.config/ahma/settings.json.",
    "Exit codes: 0 success, 1 refused or failed, 2 wrong usage.",
    "",
  ].join("\n");
}

function subcommandHelp(subcommand: Subcommand, style: Colours): string {
  const { summary, usage, details, flags, serverFlags } = factsOf(subcommand);
  const rows = flags.map((name): Row =>
    subcommand === "schema" ? ["--write FILE", "Write it to this file"] : flagRow(name)
  );
  return [
    `${style.bold(`ahma_mcp ${subcommand}`)}: ${summary}`,
    "",
    `${style.bold("Usage")}: ahma_mcp ${subcommand}${usage === "" ? "" : ` ${usage}`}`,
    ...details.flatMap((paragraph) => ["", ...wrapped(paragraph, WIDTH)]),
    ...rows.length === 0 ? [] : ["", style.bold("Flags"), ...table(rows, style)],
    ...serverFlags ? ["", 'The flags of the server apply here too: see "ahma_mcp --help".'] : [],
    "",
    style.bold("Examples"),
    ...examples(subcommand, style),
    "",
  ].join("\n");
}

function examples(subcommand: Subcommand, { cyan }: Colours): string[] {
  return factsOf(subcommand).examples.map(([command, purpose]) => `  ${cyan(command)}\n      ${purpose}`);
}

function flagRow(name: FlagName): Row {
  const { placeholder, help, variable } = flagNamed(name);
  const typed = `--${name}${placeholder === "" ? "" : ` ${placeholder}`}`;
  const again = mayRepeat(flagNamed(name)) ? `${help}; may be repeated` : help;
  return [typed, again + (variable === undefined ? "" : ` [${variable}]`)];
}

/** Rows with their texts in one column, wrapped; `widest`: of the words before it. */
export function table(rows: readonly Row[], { cyan }: Colours, widest = WIDTH): string[] {
  const column = Math.min(widest, Math.max(...rows.map(([typed]) => typed.length)) + 2);
  return rows.map(([typed, help]) => {
    const lines = wrapped(help, WIDTH - column - 2);
    return `  ${cyan(typed.padEnd(column))}${lines.join(`\n${" ".repeat(column + 2)}`)}`;
  });
}

/** `text` in lines of at most `width` characters, broken at spaces; a longer word gets its own line. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
