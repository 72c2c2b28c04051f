import { SUBCOMMANDS } from "../../../settings/flags/subcommands.ts";
import {
  completedFlags,
  completedOperands,
  type Completion,
  FLAGS_BEFORE_VALUES,
  TOOL_NAMES,
} from "./completion_words.ts";

/** The script for bash 4 and later; it needs no bash-completion package. */
export function bashScript(): string {
  const cases = SUBCOMMANDS.map((subcommand) => {
    const flags = completedFlags(subcommand);
    const values = flags.filter(({ value }) => value.kind !== "nothing")
      .map(({ name, value }) => `        --${name}) ${generator(value)}; return ;;`);
    const words = flags.map(({ name }) => `--${name}`).join(" ");
    return [
      `    ${subcommand})`,
      "      case $previous in",
      ...values,
      "      esac",
      "      case $current in",
      `        -*) COMPREPLY=($(compgen -W "${words}" -- "$current")) ;;`,
      `        *) ${generator(completedOperands(subcommand))} ;;`,
      "      esac ;;",
    ].join("\n");
  });
  return `# bash completions of ahma_mcp: eval "$(ahma_mcp completions bash)"
_ahma_mcp() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} subcommand=serve word index
  local values="${FLAGS_BEFORE_VALUES.join(" ")}"
  COMPREPLY=()
  case \${COMP_WORDS[1]} in
    ${SUBCOMMANDS.join("|")}) ((COMP_CWORD > 1)) && subcommand=\${COMP_WORDS[1]} ;;
  esac
  for ((index = 2; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ $word == -- ]]; then COMPREPLY=($(compgen -f -- "$current")); return; fi
    if [[ $subcommand == call && $word != -* && " $values " != *" \${COMP_WORDS[index-1]} "* ]]; then return; fi
  done
  if ((COMP_CWORD == 1)) && [[ $current != -* ]]; then
    COMPREPLY=($(compgen -W "${SUBCOMMANDS.join(" ")}" -- "$current"))
    return
  fi
  case $subcommand in
${cases.join("\n")}
  esac
}
complete -o filenames -o bashdefault -F _ahma_mcp ahma_mcp
`;
}

const GENERATORS: Readonly<Record<Exclude<Completion["kind"], "words">, string>> = {
  nothing: ":",
  free: ":",
  directories: 'COMPREPLY=($(compgen -d -- "$current"))',
  files: 'COMPREPLY=($(compgen -f -- "$current"))',
  commands: 'COMPREPLY=($(compgen -W "--" -- "$current"))',
  tools: `COMPREPLY=($(compgen -W "$(${TOOL_NAMES})" -- "$current"))`,
};

function generator(completion: Completion): string {
  return completion.kind === "words"
    ? `COMPREPLY=($(compgen -W "${completion.words.join(" ")}" -- "$current"))`
    : GENERATORS[completion.kind];
}
