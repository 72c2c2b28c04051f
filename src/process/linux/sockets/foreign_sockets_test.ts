import assert from "node:assert/strict";
import { attempt } from "../../../base/errors.ts";
import { Libc } from "../../../system/libc.ts";
import { type ListeningSocket, UnixSockets } from "../../../system/unix_sockets.ts";
import type { GuardView } from "../../../sandbox/protect/guard_view.ts";
import { systemSockets } from "../../tree/socket_owner.ts";
import { until } from "../../_support/runner_fixture.ts";
import { devicesOf, ForeignSockets, withCovered } from "./foreign_sockets.ts";

const PROCESSOR = Deno.build.arch === "aarch64" ? "aarch64" : "x86_64";
/** Of no process: sockets of this one are another program's then. */
const OTHER_SERVER = 0x7fff_fff0;

interface Scene extends Disposable {
  /** Canonical. */
  readonly tree: string;
  readonly libc: Libc;
  covered(server: number): readonly string[];
  /** Tells the session of this server what was in the tree at the start. */
  add(server: number, path: string): void;
}

interface Parts {
  readonly mostDirectories?: number;
  /** A socket as the kernel would list it. */
  readonly listed?: (one: ListeningSocket) => ListeningSocket;
  /** A path below the tree, on a device of its own, that seems to hold the file of the other one. */
  readonly decoy?: readonly [path: string, like: string];
  /** A process that is another program's. */
  readonly holder?: () => number;
}

function scene({ mostDirectories, listed = (one) => one, decoy, holder }: Parts = {}): Scene {
  const tree = Deno.realPathSync(Deno.makeTempDirSync());
  const libc = new Libc(PROCESSOR);
  const sockets = new UnixSockets();
  const found = new Map<number, ForeignSockets>();
  const of = (server: number) =>
    new ForeignSockets({
      sockets: { list: () => sockets.list()?.map(listed), isAlive: (path) => sockets.isAlive(path) },
      looker: { lookAt: (path) => libc.lookAt(decoy && path === `${tree}/${decoy[0]}` ? `${tree}/${decoy[1]}` : path) },
      holder: libc,
      system: {
        ...systemSockets(libc),
        // Of this process, as if of another one.
        ...holder !== undefined && { processes: () => [holder()], socketsOf: () => libc.socketsOf(Deno.pid) },
      },
      mounts: () =>
        (libc.readProc("/proc/self/mountinfo", { whole: true }) ?? "") +
        (decoy === undefined ? "" : `\n1 2 999:9 / ${tree}/${decoy[0]} rw - x x rw`),
      server,
      cover: "/cover",
      ...mostDirectories !== undefined && { mostDirectories },
    }, () => {});
  const session = (server: number) => found.getOrInsertComputed(server, of);
  return {
    tree,
    libc,
    add: (server, path) => session(server).add([path]),
    covered(server) {
      const reach = { writable: [{ path: tree, device: 1n, inode: 1n }], grants: [] };
      return session(server).look(reach).map(({ path, treatment }) => `${treatment} ${path.slice(tree.length + 1)}`)
        .sort();
    },
    [Symbol.dispose]() {
      for (const one of found.values()) one[Symbol.dispose]();
      sockets[Symbol.dispose]();
      libc.close();
      Deno.removeSync(tree, { recursive: true });
    },
  };
}

/** A program that another thread starts has a copy of the socket for a moment, and listens so long. */
async function untilGone(one: Scene): Promise<void> {
  await until(() => attempt(Error, () => one.covered(OTHER_SERVER)), (covered) => covered?.length === 0);
}

Deno.test("S6 ForeignSockets covers what another program listens at in a tree, as long as it does, wherever it is moved", async () => {
  using one = scene();
  await Deno.mkdir(`${one.tree}/a/b`, { recursive: true });
  assert.deepStrictEqual(one.covered(OTHER_SERVER), []);
  const listener = Deno.listen({ transport: "unix", path: `${one.tree}/a/b/s` });
  assert.deepStrictEqual(one.covered(OTHER_SERVER), ["hidden a/b/s"]);
  await Deno.rename(`${one.tree}/a`, `${one.tree}/c`);
  assert.deepStrictEqual(one.covered(OTHER_SERVER), ["hidden c/b/s"]);
  await Deno.link(`${one.tree}/c/b/s`, `${one.tree}/second`);
  assert.deepStrictEqual(one.covered(OTHER_SERVER), ["hidden c/b/s", "hidden second"]);
  listener.close();
  await untilGone(one);
});

/** More directories than a session looks into, which is twice 30 here at most. */
const FEW = { mostDirectories: 2 };

async function makeMany({ tree }: Scene, count: number): Promise<void> {
  for (let made = 0; made < count; made++) await Deno.mkdir(`${tree}/many/${made}`, { recursive: true });
  await Deno.mkdir(`${tree}/a/b/c`, { recursive: true });
}

