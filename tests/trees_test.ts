/**
 * Directories that are not plain ones. Trees in trees, whose ways commands exchange for links (S20): the attack
 * catalogue does it while commands are launched; here each state stands still, so that each outcome is certain. The
 * session's temp directory as /tmp and /var/tmp (S5): programs write there whatever TMPDIR says; each denial has its
 * control without a sandbox, and what may be done is done. A linked worktree, or a submodule, as the scope: git fails
 * there, the log and the result say what it needs, and that is enough.
 */
import assert from "node:assert/strict";
import { own } from "./attacks/means/as_user.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { exists, ORDINARY_ID, type User, usersAtHand, Workbench } from "./_support/workbench.ts";

const SECRET = "of-another-program";
/** `x/y`, the true tree, is put away, and `x/y` leads outside. */
const EXCHANGE = "mv x kept && mkdir x && ln -s OUTSIDE x/y";
const PUT_BACK = "rm -r x && mv kept x";
const LOOT = "cat x/y/secret secret; echo planted > x/y/planted; echo planted > planted; true";

for (const user of usersAtHand()) {
  Deno.test(`S20 a session's tree is never what a link on its way leads to, as ${user}`, async () => {
    using place = new NestedPlace(user);
    const { bench, inner, outside } = place;
    await using parent = await ServerProcess.start(bench);
    using own = new Workbench(user);
    await using child = await ServerProcess.start(own, { flags: ["--sandbox-scope", inner] });
    assert.match((await child.shell("echo inside > made; cat made")).text, /inside/);

    await parent.shell(EXCHANGE.replace("OUTSIDE", outside));
    assert.equal(await Deno.readTextFile(`${inner}/secret`), SECRET, "the link is a real way outside");
    const stolen = await child.shell(LOOT);
    assert.match(stolen.text, /cannot .* Nothing was run/);
    assert.deepStrictEqual([stolen.text.includes(SECRET), stolen.isError, place.planted], [false, true, false]);

    await parent.shell(PUT_BACK);
    assert.match((await child.shell("cat made")).text, /inside/);
  });

  // One sandbox has both trees, and each user's own files: the one with fewer rights tries it.
  if (user === "root") continue;
  Deno.test(`S20 a tree inside another tree of the session opens nothing after it is moved, as ${user}`, async () => {
    using place = new NestedPlace(user);
    const { bench, inner, outside } = place;
    const flags = ["--sandbox-scope", bench.scope, "--sandbox-scope", inner, "--write", inner];
    await using server = await ServerProcess.start(bench, { flags });
    const exchanged = await server.shell(`${EXCHANGE.replace("OUTSIDE", outside)} && echo exchanged`);
    assert.match(exchanged.text, /exchanged/);
    const stolen = await server.shell(LOOT);
    assert.deepStrictEqual([stolen.text.includes(SECRET), place.planted], [false, false]);

    // Renamed across the border of the two, which is no border for the kernel, and made again under its name.
    const line = `${PUT_BACK} && /usr/bin/python3 -c "import os; os.rename('x/y/file', 'file')" && cat file && ` +
      "rm -r x && mkdir -p x/y && echo again > x/y/file";
    assert.match((await server.shell(line)).text, /in the inner tree/);
    assert.match((await server.shell("cat x/y/file")).text, /again/);
  });
}

class NestedPlace implements Disposable {
  readonly bench: Workbench;

  constructor(user: User) {
    this.bench = new Workbench(user);
    this.bench.write("x/y/file", "in the inner tree\n");
    this.bench.write(`${this.outside}/secret`, SECRET);
  }

  get inner(): string {
    return `${this.bench.scope}/x/y`;
  }

  get outside(): string {
    return `${this.bench.elsewhere}/outside`;
  }

  /** Whether a command made a file outside. */
  get planted(): boolean {
    return exists(`${this.outside}/planted`);
  }

  [Symbol.dispose](): void {
    this.bench[Symbol.dispose]();
  }
}

/** Ways in which programs write there. */
const WRITES = "echo one > /tmp/x && mktemp -p /tmp && mkdir /var/tmp/d && " +
  "/usr/bin/python3 -c \"import os, tempfile; tempfile.mkstemp(dir='/var/tmp'); os.rename('/tmp/x', '/tmp/y')\"";

