import { factsOf, type Subcommand, SUBCOMMANDS } from "../../../settings/flags/subcommands.ts";
import {
  completedFlags,
  completedOperands,
  type Completion,
  FLAGS_BEFORE_VALUES,
  TOOL_NAMES,
} from "./completion_words.ts";

/** The script for fish 3 and later. */
export function fishScript(): string {
  const subcommands = SUBCOMMANDS.map((name) =>
    `complete -c ahma_mcp -n __fish_use_subcommand -f -a ${name} -d ${quoted(factsOf(name).summary)}`
  );
  return [
    "# fish completions of ahma_mcp: ahma_mcp completions fish > ~/.config/fish/completions/ahma_mcp.fish",
    "function __ahma_mcp_tool_named",
    "    set -l previous call",
    "    for word in (commandline -opc)[3..]",
    `        if not string match -q -- '-*' $word; and not contains -- $previous ${FLAGS_BEFORE_VALUES.join(" ")}`,
    "            return 0",
    "        end",
    "        set previous $word",
    "    end",
    "    return 1",
    "end",
    "complete -c ahma_mcp -e",
    "complete -c ahma_mcp -f",
    ...subcommands,
    ...SUBCOMMANDS.flatMap(linesOf),
    "",
  ].join("\n");
}

function linesOf(subcommand: Subcommand): readonly string[] {
  const seen = `__fish_seen_subcommand_from ${subcommand}`;
  const condition = subcommand === "serve"
    ? `__fish_use_subcommand; or ${seen}`
    : subcommand === "call"
    ? `${seen}; and not __ahma_mcp_tool_named`
    : seen;
  const start = `complete -c ahma_mcp -n ${quoted(condition)}`;
  const flags = completedFlags(subcommand).map(({ name, help, value }) =>
    `${start} -l ${name} -d ${quoted(help)}${generator(value, "flag")}`
  );
  const operands = generator(completedOperands(subcommand), "operand");
  return operands === "" ? flags : [...flags, `${start}${operands}`];
}

function generator(completion: Completion, of: "flag" | "operand"): string {
  const [alone, value] = of === "flag" ? [" -x", " -r"] : [" -f", ""];
  if (completion.kind === "words") return `${alone} -a ${quoted(completion.words.join(" "))}`;
  const generators: Readonly<Record<typeof completion.kind, string>> = {
    nothing: "",
    free: " -x",
    directories: `${alone} -a '(__fish_complete_directories)'`,
    files: `${value} -F`,
    commands: " -f -a '(__fish_complete_command)'",
    tools: ` -f -a ${quoted(`(${TOOL_NAMES})`)}`,
  };
  return generators[completion.kind];
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
