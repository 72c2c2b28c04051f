/**
 * What a command may do to places outside the scope: nothing. Each way is tried three times by the same words: against
 * a place outside (nothing may change, nothing may be read), against a place inside (it must work), and against the
 * place outside with `--no-sandbox` (it must work: the attack is a real one). Only effects count, never messages.
 * The sandbox is tried by each user, because its namespaces differ. The control runs once: without the sandbox the owner
 * of the files decides, and each user owns the files of its bench.
 */
import assert from "node:assert/strict";
import { isAlive } from "./_support/processes.ts";
import { programStart } from "./_support/program.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { runProgram } from "./_support/terminal.ts";
import { exists, usersAtHand, Workbench } from "./_support/workbench.ts";

/** Ways to change a directory that holds the file `kept`; `directory` is an absolute path. */
const WRITES: Readonly<Record<string, (directory: string) => string>> = {
  "a redirection": (directory) => `echo x > ${directory}/planted`,
  "an appending redirection": (directory) => `echo x >> ${directory}/kept`,
  "a symlink made inside": (directory) => `ln -sfn ${directory} link; echo x > link/planted; rm link`,
  "a symlink to the file itself": (directory) => `ln -sf ${directory}/planted hop; echo x > hop; rm -f hop`,
  "a hard link made inside": (directory) => `ln ${directory}/kept hard; echo x >> hard; rm -f hard`,
  "a relative path": (directory) => `cd / && echo x > .${directory}/planted`,
  "/proc/self/root": (directory) => `echo x > /proc/self/root${directory}/planted`,
  "git -C": (directory) => `git -C ${directory} init -q`,
  "a python one-liner": (directory) => `/usr/bin/python3 -c "open('${directory}/planted', 'w').write('x')"`,
  "a node one-liner": (directory) => `node -e "require('fs').writeFileSync('${directory}/planted', 'x')"`,
  "a background child with its own session": (directory) =>
    `setsid --wait bash -c 'echo x > ${directory}/planted' & wait`,
  "a nested shell": (directory) => `bash -c 'sh -c "echo x > ${directory}/planted"'`,
  "cp": (directory) => `cp /usr/bin/true ${directory}/planted`,
  "dd": (directory) => `dd if=/dev/zero of=${directory}/planted count=1 status=none`,
  "tar": (directory) => `echo x > packed; tar -c packed | tar -x -C ${directory}`,
  "rm": (directory) => `rm -f ${directory}/kept`,
  "mv out": (directory) => `echo x > moved; mv moved ${directory}/moved`,
  "mv away": (directory) => `mv ${directory}/kept taken; rm -f taken`,
  "truncate": (directory) => `truncate -s 0 ${directory}/kept`,
  "mkdir": (directory) => `mkdir ${directory}/planted`,
  "ln -s": (directory) => `ln -s nowhere ${directory}/planted`,
  "mkfifo": (directory) => `mkfifo ${directory}/planted`,
};

/** Ways to read a file; the content must come out. */
const READS: Readonly<Record<string, (file: string) => string>> = {
  "cat": (file) => `cat ${file}`,
  "a redirection": (file) => `while read -r line; do echo "$line"; done < ${file}`,
  "a symlink made inside": (file) => `ln -sf ${file} peek; cat peek; rm -f peek`,
  "a hard link made inside": (file) => `ln ${file} hard; cat hard; rm -f hard`,
  "a copy": (file) => `cp ${file} copied; cat copied; rm -f copied`,
  "/proc/self/root": (file) => `cat /proc/self/root${file}`,
  "a python one-liner": (file) => `/usr/bin/python3 -c "print(open('${file}').read())"`,
  "a node one-liner": (file) => `node -p "require('fs').readFileSync('${file}', 'utf8')"`,
  "tar": (file) => `tar -cO ${file}`,
  "git diff": (file) => `git diff --no-index --no-color /dev/null ${file}; true`,
  "a background child with its own session": (file) => `setsid --wait cat ${file} & wait`,
};

/** Node opens files with the calls of Python, and takes twice as long to start: one user tries it. */
function isOnlyOrdinary(way: string): boolean {
  return way === "a node one-liner";
}

const SECRET = "the-secret-of-this-test";

