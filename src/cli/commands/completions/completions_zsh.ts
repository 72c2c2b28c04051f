import { quote } from "../../../base/text.ts";
import { factsOf, SUBCOMMANDS } from "../../../settings/flags/subcommands.ts";
import { completedFlags, completedOperands, type Completion, TOOL_NAMES } from "./completion_words.ts";

/** The script for zsh: a file \`_ahma_mcp\` in a directory of its fpath, or sourced after compinit. */
export function zshScript(): string {
  const names = SUBCOMMANDS.map((name) => `    ${quote(`${name}:${factsOf(name).summary}`)}`);
  const cases = SUBCOMMANDS.map((subcommand) => {
    const flags = completedFlags(subcommand).map(({ name, help, value, repeatable }) => {
      const again = repeatable ? "*" : "";
      const action = value.kind === "nothing" ? "" : `:${name}:${generator(value)}`;
      return `        ${quote(`${again}--${name}[${escaped(help)}]${action}`)}`;
    });
    const operands = completedOperands(subcommand);
    // Words after a tool's name belong to the tool.
    const [only, place] = operands.kind === "tools" ? [" -A '-*'", "1"] : ["", "*"];
    return `    ${subcommand})\n      _arguments${only} \\\n${flags.join(" \\\n")} \\\n        ${
      quote(`${place}: :${generator(operands)}`)
    } ;;`;
  });
  return `#compdef ahma_mcp
# zsh completions of ahma_mcp: ahma_mcp completions zsh > a directory of fpath/_ahma_mcp
_ahma_mcp_tools() {
  local -a names
  names=(\${(f)"$(${TOOL_NAMES})"})
  compadd -a names
}
_ahma_mcp() {
  local -a subcommands
  subcommands=(
${names.join("\n")}
  )
  local subcommand=serve
  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
    _describe subcommand subcommands
    return
  fi
  if [[ $words[2] != -* ]] && ((CURRENT > 2)); then
    subcommand=$words[2]
    shift words
    ((CURRENT--))
  fi
  case $subcommand in
${cases.join("\n")}
  esac
}
if [[ $funcstack[1] == _ahma_mcp ]]; then _ahma_mcp "$@"; else compdef _ahma_mcp ahma_mcp; fi
`;
}

const GENERATORS: Readonly<Record<Exclude<Completion["kind"], "words">, string>> = {
  nothing: "",
  free: "",
  directories: "_files -/",
  files: "_files",
  commands: "_command_names -e",
  tools: "_ahma_mcp_tools",
};

function generator(completion: Completion): string {
  return completion.kind === "words" ? `(${completion.words.join(" ")})` : GENERATORS[completion.kind];
}

/** Brackets and colons end the parts of a description. */
function escaped(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, "\\$&");
}
