/** The scripts of `completions`, in the shells they are for. */
import assert from "node:assert/strict";
import { runShellLine } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";

/** What bash offers for a line, sorted. */
async function bashOffers(bench: Workbench, line: string): Promise<readonly string[]> {
  const script = `eval "$(ahma_mcp completions bash)"
    COMP_LINE=$1 COMP_POINT=\${#1}
    read -ra COMP_WORDS <<< "$1"
    [[ $1 == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _ahma_mcp
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = await runShellLine(bench, ["bash", "-c", script, "bash"], line);
  assert.strictEqual(stderr, "");
  return stdout.split("\n").filter((word) => word !== "").sort();
}

Deno.test("L1 bash completes subcommands, flags, values, files and tools", async () => {
  using bench = new Workbench();
  bench.write("tools/a.json", "{}");
  assert.deepStrictEqual(await bashOffers(bench, "ahma_mcp va"), ["validate"]);
  assert.deepStrictEqual(await bashOffers(bench, "ahma_mcp --no-hot"), ["--no-hot-reload"]);
  assert.deepStrictEqual(await bashOffers(bench, "ahma_mcp validate --str"), ["--strict"]);
  assert.deepStrictEqual(await bashOffers(bench, "ahma_mcp validate to"), ["tools"]);
  assert.deepStrictEqual(await bashOffers(bench, "ahma_mcp init --client c"), [
    "claude",
    "claude-desktop",
    "codex",
    "cursor",
  ]);
  assert.deepStrictEqual(await bashOffers(bench, "ahma_mcp --mode "), ["http", "list-tools", "stdio"]);
  assert.deepStrictEqual(await bashOffers(bench, "ahma_mcp completions "), ["bash", "fish", "zsh"]);
  assert.deepStrictEqual(await bashOffers(bench, "ahma_mcp call git_statu"), ["git_status"]);
  assert.deepStrictEqual(await bashOffers(bench, "ahma_mcp call --sync --timeout 9 git_statu"), ["git_status"]);
  assert.deepStrictEqual(await bashOffers(bench, "ahma_mcp call git_status "), []);
  assert.deepStrictEqual(await bashOffers(bench, "ahma_mcp call --timeout 9 git_status --ti"), []);
});

Deno.test({
  name: "L1 zsh completes subcommands, flags and values",
  ignore: !await isInstalled("zsh"), // only where zsh is not installed; .ci/run installs it
  async fn() {
    using bench = new Workbench();
    const completed: Record<string, string> = {
      "ahma_mcp va": "ahma_mcp validate ",
      "ahma_mcp validate --stri": "ahma_mcp validate --strict ",
      "ahma_mcp completions f": "ahma_mcp completions fish ",
      "ahma_mcp init --client vs": "ahma_mcp init --client vscode ",
      "ahma_mcp call git_statu": "ahma_mcp call git_status ",
      "ahma_mcp call --timeout 9 git_statu": "ahma_mcp call --timeout 9 git_status ",
      "ahma_mcp call git_status git_statu": "ahma_mcp call git_status git_statu",
    };
    for (const [line, whole] of Object.entries(completed)) assert.strictEqual(await zshLine(bench, line), whole);
  },
});

/** What the line of an interactive zsh is when Tab was pressed at its end; Control-X prints it. */
async function zshLine(bench: Workbench, line: string): Promise<string | undefined> {
  const script = `zmodload zsh/zpty
    zpty terminal zsh -f -i
    zpty -w terminal "PS1=; autoload -Uz compinit; compinit -D -u; source <(ahma_mcp completions zsh)"
    zpty -w terminal 'show() { print -r -- "<$BUFFER>" }; zle -N show; bindkey "^X" show; print rea""dy'
    zpty -r -m terminal shown "*ready*"
    zpty -w -n terminal "$1"$'\\t\\x18'
    zpty -r -m terminal shown "*<*>*"
    print -r -- "$shown"
    zpty -d terminal`;
  const { stdout } = await runShellLine(bench, ["timeout", "30", "zsh", "-f", "-c", script, "zsh"], line);
  return /<(ahma_mcp.*)>/.exec(stdout)?.[1];
}

Deno.test({
  name: "L1 fish completes subcommands, flags, values and tools",
  ignore: !await isInstalled("fish"), // only where fish is not installed; .ci/run installs it
  async fn() {
    using bench = new Workbench();
    const offers = async (line: string) => {
      const script = "ahma_mcp completions fish | source; complete -C $argv[1]";
      const { stdout } = await runShellLine(bench, ["fish", "--no-config", "-c", script], line);
      return stdout.trimEnd().split("\n").map((row) => row.split("\t")[0]).sort();
    };
    assert.deepStrictEqual(await offers("ahma_mcp va"), ["validate"]);
    assert.deepStrictEqual(await offers("ahma_mcp validate --str"), ["--strict"]);
    assert.deepStrictEqual(await offers("ahma_mcp init --client c"), ["claude", "claude-desktop", "codex", "cursor"]);
    assert.deepStrictEqual(await offers("ahma_mcp --no-hot"), ["--no-hot-reload"]);
    assert.deepStrictEqual(await offers("ahma_mcp call git_statu"), ["git_status"]);
    assert.deepStrictEqual(await offers("ahma_mcp call --timeout 9 git_statu"), ["git_status"]);
    assert.deepStrictEqual(await offers("ahma_mcp call git_status "), [""]);
  },
});

async function isInstalled(program: string): Promise<boolean> {
  const { code } = await new Deno.Command("sh", { args: ["-c", `command -v ${program}`], stdout: "null" }).output();
  return code === 0;
}