/** A fresh directory with the file `kept`, as this and no other row finds it. */
function fresh(bench: Workbench, directory: string): string {
  if (exists(directory)) Deno.removeSync(directory, { recursive: true });
  bench.write(`${directory}/kept`, "as it was\n");
  return directory;
}

/** Where commands may neither read nor write, by what it is. */
function placesOutside({ parent, home, elsewhere }: Workbench): Readonly<Record<string, string>> {
  return { "the parent": parent, "the home": home, "a temp directory": elsewhere };
}

/** Files outside, each with the secret and its own name in it. */
function secretFiles(bench: Workbench): readonly string[] {
  const paths = [`${bench.home}/.ssh/id_rsa`, `${bench.elsewhere}/shadow`, `${bench.parent}/beside`];
  return paths.map((path) => bench.write(path, `${SECRET} in ${path}\n`));
}

function waysToList(directory: string): readonly string[] {
  return [`ls -a ${directory}`, `find ${directory}`, `echo ${directory}/*`, `cd ${directory} && ls`];
}

/** A process of the bench's user, which sleeps outside the sandbox. */
function victimOf(bench: Workbench): Deno.ChildProcess {
  const { command, args } = programStart(bench, []);
  const prefix = command === "setpriv" ? ["setpriv", ...args.slice(0, 3)] : [];
  const [program = "sleep", ...words] = [...prefix, "sleep", "303"];
  return new Deno.Command(program, { args: words, cwd: bench.elsewhere }).spawn();
}

for (const user of usersAtHand()) {
  const testSandboxed = sharing((bench) => ServerProcess.start(bench), user);

  testSandboxed(`S4 S8 a write outside changes nothing, as ${user}`, async ({ bench, server }) => {
    for (const [name, write] of Object.entries(WRITES)) {
      if (isOnlyOrdinary(name) && user === "root") continue;
      const outside = fresh(bench, `${bench.elsewhere}/place`);
      const before = bench.outside();
      await server.shell(write(outside), { timeout_seconds: 20 });
      assert.deepStrictEqual(bench.outside(), before, `${name}: outside is as it was`);
      const inside = fresh(bench, `${bench.scope}/place`);
      const insideBefore = listing(inside);
      const allowed = await server.shell(write(inside), { timeout_seconds: 20 });
      assert.notDeepStrictEqual(listing(inside), insideBefore, `${name}: inside it works: ${allowed.text}`);
    }
  });

  testSandboxed(
    `S4 the parent, the home, other temp directories and /etc cannot be written, as ${user}`,
    async ({ bench, server }) => {
      const before = bench.outside();
      for (const [name, place] of Object.entries(placesOutside(bench))) {
        await server.shell(`echo x > ${place}/planted`);
        assert.deepStrictEqual(bench.outside(), before, name);
      }
      // The words of a person: ~, .., $HOME, /tmp
      const name = `planted-by-${bench.marker}`;
      await server.shell(
        `for place in ~ .. "$HOME" /tmp /var/tmp /dev/shm; do echo x > "$place/${name}"; done; ` +
          `echo x > /etc/${name}; cp /usr/bin/true /usr/local/bin/${name}; true`,
      );
      for (const place of [bench.home, bench.parent, "/tmp", "/var/tmp", "/dev/shm", "/etc", "/usr/local/bin"]) {
        assert.ok(!exists(`${place}/${name}`), place);
      }
      assert.deepStrictEqual(bench.outside(), before);
    },
  );

  testSandboxed(`S4 S7 a read outside gives nothing away, as ${user}`, async ({ bench, server }) => {
    const outside = secretFiles(bench);
    const inside = bench.write("inside", `${SECRET}\n`);
    for (const [name, read] of Object.entries(READS)) {
      if (isOnlyOrdinary(name) && user === "root") continue;
      const denied = await server.shell(outside.map(read).join("; "), { timeout_seconds: 20 });
      assert.ok(!JSON.stringify(denied.result).includes(SECRET), `${name}: ${denied.text}`);
      const allowed = await server.shell(read(inside), { timeout_seconds: 20 });
      assert.ok(allowed.text.includes(SECRET), `${name}: inside it works: ${allowed.text}`);
    }
  });

  testSandboxed(`S4 /etc/shadow and the listing of the home stay closed, as ${user}`, async ({ bench, server }) => {
    bench.write(`${bench.home}/diary-of-a-user`, "");
    bench.write("diary-of-a-project", "");
    for (const way of waysToList(bench.home)) {
      assert.ok(!(await server.shell(way)).text.includes("diary-of-a-user"), way);
    }
    for (const way of waysToList(bench.scope)) {
      assert.ok((await server.shell(way)).text.includes("diary-of-a-project"), way);
    }
    assert.ok(!(await server.shell("ls -a $HOME ~")).text.includes("diary-of-a-user"));
    const shadow = await server.shell("cat /etc/shadow; cp /etc/shadow . ; cat shadow");
    assert.doesNotMatch(shadow.text, /^\w+:[^:]*:\d*:/m);
  });

  testSandboxed(`S2 S8 a command cannot signal a process outside, as ${user}`, async ({ bench, server }) => {
    const victim = victimOf(bench);
    await server.shell(`kill -9 ${victim.pid}; kill -9 ${server.pid}; true`);
    assert.deepStrictEqual([await isAlive(victim.pid), await isAlive(server.pid)], [true, true]);
    victim.kill("SIGKILL");
    await victim.status;
    const own = await server.shell("sleep 304 & kill -9 $!; wait $!; echo code $?");
    assert.match(own.text, /^code 137$/m, "its own children it can");
  });

  testSandboxed(`P4 S8 a command gets descriptors 0, 1 and 2 only, as ${user}`, async ({ server }) => {
    const script = "import os\nfor n in range(256):\n  try: os.fstat(n); print('open', n)\n  except OSError: pass";
    const { text } = await server.shell("/usr/bin/python3 -", { stdin: script });
    assert.deepStrictEqual(text.match(/^open \d+$/gm), ["open 0", "open 1", "open 2"]);
  });
}