for (const user of usersAtHand()) {
  Deno.test(`S5 S20 /tmp is the session's own and private: it lasts as long as the session, shows no other program's names, and grants below it keep their path, as ${user}`, async () => {
    using bench = new Workbench(user);
    using other = new Workbench(user);
    using file = new HostFile(user);
    using directory = new HostDirectory(user);
    let temporary = "";
    {
      await using server = await ServerProcess.start(bench);
      temporary = await isOwn(server, file);
      using foreign = new HostFile(user);
      await explains(server, foreign);
      const { path } = directory;
      const flags = ["--sandbox-scope", `${path}/deep/scope`, "--read", `${path}/read`, "--write", `${path}/write`];
      await using beside = await ServerProcess.start(other, { flags });
      assert.match((await beside.shell("cat /tmp/y || echo not there")).text, /not there/);
      await beside.shell(`touch ${other.scope}/planted`);
      assert.ok(!exists(`${other.scope}/planted`), "--sandbox-scope decides over the working directory");
      await keepsPaths(beside, directory);
    }
    assert.deepStrictEqual([exists(temporary), exists("/tmp/y"), exists("/var/tmp/y")], [false, false, false]);

    // The control, which asks only for what the user may.
    if (user === "root") return;
    const taken = await own({ user }, bench, steal(file));
    assert.ok(taken.includes(SECRET) && taken.includes(file.name));
    assert.equal(file.text(), `${SECRET}planted\n`);
  });
}

function steal({ name, path }: HostFile): string {
  return `ls -a /tmp /var/tmp | grep -F ${name}; cat ${path} 2> .err; echo planted >> ${path}; true`;
}

/** Gives where it is on the machine. */
async function isOwn(server: ServerProcess, host: HostFile): Promise<string> {
  const written = await server.shell(`${WRITES} && cat /tmp/y $TMPDIR/y && mktemp && stat -c "at %a %n" $TMPDIR`);
  assert.match(written.text, /\/tmp\/tmp\.\w+\none\none\n\/\S+\nat 700 \//);
  assert.match((await server.shell("cat /var/tmp/y; rmdir /tmp/d && echo gone")).text, /one\ngone/);
  const stolen = await server.shell(steal(host));
  assert.deepStrictEqual([stolen.text.includes(SECRET), stolen.text.includes(host.name)], [false, false]);
  assert.equal(host.text(), SECRET);
  return /^at 700 (.+)$/m.exec(written.text)?.[1] ?? "";
}

/** A failed command gets an explanation for files outside in /tmp, and none for its own files. */
async function explains(server: ServerProcess, host: HostFile): Promise<void> {
  const missed = await server.shell(`cat ${host.path}`);
  assert.ok(missed.text.includes(`"${host.path}" lies outside the scope`), missed.text);
  const own = await server.shell("echo mine > /tmp/mine; cat /tmp/mine /tmp/not-there; false");
  assert.match(own.text, /mine/);
  assert.doesNotMatch(own.text, /lies outside/);
}

/** Paths below /tmp that were granted to a session keep their path, and cannot be moved. */
async function keepsPaths(server: ServerProcess, host: HostDirectory): Promise<void> {
  const { path } = host;
  const used = await server.shell(
    `pwd && echo made > file && echo made > ${path}/write/file && cat ${path}/read/file`,
  );
  assert.ok(used.text.includes(`${path}/deep/scope\n${SECRET}`), used.text);
  assert.deepStrictEqual([host.text("deep/scope/file"), host.text("write/file")], ["made\n", "made\n"]);

  const name = path.slice(path.lastIndexOf("/") + 1);
  const ways = [path, `/var/tmp/${name}`, `$TMPDIR/${name}`, `${path}/deep`, `${path}/deep/scope`, `${path}/read`];
  const moves = ways.map((way) => `mv ${way} ${way}-away; rm -rf ${way}/read; rmdir ${way}`).join("; ");
  await server.shell(`${moves}; echo x >> ${path}/read/file; chmod 777 ${path}/read ${path}; touch ${path}/read`);
  assert.deepStrictEqual([host.text("read/file"), host.mode("read"), host.mode("")], [SECRET, 0o755, 0o755]);
  const beside = await server.shell(`echo x > ${path}/new`);
  assert.ok(beside.text.includes(`Sandbox: "${path}/new"`) && beside.text.includes("$TMPDIR"), beside.text);
  const again = await server.shell(`cat file ${path}/read/file ${path}/write/file`);
  assert.ok(again.text.includes(`made\n${SECRET}made`), again.text);
}

/** A file of another program in the machine's /tmp. */
class HostFile implements Disposable {
  readonly path: string;

  constructor(user: User) {
    this.path = Deno.makeTempFileSync({ dir: "/tmp", prefix: "ahma-host-" });
    Deno.writeTextFileSync(this.path, SECRET);
    give(this.path, user);
  }

  get name(): string {
    return this.path.slice("/tmp/".length);
  }

  text(): string {
    return Deno.readTextFileSync(this.path);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path);
  }
}

/** A directory in the machine's /tmp, as projects of tests are. */
class HostDirectory implements Disposable {
  readonly path: string;

  constructor(user: User) {
    this.path = Deno.realPathSync(Deno.makeTempDirSync({ dir: "/tmp", prefix: "ahma-host-" }));
    for (const name of ["", "deep", "deep/scope", "read", "write"]) {
      Deno.mkdirSync(`${this.path}/${name}`, { recursive: true });
      Deno.chmodSync(`${this.path}/${name}`, 0o755);
      give(`${this.path}/${name}`, user);
    }
    Deno.writeTextFileSync(`${this.path}/read/file`, SECRET);
    give(`${this.path}/read/file`, user);
  }

