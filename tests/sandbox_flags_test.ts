/**
 * Flags that open a little more, or close a little more: exactly what they say, and nothing beside it. Resource limits of
 * commands (S10): what the flags set, what holds without them, and that each ends what exceeds it.
 */
import assert from "node:assert/strict";
import { runProgram } from "./_support/terminal.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { ORDINARY_ID, usersAtHand, Workbench } from "./_support/workbench.ts";

function placesOf({ elsewhere }: Workbench): readonly string[] {
  return ["read", "write", "beside"].map((name) => `${elsewhere}/${name}`);
}

/** Two scopes, neither of which is the working directory of the server. */
function scopesOf({ elsewhere }: Workbench): readonly string[] {
  return ["a", "b"].map((name) => `${elsewhere}/${name}`);
}

const LIMITS = "--limit-file-size 200M --limit-open-files 100 --limit-memory 128M --limit-cpu 1 --limit-processes 100"
  .split(" ");

for (const user of usersAtHand()) {
  const testOpened = sharing((bench) => {
    const [read = "", write = ""] = placesOf(bench);
    for (const place of placesOf(bench)) bench.write(`${place}/file`, `in ${place}\n`);
    for (const scope of scopesOf(bench)) bench.write(`${scope}/file`, "");
    const scopes = scopesOf(bench).flatMap((scope) => ["--sandbox-scope", scope]);
    const flags = ["--read", read, "--write", write, ...scopes, "--env", "FIRST_TOKEN", "--limit-processes", "none"];
    return ServerProcess.start(bench, { flags, environment: { FIRST_TOKEN: "first", SECOND_TOKEN: "second" } });
  }, user);

  const testClosed = sharing((bench) => ServerProcess.start(bench, { flags: [...LIMITS, "--no-temp-files"] }), user);

  testOpened(
    `S4 --read opens a place for reading, --write one for both, and neither what is beside, as ${user}`,
    async ({ bench, server }) => {
      const places = placesOf(bench);
      const [read = "", write = "", beside = ""] = places;
      const seen = async (line: string) =>
        (await server.shell(`{ ${line}; } 2>/dev/null; true`)).text.split("\n").filter((one) => one.startsWith("in "));
      assert.deepStrictEqual(await seen(`cat ${read}/file ${write}/file ${beside}/file ${bench.elsewhere}/*/file`), [
        `in ${read}`,
        `in ${write}`,
      ]);
      await seen(
        `for place in ${
          places.join(" ")
        }; do echo changed > $place/file; echo new > $place/new; rm -f $place/file; done`,
      );
      const left = await Promise.all(places.map((place) => namesIn(place)));
      assert.deepStrictEqual(left, [["file"], ["new"], ["file"]]);
      assert.strictEqual(await Deno.readTextFile(`${read}/file`), `in ${read}\n`);
    },
  );

  testOpened(
    `S1 S4 each of two scopes can be changed, and the working directory only where it is one, as ${user}`,
    async ({ bench, server }) => {
      const scopes = scopesOf(bench);
      const { text } = await server.shell(
        `pwd; for place in ${scopes.join(" ")} ${bench.scope}; do touch $place/new; done`,
      );
      assert.match(text, new RegExp(`^${scopes[0]}$`, "m"));
      const left = await Promise.all([...scopes, bench.scope].map((place) => namesIn(place)));
      assert.deepStrictEqual(left, [["file", "new"], ["file", "new"], []]);
    },
  );

  for (
    const { test, what, memory, temporary } of [
      { test: testClosed, what: "both hold", memory: null, temporary: ["[none]"] },
      // The control is one user's.
      ...user === "root" ? [] : [{
        test: testOpened,
        what: "without them there is room",
        memory: ["private", "shared"],
        temporary: ["made"],
      }],
    ]
  ) {
    test(`S10 programs share memory in /dev/shm: ${what}, as ${user}`, async ({ server }) => {
      const script = `from multiprocessing import Pool, shared_memory
def written(name):
  part = shared_memory.SharedMemory(name)
  part.buf[0] = 7
  part.close()
if __name__ == "__main__":
  part = shared_memory.SharedMemory(create=True, size=10 << 20)
  with Pool(1) as pool: pool.map(written, [part.name])
  print("another process wrote", part.buf[0])
  part.close(); part.unlink()
`;
      const { text } = await server.shell(`cat > share.py <<'END'\n${script}END\npython3 share.py`);
      assert.match(text, /^another process wrote 7$/m);
    });

    test(`S10 --limit-memory bounds private memory and /dev/shm: ${what}, as ${user}`, async ({ server }) => {
      const script = "bytearray(140 << 20)\nprint('private')";
      const line = `python3 -c "${script}" 2> /dev/null; head -c 140M /dev/zero > /dev/shm/file && echo shared`;
      assert.deepStrictEqual((await server.shell(line)).text.match(/^(private|shared)$/gm), memory);
    });

    test(`S5 --no-temp-files leaves commands no place for them, and everything else works: ${what}, as ${user}`, async ({ server }) => {
      const line =
        'echo "[${TMPDIR-none}]"; mktemp >/dev/null 2>&1 && echo made; cat <<< here; touch inside && ls; touch "$XDG_CACHE_HOME" && echo cached';
      const lines = (await server.shell(line)).text.split("\n");
      const said = ["[none]", "made", "here", "inside", "cached"].filter((word) => lines.includes(word));
      assert.deepStrictEqual(said, [...temporary, "here", "inside", "cached"]);
    });
  }

  testOpened(`S9 --env passes on the variables it names and no others, as ${user}`, async ({ server }) => {
    const { text } = await server.shell("env | grep _TOKEN");
    assert.deepStrictEqual(text.match(/^\w+_TOKEN=.*$/gm), ["FIRST_TOKEN=first"]);
  });

  testClosed(
    `S10 a command has as many processes as the limit says, and each command on its own, as ${user}`,
    async ({ server }) => {
      const [first, second] = await Promise.all([forks(server, 1000), forks(server, 1000)]);
      // Root's are counted by the numbers of the namespace, the first 300 of which are given out in addition.
      const most = user === "root" ? 400 : 100;
      for (const count of [first, second]) assert.ok(count >= 80 && count <= most, `${count} processes`);
      assert.equal(await forks(server, 50), 50, "as many as are allowed");
    },
  );

  testOpened(
    `S10 without a limit of processes there are as many as a command starts, as ${user}`,
    async ({ server }) => {
      const more = user === "root" ? 401 : 150;
      assert.equal(await forks(server, more), more, "more than the limit of the others");
    },
  );

  testClosed(
    `S10 limits are what the flags say, none of core dumps, and no command raises them, as ${user}`,
    async ({ server }) => {
      assert.deepStrictEqual(await limits(server), [0, 1, 200 * 1024, 100, 128 * 1024]);
    },
  );

  testOpened(`S10 limits without flags are those of the documentation, as ${user}`, async ({ server }) => {
    const files = Math.min(65_536, OPEN_FILES);
    assert.deepStrictEqual(await limits(server), [0, "unlimited", 16 * 1024 * 1024, files, "unlimited"]);
  });

  testOpened(`S10 commands go first when memory runs out, the server does not, as ${user}`, async ({ server }) => {
    assert.match((await server.shell("cat /proc/self/oom_score_adj")).text, /^1000$/m);
    const { stdout } = await new Deno.Command("cat", { args: [`/proc/${server.pid}/oom_score_adj`] }).output();
    const { stdout: own } = await new Deno.Command("cat", { args: ["/proc/self/oom_score_adj"] }).output();
    assert.deepStrictEqual(stdout, own, "the server has what it was started with");
  });

  // The kernel counts the time of each process, whatever user it has.
  if (user !== "ordinary") continue;
  testClosed("S10 --limit-cpu ends a loop without end", async ({ server }) => {
    const { text } = await server.shell("(while :; do :; done); echo $?", { timeout_seconds: 60 });
    assert.match(text, /^152$/m, "128 + SIGXCPU");
  });
}

