/**
 * What commands may do on macOS, tried by commands. The sandbox is there on macOS only; everywhere the same lines are
 * run without one, because a line that fails by itself proves nothing.
 */
import assert from "node:assert/strict";
import { SILENT } from "../src/base/log.ts";
import { thisPlatform } from "../src/sandbox/policy/platform.ts";
import { OPTION_SETS } from "../src/sandbox/seatbelt/_support/option_sets.ts";
import { seatbeltProfile } from "../src/sandbox/seatbelt/profile.ts";
import { sandboxExecArguments } from "../src/sandbox/seatbelt/sandbox_exec.ts";
import { composeForMac, StandIn } from "./_support/kernel/sandbox_exec.ts";
import { exists, Workbench } from "./_support/workbench.ts";

const NOT_A_MAC = Deno.build.os !== "darwin";
const REASON = NOT_A_MAC ? " (ignored: only macOS has sandbox-exec)" : "";

interface Places {
  readonly home: string;
  /** A directory outside with the file `file`. */
  readonly outside: string;
}

/** Lines of shell, each run in a project that no other has changed, and whether the sandbox lets it succeed. */
const LINES: readonly (readonly [line: (places: Places) => string, allowed: boolean])[] = [
  [() => "echo x > inside && cat inside", true],
  [() => 'echo x > "$TMPDIR/t" && rm "$TMPDIR/t"', true],
  [() => "mkdir d && mv d e && rmdir e", true],
  [() => "ln -s kept link && cat link", true],
  [() => "echo x > /dev/null", true],
  [() => "cat /etc/hosts", true],
  [() => "kill -0 $$", true],
  [() => "sleep 9 & kill $!", true],
  [() => "echo x > .git/index", true],
  [() => "id -un", true],
  [({ outside }) => `cat '${outside}/file'`, true],
  [({ home }) => `ls -ld '${home}/.ssh'`, true],
  [({ outside }) => `echo x > '${outside}/planted'`, false],
  [({ outside }) => `echo x >> '${outside}/file'`, false],
  [({ outside }) => `touch '${outside}/file'`, false],
  [({ outside }) => `chmod 600 '${outside}/file'`, false],
  [({ outside }) => `rm '${outside}/file'`, false],
  [({ outside }) => `mv kept '${outside}/moved'`, false],
  [({ outside }) => `ln -s '${outside}/file' link && echo x >> link`, false],
  [({ outside }) => `ln '${outside}/file' hard`, false],
  [({ home }) => `cat '${home}/.ssh/id'`, false],
  [({ home }) => `ls '${home}/.ssh'`, false],
  [() => "chmod 4755 kept", false],
  [() => "echo x > .mcp.json", false],
  [() => "echo x > .MCP.json", false],
  [() => "mkdir .vscode", false],
  [() => "echo x > .git/hooks/pre-commit", false],
  [() => "echo x >> .git/config", false],
  [() => "mv .git away", false],
  [() => "mv .git/hooks away", false],
  [() => "rm -r .git", false],
  [() => "ln .git/config second", false],
  [() => `kill -0 ${Deno.pid}`, false],
];

/** Which lines succeed with this sandbox-exec. */
async function succeeding(sandboxExec: (bench: Workbench) => string): Promise<readonly string[]> {
  using bench = new Workbench();
  await layOut(bench);
  await using program = await composeForMac(bench, { sandboxExec: sandboxExec(bench), log: SILENT });
  const good: string[] = [];
  for (const [line] of LINES) {
    await layOut(bench);
    const end = await program.runner.run({
      run: { shell: line({ home: bench.home, outside: `${bench.elsewhere}/outside` }) },
      directory: bench.scope,
      environment: {},
      stdin: undefined,
    }, { signal: AbortSignal.timeout(10_000), onOutput: () => {} });
    if (end.kind === "exited" && end.code === 0) good.push(namely(line));
  }
  return good;
}

/** Makes the project and what is outside as they were before any line. */
async function layOut(bench: Workbench): Promise<void> {
  for await (const { name } of Deno.readDir(bench.scope)) {
    await Deno.remove(`${bench.scope}/${name}`, { recursive: true });
  }
  const outside = `${bench.elsewhere}/outside`;
  if (exists(outside)) await Deno.remove(outside, { recursive: true });
  bench.write("kept", "kept\n");
  bench.write(".git/config", "");
  bench.write(".git/hooks/sample", "");
  bench.write(`${bench.home}/.ssh/id`, "secret\n");
  bench.write(`${outside}/file`, "file\n");
}

function namely(line: (places: Places) => string): string {
  return line({ home: "HOME", outside: "OUTSIDE" });
}

Deno.test("S11 every line of the macOS tests works without confinement", async () => {
  const good = await succeeding((bench) => StandIn.make(bench).path);
  assert.deepStrictEqual(good, LINES.map(([line]) => namely(line)));
});

Deno.test({
  name: `S11 commands on macOS can do what they may and nothing else${REASON}`,
  ignore: NOT_A_MAC,
  fn: async () => {
    const good = await succeeding(() => thisPlatform().sandboxExec);
    assert.deepStrictEqual(good, LINES.filter(([, allowed]) => allowed).map(([line]) => namely(line)));
  },
});

Deno.test({
  name: `S11 macOS takes the profile of every set of options${REASON}`,
  ignore: NOT_A_MAC,
  fn: async () => {
    const profileFile = await Deno.makeTempFile({ suffix: ".sb" });
    try {
      for (const [name, policy] of Object.entries(OPTION_SETS)) {
        const made = seatbeltProfile(policy);
        if (!made.ok) throw new Error(made.problem);
        await Deno.writeTextFile(profileFile, made.value.profile);
        const program = thisPlatform().sandboxExec;
        const args = sandboxExecArguments({ program, profileFile, ...made.value }, ["/usr/bin/true"]);
        const { code, stderr } = await new Deno.Command(program, { args: [...args] }).output();
        assert.deepStrictEqual([name, code, new TextDecoder().decode(stderr)], [name, 0, ""]);
      }
    } finally {
      await Deno.remove(profileFile);
    }
  },
});