  text(name: string): string {
    return Deno.readTextFileSync(`${this.path}/${name}`);
  }

  mode(name: string): number {
    return (Deno.statSync(`${this.path}/${name}`).mode ?? 0) & 0o777;
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

function give(path: string, user: User): void {
  if (user === "ordinary" && Deno.uid() === 0) Deno.chownSync(path, ORDINARY_ID, ORDINARY_ID);
}

const COMMIT = "git -c user.name=Test -c user.email=test@example.invalid commit -q --allow-empty -m";

interface Kind {
  readonly name: string;
  /** Below the directory of the main repository, or of the bench's scope. */
  readonly tree: (bench: Workbench, main: string) => string;
  /** In the main repository, which has a commit. */
  readonly make: (tree: string) => string;
  /** Its repository, seen from the main one. */
  readonly repository: string;
}

/** What the result of a line and the log say. */
interface Told {
  readonly text: string;
  readonly flags: readonly (readonly string[])[] | undefined;
  readonly warned: boolean;
}

type Tell = (place: { readonly tree: string; readonly advice: string }, line: string) => Promise<Told>;

const WORKTREE: Kind = {
  name: "worktree",
  tree: ({ scope }) => `${scope}/tree`,
  make: (tree) => `git worktree add -q '${tree}'`,
  repository: ".git",
};

const SUBMODULE: Kind = {
  name: "submodule",
  tree: (_, main) => `${main}/lib/part`,
  make: () =>
    `git clone -q --bare . ../part && git -c protocol.file.allow=always submodule add -q "$PWD/../part" lib/part`,
  repository: ".git/modules/lib/part",
};

/** A tree of this kind, and the repository that it needs, as the user of the bench has them. */
async function treeOf(bench: Workbench, { name, tree: find, make, repository }: Kind) {
  const main = `${bench.elsewhere}/${name}/main`;
  const tree = find(bench, main);
  const made = await new Deno.Command("sh", {
    args: ["-c", `git init -q '${main}' && cd '${main}' && ${COMMIT} one && ${make(tree)}`],
    env: { GIT_CONFIG_GLOBAL: "/dev/null" },
  }).output();
  assert.ok(made.success, new TextDecoder().decode(made.stderr));
  if (Deno.uid() === 0) {
    await new Deno.Command("chown", { args: ["-R", `${ORDINARY_ID}:${ORDINARY_ID}`, main, tree] }).output();
  }
  return { tree, repository: `${main}/${repository}`, advice: `--write ${main}/${repository}` };
}

Deno.test("S4 S15 with a worktree or a submodule of git as a scope, the result says what it needs", async () => {
  using bench = new Workbench("ordinary");
  const [worktree, submodule] = [await treeOf(bench, WORKTREE), await treeOf(bench, SUBMODULE)];
  const both = [worktree, submodule];
  type Place = typeof worktree;
  const told = async (places: readonly Place[], flags: readonly string[], act: (tell: Tell) => Promise<void>) => {
    const scopes = places.flatMap(({ tree }) => ["--sandbox-scope", tree]);
    await using server = await ServerProcess.start(bench, { flags: [...scopes, "--log-to-stderr", ...flags] });
    await act(async ({ tree, advice }, line) => {
      const { text, result } = await server.shell(line, { working_directory: tree });
      const meta = result._meta as Readonly<Record<string, unknown>> | undefined; // the server's own format
      const denied = meta?.["ahma/sandbox_denied"] as readonly { readonly flags: readonly string[] }[] | undefined;
      return { text, flags: denied?.map((one) => one.flags), warned: server.stderr.includes(advice) };
    });
  };
  const closed = (place: Place, { text, flags, warned }: Told) =>
    assert.deepStrictEqual([flags, warned], [[[place.advice]], true], text);
  await told(both, [], async (tell) => {
    for (const place of both) closed(place, await tell(place, "git status"));
  });
  // To read it is half of what a submodule needs too.
  await told(
    [worktree],
    ["--read", worktree.repository],
    async (tell) => closed(worktree, await tell(worktree, `git status -s && ${COMMIT} two`)),
  );
  await told(both, both.flatMap(({ repository }) => ["--write", repository]), async (tell) => {
    for (const place of both) {
      const open = await tell(place, `${COMMIT} two && git log --format='logged %s'`);
      assert.deepStrictEqual([open.flags, open.warned], [undefined, false], open.text);
      assert.match(open.text, /^logged two$/m);
      const hook = await tell(place, `echo x > ${place.repository}/hooks/pre-commit`);
      assert.deepStrictEqual(hook.flags, [[`--allow-protected ${place.repository}/hooks`]], hook.text);
    }
  });
});