/** The control. */
const testBare = sharing((bench) => ServerProcess.start(bench, { flags: ["--no-sandbox"] }));

testBare("S4 S8 without the sandbox each way to write changes a place outside", async ({ bench, server }) => {
  for (const [name, write] of Object.entries(WRITES)) {
    const outside = fresh(bench, `${bench.elsewhere}/place`);
    const before = bench.outside();
    const { text } = await server.shell(write(outside), { timeout_seconds: 20 });
    assert.notDeepStrictEqual(bench.outside(), before, `${name}: ${text}`);
  }
  for (
    const [name, place] of Object.entries({
      ...placesOutside(bench),
      "for /etc": fresh(bench, `${bench.elsewhere}/etc`),
    })
  ) {
    await server.shell(`echo x > ${place}/planted`);
    assert.equal(await Deno.readTextFile(`${place}/planted`), "x\n", name);
  }
});

testBare("S4 S7 without the sandbox each way to read or list gives away what is outside", async ({ bench, server }) => {
  const outside = secretFiles(bench);
  for (const [name, read] of Object.entries(READS)) {
    const { text } = await server.shell(outside.map(read).join("; "), { timeout_seconds: 20 });
    for (const path of outside) assert.ok(text.includes(`${SECRET} in ${path}`), `${name}, ${path}: ${text}`);
  }
  bench.write(`${bench.home}/diary-of-a-user`, "");
  for (const way of waysToList(bench.home)) {
    assert.ok((await server.shell(way)).text.includes("diary-of-a-user"), way);
  }
});

testBare("S2 S8 without the sandbox a process outside can be signalled", async ({ bench, server }) => {
  const victim = victimOf(bench);
  await server.shell(`kill -9 ${victim.pid}`);
  assert.equal((await victim.status).signal, "SIGKILL");
});

testBare("S14 --no-sandbox is loud", async ({ server }) => {
  const { text } = await server.call("status");
  assert.match(text, /no.sandbox|not sandboxed|sandbox is off|without (a )?sandbox/i);
  assert.match(server.stderr, /no.sandbox|not sandboxed|sandbox is off|without (a )?sandbox/i);
});

// src/sandbox/grants/resolve_scopes_test.ts has the root directory too.
Deno.test("S1 the home is refused as a scope", async () => {
  using bench = new Workbench();
  const { code, stdout, stderr } = await runProgram(bench, ["--sandbox-scope", bench.home]);
  assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" });
  assert.match(stderr, /scope/i);
});

