/** `check-access` says what the sandbox does (L10). */
import assert from "node:assert/strict";
import { runProgram } from "./_support/terminal.ts";
import { usersAtHand, withUsersInTurn, Workbench } from "./_support/workbench.ts";

/** What is asked, a line that tries it, and what is said. `H`, `S` and `E` stand for home, scope and a directory outside. */
const QUESTIONS: readonly (readonly [words: string, line: string, said?: string])[] = [
  ["S/new write", "echo x > S/new && rm S/new"],
  ["S/.git/config write", "echo '# x' >> S/.git/config"],
  ["S/.git/hooks create", "echo x > S/.git/hooks/new"],
  ["/etc/hosts", "cat /etc/hosts"],
  ["/usr/bin/env execute", "/usr/bin/env true"],
  ["/usr write", "echo x > /usr/new"],
  ["/tmp/new write", "echo x > /tmp/new"],
  ["~/.ssh", "ls H/.ssh", "^no: list H/.ssh: .* is a place of credentials.* --allow-read-sensitive "],
  ["E/file", "cat E/file", "^no: read E/file: no rule opens it. A person can allow it with --read E/file\n$"],
  [
    "E/file write --json",
    "echo x >> E/file",
    '^{\\s+"subject": "E/file",\\s+"access": "write",\\s+"allowed": false,\\s+"rule": ".+",\\s+"flags": \\[\\s+"--write E"\\s+\\]\\s+}\n$',
  ],
];

function outside(bench: Workbench): string {
  return JSON.stringify(bench.outside());
}

for (const user of usersAtHand()) {
  Deno.test(`L10 check-access says of paths what the sandbox does with them, as ${user}`, async () => {
    using bench = new Workbench(user);
    bench.write(".git/config", "[core]\n\tbare = false\n");
    bench.write(".git/HEAD", "ref: refs/heads/main\n");
    bench.write(".git/hooks/README", "");
    bench.write(`${bench.home}/.ssh/id`, "secret");
    bench.write(`${bench.elsewhere}/file`, "");
    const placed = (text: string) =>
      text.replaceAll(
        /\b([SHE])(?=[/:, "\n]|$)/g,
        (letter) => ({ S: bench.scope, H: bench.home })[letter] ?? bench.elsewhere,
      );
    // Each question once: the rules are those of the same sandbox, whose rights each user meets in half of them.
    const questions = withUsersInTurn(QUESTIONS).flatMap(([question, asks]) => asks === user ? [question] : []);
    const lines = questions.map(([, line]) => `(${placed(line)}) > /dev/null 2>&1; echo $?`).join("\n");
    const tried = await runProgram(bench, ["call", "sandboxed_shell", "--", lines]);
    const codes = tried.stdout.trim().split("\n").map(Number);
    const before = outside(bench);
    for (const [at, [words, , said]] of questions.entries()) {
      const { code, stdout } = await runProgram(bench, ["check-access", ...placed(words).split(" ")]);
      assert.equal(code === 0, codes[at] === 0, `${words}: ${stdout}`);
      assert.match(stdout, new RegExp(placed(said ?? (code === 0 ? "^yes: " : "^no: "))));
    }
    assert.equal(outside(bench), before);
  });
}

// What it says of paths that are closed is above; that of an unknown right is beside its source.
Deno.test("L10 check-access names the rule and the flag, for hosts too, and changes nothing", async () => {
  using bench = new Workbench("ordinary");
  const file = bench.write(`${bench.elsewhere}/file`, "");
  const before = outside(bench);
  const asked: readonly (readonly [words: readonly string[], said: RegExp])[] = [
    [[file, "--read", file], new RegExp(`^0 yes: read ${file}: it is opened to commands$`)],
    [
      ["github.com:22", "--network", "packages"],
      /^1 no: connect to github\.com:22: it is not on the list of --network\. A person can allow it with --network \.\.\.,github\.com:22$/,
    ],
    [
      ["https://evil.example/x", "--network", "packages"],
      /^2 .* is an address of a page: write the host alone, "evil\.example"/,
    ],
    [["*.example.org"], /^2 Cannot check "\*\.example\.org": name one path or one host/],
  ];
  for (const [words, said] of asked) {
    const { code, stdout, stderr } = await runProgram(bench, ["check-access", ...words]);
    assert.match(`${code} ${stdout}${stderr}`.trim(), said);
  }
  assert.equal(outside(bench), before);
});
