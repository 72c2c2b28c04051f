/** The scripts of `completions`, in the shells they are for. For a tool's name all are listed: each shell completes one. */
import assert from "node:assert/strict";
import { runShellLine } from "./_support/terminal.ts";
import { exists, Workbench } from "./_support/workbench.ts";

/** Rows of what a shell wrote for each line, which "--" ends. */
function perLine(lines: readonly string[], stdout: string): Readonly<Record<string, readonly string[]>> {
  const answers = stdout.split(/^--\n/m).map((text) => text.split("\n").filter((row) => row !== ""));
  assert.strictEqual(answers.length, lines.length + 1, stdout);
  return Object.fromEntries(lines.map((line, index) => [line, answers[index] ?? []]));
}

const PROGRAMS = ["bash", "cut", "fish", "git", "sort", "timeout", "zsh"];
const FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin"];

/** Words that run a shell with few programs: what lists tools starts each one that it finds, to ask for its version. */
function withFewPrograms(bench: Workbench): readonly string[] {
  bench.write("few/.keep", "");
  for (const program of PROGRAMS) {
    const folder = FOLDERS.find((one) => exists(`${one}/${program}`));
    if (folder !== undefined) Deno.symlinkSync(`${folder}/${program}`, `${bench.scope}/few/${program}`);
  }
  return ["env", `PATH=${bench.parent}/bin:${bench.scope}/few`];
}

const CLIENTS = ["claude", "claude-desktop", "codex", "continue", "copilot", "cursor"];

Deno.test("L1 bash completes subcommands, flags, values, files and tools", async () => {
  using bench = new Workbench();
  bench.write("tools/a.json", "{}");
  const expected: Readonly<Record<string, readonly string[]>> = {
    "ahma_mcp va": ["validate"],
    "ahma_mcp --no-hot": ["--no-hot-reload"],
    "ahma_mcp validate --str": ["--strict"],
    "ahma_mcp validate to": ["tools"],
    "ahma_mcp init --client c": CLIENTS,
    "ahma_mcp --mode ": ["http", "list-tools", "stdio"],
    "ahma_mcp completions ": ["bash", "fish", "zsh"],
    "ahma_mcp servers te": ["test"],
    "ahma_mcp grants re": ["revoke"],
    "ahma_mcp logs --f": ["--follow"],
    "ahma_mcp call --sync --timeout 9 git_statu": ["git_status"],
    "ahma_mcp call git_status ": [],
    "ahma_mcp call --timeout 9 git_status --ti": [],
  };
  const script = `eval "$(ahma_mcp completions bash)"
    while IFS= read -r -u 3 COMP_LINE; do
      COMP_POINT=\${#COMP_LINE} COMPREPLY=()
      read -ra COMP_WORDS <<< "$COMP_LINE"
      [[ $COMP_LINE == *" " ]] && COMP_WORDS+=("")
      COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      _ahma_mcp
      printf '%s\\n' "\${COMPREPLY[@]}" | LC_ALL=C sort
      echo --
    done 3<<< "$1"`;
  const lines = Object.keys(expected);
  const { stdout, stderr } = await runShellLine(
    bench,
    [...withFewPrograms(bench), "bash", "-c", script, "bash"],
    lines.join("\n"),
  );
  assert.strictEqual(stderr, "");
  assert.deepStrictEqual(perLine(lines, stdout), expected);
});

Deno.test({
  name: "L1 zsh completes subcommands, flags and values",
  ignore: !await isInstalled("zsh"), // only where zsh is not installed; the full gate installs it
  async fn() {
    using bench = new Workbench();
    const completed: Readonly<Record<string, string>> = {
      "ahma_mcp va": "ahma_mcp validate ",
      "ahma_mcp validate --stri": "ahma_mcp validate --strict ",
      "ahma_mcp completions f": "ahma_mcp completions fish ",
      "ahma_mcp init --client vs": "ahma_mcp init --client vscode ",
      "ahma_mcp call --timeout 9 git_statu": "ahma_mcp call --timeout 9 git_status ",
      "ahma_mcp call git_status git_statu": "ahma_mcp call git_status git_statu",
    };
    const lines = Object.keys(completed);
    assert.deepStrictEqual(await zshLines(bench, lines), Object.values(completed));
  },
});

/** What each line of an interactive zsh is when Tab was pressed at its end; Control-X prints it, Control-U empties it. */
async function zshLines(bench: Workbench, lines: readonly string[]): Promise<readonly (string | undefined)[]> {
  const script = `zmodload zsh/zpty
    zpty terminal zsh -f -i
    zpty -w terminal "PS1=; autoload -Uz compinit; compinit -D -u; source <(ahma_mcp completions zsh)"
    zpty -w terminal 'show() { print -r -- "<$BUFFER>" }; zle -N show; bindkey "^X" show; print rea""dy'
    zpty -r -m terminal shown "*ready*"
    for line in "\${(f)1}"; do
      zpty -w -n terminal "$line"$'\\t\\x18'
      zpty -r -m terminal shown "*<*>*"
      print -r -- "$shown"
      print -r -- --
      zpty -w -n terminal $'\\x15'
    done
    zpty -d terminal`;
  const { stdout } = await runShellLine(bench, [
    ...withFewPrograms(bench),
    "timeout",
    "30",
    "zsh",
    "-f",
    "-c",
    script,
    "zsh",
  ], lines.join("\n"));
  return stdout.split(/^--\r?\n/m).slice(0, -1).map((shown) => /<(ahma_mcp.*)>/.exec(shown)?.[1]);
}

Deno.test({
  name: "L1 fish completes subcommands, flags, values and tools",
  ignore: !await isInstalled("fish"), // only where fish is not installed; the full gate installs it
  async fn() {
    using bench = new Workbench();
    const expected: Readonly<Record<string, readonly string[]>> = {
      "ahma_mcp va": ["validate"],
      "ahma_mcp validate --str": ["--strict"],
      "ahma_mcp init --client c": CLIENTS,
      "ahma_mcp --no-hot": ["--no-hot-reload"],
      "ahma_mcp call --timeout 9 git_statu": ["git_status"],
      "ahma_mcp call git_status ": [],
    };
    const script = "ahma_mcp completions fish | source; " +
      "for line in (string split \\n -- $argv[1]); complete -C $line | string replace -r '\\t.*' '' | sort; printf '%s\\n' --; end";
    const lines = Object.keys(expected);
    const { stdout } = await runShellLine(
      bench,
      [...withFewPrograms(bench), "fish", "--no-config", "-c", script],
      lines.join("\n"),
    );
    assert.deepStrictEqual(perLine(lines, stdout), expected);
  },
});

async function isInstalled(program: string): Promise<boolean> {
  const { code } = await new Deno.Command("sh", { args: ["-c", `command -v ${program}`], stdout: "null" }).output();
  return code === 0;
}