// The settings decide it before there is a sandbox: they ask nothing of the user.
Deno.test("S9 --env refuses variables that control programs", async () => {
  using bench = new Workbench();
  const { code, stderr } = await runProgram(bench, ["--env", "BASH_ENV"]);
  assert.deepStrictEqual([code === 0, stderr.includes('"BASH_ENV"')], [false, true], stderr);
});

Deno.test({
  name:
    "S8 in a scope and a --write directory of another user root's commands change files, and those outside no more than ever (root)",
  ignore: Deno.uid() !== 0,
  async fn() {
    using bench = new Workbench("root");
    const tree = `${bench.elsewhere}/tree`;
    const inside = [bench.scope, tree].map((place) => bench.write(`${place}/theirs`, "as it was\n"));
    const outside = bench.write(`${bench.elsewhere}/a`, "");
    for (const path of [bench.scope, tree, ...inside, outside]) await Deno.chown(path, ORDINARY_ID, ORDINARY_ID);
    for (const path of [...inside, outside]) await Deno.chmod(path, 0o600);
    await using server = await ServerProcess.start(bench, { flags: ["--write", tree] });
    const lines = [...inside, outside].map((path) => `echo changed > ${path}; chmod 640 ${path}; chown 0 ${path}`);
    const { text } = await server.shell(`${lines.join("; ")}; grep CapEff /proc/self/status`);
    assert.match(text, /^CapEff:\t0+b$/m, "CHOWN, DAC_OVERRIDE and FOWNER");
    const seen = await Promise.all([...inside, outside].map(async (path) => {
      const { mode, uid, size } = await Deno.stat(path);
      return [(mode ?? 0) & 0o777, uid, size];
    }));
    const changed = [0o640, 0, "changed\n".length];
    assert.deepStrictEqual(seen, [changed, changed, [0o600, ORDINARY_ID, 0]]);
  },
});

async function namesIn(directory: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(directory), ({ name }) => name)).sort();
}

/** The hard limit of the user who runs the tests, which no limit of ours exceeds. */
const OPEN_FILES = Number(
  new TextDecoder().decode(new Deno.Command("sh", { args: ["-c", "ulimit -Hn"] }).outputSync().stdout).trim(),
) || Infinity;

/** How many processes a command can start, up to `most`, all of which live at once. */
async function forks(server: ServerProcess, most: number): Promise<number> {
  const script = `import os, signal
count = 0
for _ in range(${most}):
  try: pid = os.fork()
  except OSError: break
  if pid == 0: signal.pause()
  count += 1
print("forks", count)`;
  const { text } = await server.shell("/usr/bin/python3 -", { stdin: script, timeout_seconds: 60 });
  return Number(/^forks (\d+)$/m.exec(text)?.[1]);
}

/** Core, processor time, file size in KiB, open files, memory in KiB: hard limits, as the shell sees them. */
async function limits(server: ServerProcess): Promise<readonly (number | string)[]> {
  const { text } = await server.shell("for what in c t f n d; do echo limit $(ulimit -S$what) $(ulimit -H$what); done");
  return [...text.matchAll(/^limit \S+ (\S+)$/gm)].map(([, hard = ""], index) => {
    // The hard limit of processor time is one second more, so that the signal that says so comes first.
    const number = Number(hard) - (index === 1 ? 1 : 0);
    return Number.isNaN(number) ? hard : number;
  });
}
