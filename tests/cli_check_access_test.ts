/** `check-access` says what the sandbox does (L10). */
import assert from "node:assert/strict";
import { runProgram } from "./_support/terminal.ts";
import { usersAtHand, withUsersInTurn, Workbench } from "./_support/workbench.ts";

/** What is asked, and a line that tries it. `H`, `S` and `E` stand for home, scope and a directory outside. */
const QUESTIONS: readonly (readonly [words: string, line: string])[] = [
  ["S/new write", "echo x > S/new && rm S/new"],
  ["S/.git/config write", "echo '# x' >> S/.git/config"],
  ["S/.git/hooks create", "echo x > S/.git/hooks/new"],
  ["/etc/hosts", "cat /etc/hosts"],
  ["/usr/bin/env execute", "/usr/bin/env true"],
  ["/usr write", "echo x > /usr/new"],
  ["/tmp/new write", "echo x > /tmp/new"],
  ["H/.ssh/id", "cat H/.ssh/id"],
  ["E/file", "cat E/file"],
  ["E/file write", "echo x >> E/file"],
];

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
        /\b([SHE])(?=[/ ]|$)/g,
        (letter) => ({ S: bench.scope, H: bench.home })[letter] ?? bench.elsewhere,
      );
    // Each question once: the rules are those of the same sandbox, whose rights each user meets in half of them.
    const questions = withUsersInTurn(QUESTIONS).flatMap(([question, asks]) => asks === user ? [question] : []);
    const lines = questions.map(([, line]) => `(${placed(line)}) > /dev/null 2>&1; echo $?`).join("\n");
    const tried = await runProgram(bench, ["call", "sandboxed_shell", "--", lines]);
    const codes = tried.stdout.trim().split("\n").map(Number);
    for (const [at, [words]] of questions.entries()) {
      const { code, stdout } = await runProgram(bench, ["check-access", ...placed(words).split(" ")]);
      assert.equal(code === 0, codes[at] === 0, `${words}: ${stdout}`);
      assert.match(stdout, code === 0 ? /^yes: / : /^no: /);
    }
  });
}

Deno.test("L10 check-access names the rule and the flag, for hosts too, and changes nothing", async () => {
  using bench = new Workbench("ordinary");
  bench.write(`${bench.elsewhere}/file`, "");
  const before = JSON.stringify(bench.outside());
  const ask = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await runProgram(bench, ["check-access", ...words]);
    return `${code} ${stdout}${stderr}`.trim();
  };
  const file = `${bench.elsewhere}/file`;
  assert.equal(await ask(file), `1 no: read ${file}: no rule opens it. A person can allow it with --read ${file}`);
  assert.equal(await ask(file, "--read", file), `0 yes: read ${file}: it is opened to commands`);
  assert.match(await ask("~/.ssh"), /^1 no: list \S+\/\.ssh: .* is a place of credentials.* --allow-read-sensitive /);
  assert.equal(
    await ask("github.com:22", "--network", "packages"),
    "1 no: connect to github.com:22: it is not on the list of --network. A person can allow it with --network ...,github.com:22",
  );
  const asked = JSON.parse((await runProgram(bench, ["check-access", file, "write", "--json"])).stdout);
  assert.deepEqual({ ...asked, rule: "" }, {
    subject: file,
    access: "write",
    allowed: false,
    rule: "",
    flags: [`--write ${bench.elsewhere}`],
  });
  assert.match(
    await ask("https://evil.example/x", "--network", "packages"),
    /^2 .* is an address of a page: write the host alone, "evil\.example"/,
  );
  assert.match(await ask("/etc", "look"), /^2 Cannot check "look": expected one of read, list, write/);
  assert.match(await ask("*.example.org"), /^2 Cannot check "\*\.example\.org": name one path or one host/);
  assert.equal(JSON.stringify(bench.outside()), before);
});