Deno.test("S12 the server refuses to start if the kernel cannot enforce what is required, and says what to do", async () => {
  using bench = new Workbench();
  const { code, stdout, stderr } = await runProgram(bench, ["--require-abi", "99"]);
  assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" });
  assert.match(stderr, /99[^]*Landlock[^]*kernel/);
});

Deno.test("S12 a server with too few descriptors or a umask without the user's own rights does not start, and says so", async () => {
  using bench = new Workbench("ordinary");
  // One after the other, and first the one that makes the directory of the log as it should be.
  const said: string[] = [];
  for (const way of ["ulimit -n 64; umask 0077", "ulimit -n 63", "umask 0777"]) {
    const { command, args, environment } = programStart(bench, ["sandboxed_shell", "echo ran"]);
    const { stdout, stderr } = await new Deno.Command("sh", {
      args: ["-c", `${way}; exec "$0" "$@"`, command, ...args],
      cwd: bench.scope,
      clearEnv: true,
      env: environment,
    }).output();
    said.push(new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr).replace(/^\[op_.*\n/, ""));
  }
  assert.deepStrictEqual(said, [
    "ran\n",
    "Cannot run commands: this server may open 63 files, and needs 64. Raise ulimit -n where it is started\n",
    "Cannot run commands: umask 0777 takes the user's own rights from new directories. Start the server with umask 077 or 022\n",
  ]);
});

function listing(directory: string): Readonly<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (const entry of Deno.readDirSync(directory)) {
    const path = `${directory}/${entry.name}`;
    seen[entry.name] = entry.isFile ? Deno.readTextFileSync(path) : "other";
  }
  return seen;
}

Deno.test("L8 S4 the log is not written where commands could redirect it, and the server says so", async () => {
  using bench = new Workbench();
  bench.write("cache/marker", "");
  await Deno.symlink(`${bench.scope}/..`, `${bench.scope}/cache/ahma_mcp`);
  const environment = { XDG_CACHE_HOME: `${bench.scope}/cache`, DENO_DIR: `${bench.home}/.cache/deno` };
  await using server = await ServerProcess.start(bench, { environment });
  assert.match((await server.shell("echo $CARGO_HOME; echo hi")).text, /ahma_mcp-[^/]+\/cache\/cargo\nhi/);
  assert.ok(!exists(`${bench.scope}/../logs`) && !exists(`${bench.scope}/../scopes`));
});

Deno.test("L7 S14 a user's settings file that commands could have written is refused, whatever it says", async () => {
  using bench = new Workbench();
  bench.write(".config/ahma/settings.json", '{"no_sandbox": true, "sandbox_scope": "/var/tmp"}');
  const { command, args, environment } = programStart(bench, []);
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd: bench.scope,
    clearEnv: true,
    env: { ...environment, XDG_CONFIG_HOME: `${bench.scope}/.config` },
  }).output();
  assert.deepStrictEqual([code, stdout.length], [1, 0]);
  assert.match(new TextDecoder().decode(stderr), /^Cannot use settings file ".*commands can write where it is/);
});

Deno.test({
  name: "L7 the server starts as a user who may not enter HOME, and says so" +
    (Deno.uid() === 0 ? "" : " (ignored: only root can make a home that another user may not enter)"),
  ignore: Deno.uid() !== 0,
  fn: async () => {
    using bench = new Workbench("ordinary");
    const closed = `${bench.parent}/closed`;
    await Deno.mkdir(`${closed}/.config/ahma`, { recursive: true });
    await Deno.writeTextFile(`${closed}/.config/ahma/settings.json`, '{"no_sandbox": true}');
    await Deno.chmod(closed, 0o700);
    const kept = { XDG_CACHE_HOME: `${bench.home}/.cache`, XDG_STATE_HOME: `${bench.home}/.state` };
    await using server = await ServerProcess.start(bench, { environment: { ...kept, HOME: closed } });
    const answer = await server.call("sandboxed_shell", { command: "echo $((6 * 7))", execution_mode: "Synchronous" });
    assert.match(answer.text, /^42$/m);
    assert.match(server.stderr, /Settings file ".*settings\.json" is not looked for: this user may not enter/);
  },
});