Deno.test("S6 ForeignSockets follows a socket that is moved, and lets nothing run where no search finds one", async () => {
  using one = scene(FEW);
  await Deno.mkdir(`${one.tree}/run`);
  const listener = Deno.listen({ transport: "unix", path: `${one.tree}/run/s` });
  assert.deepStrictEqual(one.covered(OTHER_SERVER), ["hidden run/s"]);
  await makeMany(one, 61);
  await Deno.rename(`${one.tree}/run`, `${one.tree}/a/b/c/run`);
  assert.deepStrictEqual(one.covered(OTHER_SERVER), ["hidden a/b/c/run/s"]);
  const refused = /^UserError: Cannot run commands: .*run\/s/;
  const begun = OTHER_SERVER - 1; // a session that has never seen it elsewhere
  for (const server of [begun, begun]) assert.throws(() => one.covered(server), refused);
  await Deno.link(`${one.tree}/a/b/c/run/s`, `${one.tree}/a/b/c/second`);
  assert.throws(() => one.covered(OTHER_SERVER), refused);
  await Deno.remove(`${one.tree}/a/b/c/second`);
  assert.deepStrictEqual(one.covered(OTHER_SERVER), ["hidden a/b/c/run/s"]);
  const told = OTHER_SERVER - 2; // a session that found it when it began
  one.add(told, `${one.tree}/a/b/c/run/s`);
  assert.deepStrictEqual(one.covered(told), ["hidden a/b/c/run/s"]);
  await Deno.rename(`${one.tree}/a/b/c/run`, `${one.tree}/run`);
  const all = [OTHER_SERVER, begun, told].map((server) => one.covered(server));
  assert.deepStrictEqual(all, all.map(() => ["hidden run/s"]));
  listener.close();
  await untilGone(one);
});

Deno.test("S6 ForeignSockets looks deeper for a socket that would keep commands from running", async () => {
  using one = scene(FEW);
  await Deno.mkdir(`${one.tree}/run`);
  using _listener = Deno.listen({ transport: "unix", path: `${one.tree}/run/s` });
  await makeMany(one, 40);
  await Deno.rename(`${one.tree}/run`, `${one.tree}/a/b/c/run`);
  assert.deepStrictEqual(one.covered(OTHER_SERVER), ["hidden a/b/c/run/s"]);
});

Deno.test("S6 ForeignSockets knows a socket that was removed, however many directories there are", async () => {
  using one = scene(FEW);
  using _listener = Deno.listen({ transport: "unix", path: `${one.tree}/s` });
  assert.deepStrictEqual(one.covered(OTHER_SERVER), ["hidden s"]);
  await makeMany(one, 61);
  await Deno.remove(`${one.tree}/s`);
  assert.deepStrictEqual(one.covered(OTHER_SERVER), []);
});

Deno.test("S6 ForeignSockets takes no file of another device with the same number for a socket", async () => {
  using one = scene({ decoy: ["decoy", "a/b/c/run/s"] });
  await Deno.mkdir(`${one.tree}/run`);
  using _listener = Deno.listen({ transport: "unix", path: `${one.tree}/run/s` });
  await makeMany(one, 1);
  await Deno.rename(`${one.tree}/run`, `${one.tree}/a/b/c/run`);
  one.add(OTHER_SERVER, `${one.tree}/decoy`);
  assert.deepStrictEqual(one.covered(OTHER_SERVER).filter((path) => path !== "hidden decoy"), ["hidden a/b/c/run/s"]);
});

for (const name of ["s", "/proc/self/fd/9/s"]) {
  Deno.test(`S6 ForeignSockets finds a socket named ${name} where its program sees it, wherever that is moved`, async () => {
    let pid = 0;
    const listed = (socket: ListeningSocket) => socket.name === `${one.tree}/run/s` ? { ...socket, name } : socket;
    using one = scene({ ...FEW, listed, holder: () => pid });
    await Deno.mkdir(`${one.tree}/run`);
    using _listener = Deno.listen({ transport: "unix", path: `${one.tree}/run/s` });
    await using program = new Deno.Command("sh", {
      args: ["-c", "exec 9<.; echo; read -r _"],
      cwd: `${one.tree}/run`,
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    pid = program.pid;
    const output = program.stdout.getReader();
    await output.read();
    await makeMany(one, 61);
    await Deno.rename(`${one.tree}/run`, `${one.tree}/a/b/c/run`);
    assert.deepStrictEqual(one.covered(OTHER_SERVER), ["hidden a/b/c/run/s"]);
    await program.stdin.close();
    await output.cancel();
  });
}

Deno.test("S6 ForeignSockets leaves the session's own, and what lies outside of its trees", () => {
  using one = scene();
  using _own = Deno.listen({ transport: "unix", path: `${one.tree}/own` });
  using elsewhere = scene();
  using _outside = Deno.listen({ transport: "unix", path: `${elsewhere.tree}/s` });
  assert.deepStrictEqual([one.covered(Deno.pid), one.covered(OTHER_SERVER)], [[], ["hidden own"]]);
});

Deno.test("S6 devicesOf() finds the mount that holds a tree, and those in it", () => {
  const line = (device: string, at: string) => `1 2 ${device} / ${at} rw - ext4 /dev/x rw`;
  const mounts = [line("8:1", "/"), line("0:5", "/code"), line("0:6", "/code/a\\040b/in"), line("0:7", "/run")].join(
    "\n",
  );
  const reach = { writable: [{ path: "/code/a b", device: 1n, inode: 1n }], grants: [] };
  assert.deepStrictEqual([...devicesOf(reach, mounts)], ["0:5", "0:6"]);
});

Deno.test("S6 S7 withCovered() adds sockets to a view, but not below what is covered already", () => {
  const hidden = { path: "/h/.gnupg", device: 1n, inode: 2n, treatment: "hidden", cover: "/e" } as const;
  const view = { guarded: [hidden], key: "k" } as unknown as GuardView; // nothing else of it is looked at
  const socket = (path: string) => ({ path, device: 1n, inode: 3n, treatment: "hidden", cover: "/n" } as const);
  assert.strictEqual(withCovered(view, []), view);
  assert.strictEqual(withCovered(view, [socket("/h/.gnupg/agent")]), view);
  const more = withCovered(view, [socket("/h/s")]);
  assert.deepStrictEqual([more.guarded.map(({ path }) => path), more.key === view.key], [["/h/.gnupg", "/h/s"], false]);
});
