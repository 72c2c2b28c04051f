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
  /** The program finds its parts through the home of the user who installed it: the server gets that one. */
  readonly realHome?: true;
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
    program: "npm",
    files: {
      "package.json": `{"name":"work","version":"1.0.0","scripts":{"hello":"node hello.js"}}`,
      "hello.js": "console.log('script', 6 * 7)",
      "part/package.json": `{"name":"part","version":"1.0.0","main":"index.js"}`,
      "part/index.js": "module.exports = 'a part'",
    },
    command: "npm run --silent hello && npm install --silent --no-audit --no-fund ./part && " +
      `node -p "require('part')"`,
    expected: /^script 42[^]*a part$/m,
  },
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
    program: "gcc",
    files: { "main.c": '#include <stdio.h>\nint main(void) { printf("gcc %d\\n", 6 * 7); return 0; }\n' },
    command: "gcc -O1 -o main main.c && ./main",
    expected: /^gcc 42$/m,
  },
  {
    program: "make",
    files: { Makefile: "out: in\n\tsed s/in/made/ in > out && cat out\n", in: "in 42\n" },
    command: "make -s",
    expected: /^made 42$/m,
  },
  {
    program: "cargo",
    realHome: true,
    files: {
      "Cargo.toml": '[package]\nname = "work"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/main.rs": 'fn main() { println!("cargo {}", 6 * 7); }\n#[test]\nfn it_works() { assert_eq!(6 * 7, 42); }\n',
    },
    command: "cargo run --offline -q && cargo test --offline -q 2>&1",
    expected: /^cargo 42[^]*1 passed/m,
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

/** The real home; what the server keeps goes into the bench all the same. */
function realHome(bench: Workbench): Readonly<Record<string, string>> {
  const kept = { XDG_CACHE_HOME: `${bench.home}/.cache`, XDG_STATE_HOME: `${bench.home}/.state` };
  return { ...kept, HOME: Deno.env.get("HOME") ?? bench.home };
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

/** Nothing here needs the network: it is closed. What works with it open is shown by `tests/projects` and `tests/tools`. */
for (const user of usersAtHand()) {
  // As root the tests stand in for an ordinary user, whose home is not root's.
  const standIn = user === "ordinary" && Deno.uid() === 0;
  for (const home of ["its own", "the real"]) {
    const group = usersOf(WORKS).filter(([, whose]) => whose === user).map(([work]) => work)
      .filter((work) => (work.realHome === true && !standIn) === (home === "the real"));
    if (group.length === 0) continue;
    const origin = standIn ? " with what is under /usr" : "";
    Deno.test(`S4 programs work inside the sandbox as ${user}${origin}, network none, ${home} home`, async (t) => {
      using bench = new Workbench(user);
      await using server = await ServerProcess.start(bench, {
        flags: ["--network", "none"],
        environment: home === "the real" ? realHome(bench) : {},
      });
      for (const work of group) {
        const ignore = !installedFor(user, work.program);
        const reason = ignore ? " (ignored: not installed where this user can reach it)" : "";
        await t.step({ name: `${work.program}${reason}`, ignore, fn: () => works(server, bench, work) });
      }
    });
  }
}
