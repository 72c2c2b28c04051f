/**
 * The session's temp directory as /tmp and /var/tmp (S5): programs write there whatever TMPDIR says. Each denial has its
 * control without a sandbox, and what may be done is done.
 */
import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { exists, ORDINARY_ID, type User, usersAtHand, Workbench } from "./_support/workbench.ts";

const SECRET = "of-another-program";
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
    await using open = await ServerProcess.start(bench, { flags: ["--no-sandbox"] });
    const taken = await open.shell(steal(file));
    assert.ok(taken.text.includes(SECRET) && taken.text.includes(file.name));
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
