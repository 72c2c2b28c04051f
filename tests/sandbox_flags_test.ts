/** Flags that open a little more, or close a little more: exactly what they say, and nothing beside it. */
import assert from "node:assert/strict";
import { runProgram } from "./_support/terminal.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { ORDINARY_ID, usersAtHand, Workbench } from "./_support/workbench.ts";

function placesOf({ elsewhere }: Workbench): readonly string[] {
  return ["read", "write", "beside"].map((name) => `${elsewhere}/${name}`);
}

for (const user of usersAtHand()) {
  const testOpened = sharing((bench) => {
    const [read = "", write = ""] = placesOf(bench);
    for (const place of placesOf(bench)) bench.write(`${place}/file`, `in ${place}\n`);
    const flags = ["--read", read, "--write", write, "--sandbox-scope", bench.scope, "--env", "FIRST_TOKEN"];
    return ServerProcess.start(bench, { flags, environment: { FIRST_TOKEN: "first", SECOND_TOKEN: "second" } });
  }, user);

  /** Without flags, beside those that close something. */
  const testUsual = sharing((bench) => ServerProcess.start(bench), user);

  /** With those that close something. */
  const testClosed = sharing((bench) => {
    return ServerProcess.start(bench, { flags: ["--limit-memory", "128M", "--no-temp-files"] });
  }, user);

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

  Deno.test(`S1 S4 each of two scopes can be changed, and the working directory only where it is one, as ${user}`, async () => {
    using bench = new Workbench(user);
    const scopes = ["a", "b"].map((name) => `${bench.elsewhere}/${name}`);
    for (const scope of scopes) bench.write(`${scope}/file`, "");
    const flags = scopes.flatMap((scope) => ["--sandbox-scope", scope]);
    await using server = await ServerProcess.start(bench, { flags });
    const { text } = await server.shell(
      `pwd; for place in ${scopes.join(" ")} ${bench.scope}; do touch $place/new; done`,
    );
    assert.match(text, new RegExp(`^${scopes[0]}$`, "m"));
    const left = await Promise.all([...scopes, bench.scope].map((place) => namesIn(place)));
    assert.deepStrictEqual(left, [["file", "new"], ["file", "new"], []]);
  });

  for (
    const { test, what, memory, temporary } of [
      { test: testClosed, what: "both hold", memory: null, temporary: ["[none]"] },
      // The control is one user's.
      ...user === "root"
        ? []
        : [{ test: testUsual, what: "without them there is room", memory: ["private", "shared"], temporary: ["made"] }],
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
}

// The settings decide it before there is a sandbox: they ask nothing of the user.
Deno.test("S9 --env refuses variables that control programs", async () => {
  using bench = new Workbench();
  for (const name of ["LD_PRELOAD", "BASH_ENV", "AHMA_NO_SANDBOX"]) {
    const { code, stderr } = await runProgram(bench, ["--env", name]);
    assert.deepStrictEqual([code === 0, stderr.includes(`"${name}"`)], [false, true], stderr);
  }
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
