import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { exists, type User, usersAtHand, withUsersInTurn, Workbench } from "./_support/workbench.ts";

/** Real work of a real program inside the sandbox. */
interface Work {
  /** Looked up on the PATH of the user. */
  readonly program: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly command: string;
  /** Must be in the result. */
  readonly expected: RegExp;
}

const IDENTITY = "-c user.name=Test -c user.email=test@example.invalid";

const WORKS: readonly Work[] = [
  {
    program: "git",
    files: { "a.txt": "one\n" },
    command:
      `git init -q -b main --template= . && git add . && git ${IDENTITY} commit -q -m first && echo two >> a.txt && ` +
      `git diff --stat && git stash -q 2>/dev/null; git ${IDENTITY} stash list; git worktree add -q ../scope/tree HEAD && ` +
      "git clone -q . cloned && git gc -q && git -C cloned log --format='logged %s'",
    expected: /^logged first$/m,
  },
  {
    // The test suites of GNU programs write to /dev/full.
    program: "sh",
    command: "echo x > /dev/full; echo x > /dev/zero && echo discarded; echo x > /dev/urandom || true",
    expected: /\bNo space left on device\ndiscarded\n.*\/dev\/urandom: Permission denied$/m,
  },
  { program: "node", command: `node -e "console.log('node', 6 * 7, require('os').tmpdir())"`, expected: /^node 42 / },
  {
    program: "deno",
    files: { "main.ts": "const text: string = `deno ${6 * 7}`;\nconsole.log(text);\n" },
    command: "deno run main.ts && echo 'Deno.test(\"a\", () => {})' > a_test.js && deno test -q a_test.js",
    expected: /^deno 42[^]*1 passed/m,
  },
  {
    program: "python3",
    command: `python3 -m venv --without-pip env && env/bin/python -c "import ssl, json, tempfile, subprocess; ` +
      `print('python', 6 * 7, subprocess.check_output(['echo', 'child']).decode().strip(), tempfile.mkdtemp() != '')"`,
    expected: /^python 42 child True$/m,
  },
  {
    program: "bash",
    command: "diff <(seq 3) <(printf '1\\n2\\n3\\n') && cat <<< 'bash 42' && mktemp -u >/dev/null && whoami >/dev/null",
    expected: /^bash 42$/m,
  },
];

/** Where `program` would be found by that user; a home that only root may enter is out of reach of the ordinary one. */
function installedFor(user: User, program: string): boolean {
  if (program === "deno") return true;
  const path = user === "root" || Deno.uid() !== 0 ? Deno.env.get("PATH") ?? "" : "/usr/local/bin:/usr/bin:/bin";
  return path.split(":").some((directory) => {
    if (!exists(`${directory}/${program}`)) return false;
    return user === "root" || Deno.uid() !== 0 || !Deno.realPathSync(`${directory}/${program}`).startsWith("/root/");
  });
}

/** Who does it: users in turn, and another where that one cannot reach the program. What the sandbox lets them is alike. */
function usersOf(works: readonly Work[]): readonly (readonly [Work, User])[] {
  return withUsersInTurn(works).map(([work, turn]) => {
    const able = [turn, ...usersAtHand()].find((user) => installedFor(user, work.program));
    return [work, able ?? turn];
  });
}

/** Each work in a directory of its own, but git in the scope itself: there its files are protected. */
async function works(server: ServerProcess, bench: Workbench, work: Work): Promise<void> {
  const directory = work.program === "git" ? "." : work.program;
  for (const [path, text] of Object.entries({ ".keep": "", ...work.files })) bench.write(`${directory}/${path}`, text);
  const answer = await server.call("sandboxed_shell", {
    command: work.command,
    working_directory: directory,
    execution_mode: "Synchronous",
    timeout_seconds: 120,
  }, { deadline: 130_000 });
  assert.match(answer.text.trim(), work.expected);
  assert.ok(!answer.failed, answer.text);
}

/** Nothing here needs the network: it is closed. Package managers and compilers are tried by `tests/projects`. */
for (const user of usersAtHand()) {
  // As root the tests stand in for an ordinary user, whose home is not root's.
  const origin = user === "ordinary" && Deno.uid() === 0 ? " with what is under /usr" : "";
  const group = usersOf(WORKS).filter(([, whose]) => whose === user).map(([work]) => work);
  Deno.test(`S4 programs work inside the sandbox as ${user}${origin}, network none`, async (t) => {
    using bench = new Workbench(user);
    await using server = await ServerProcess.start(bench, { flags: ["--network", "none"] });
    for (const work of group) {
      const ignore = !installedFor(user, work.program);
      const reason = ignore ? " (ignored: not installed where this user can reach it)" : "";
      await t.step({ name: `${work.program}${reason}`, ignore, fn: () => works(server, bench, work) });
    }
  });
}
