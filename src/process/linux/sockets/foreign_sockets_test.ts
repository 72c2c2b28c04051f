import assert from "node:assert/strict";
import { attempt } from "../../../base/errors.ts";
import { Libc } from "../../../system/libc.ts";
import { type ListeningSocket, UnixSockets } from "../../../system/unix_sockets.ts";
import type { GuardView } from "../../../sandbox/protect/guard_view.ts";
import { systemSockets } from "../../tree/socket_owner.ts";
import { until } from "../../_support/runner_fixture.ts";
import { devicesOf, ForeignSockets, type SearchTimes, withCovered } from "./foreign_sockets.ts";

/** Of no process: sockets of this one are another program's then. */
const OTHER_SERVER = 0x7fff_fff0;

interface Scene extends Disposable {
  /** Canonical. */
  readonly tree: string;
  readonly libc: Libc;
  covered(server: number): readonly string[];
  /** Whether the commands of this server's session have no Unix sockets since then. */
  isClosed(server: number): boolean;
  /** Searches with time, before the first command. */
  settle(server: number): Promise<void>;
  /** Tells the session of this server what was in the tree at the start. */
  add(server: number, path: string): void;
}

interface Parts {
  readonly searchTimes?: SearchTimes;
  /** A socket as the kernel would list it. */
  readonly listed?: (one: ListeningSocket) => ListeningSocket;
  /** A path below the tree, on a device of its own, that seems to hold the file of the other one. */
  readonly decoy?: readonly [path: string, like: string];
  /** A process that is another program's. */
  readonly holder?: () => number;
}

function scene({ searchTimes, listed = (one) => one, decoy, holder }: Parts = {}): Scene {
  const tree = Deno.realPathSync(Deno.makeTempDirSync());
  const libc = new Libc();
  const sockets = new UnixSockets();
  const found = new Map<number, ForeignSockets>();
  // Programs elsewhere on the machine may listen at names that lead nowhere, which close Unix sockets rightly.
  const isOwn = ({ name }: ListeningSocket) => name.startsWith(`${tree}/`);
  const of = (server: number) =>
    new ForeignSockets({
      sockets: { list: () => sockets.list()?.filter(isOwn).map(listed), isAlive: (path) => sockets.isAlive(path) },
      looker: { lookAt: (path) => libc.lookAt(decoy && path === `${tree}/${decoy[0]}` ? `${tree}/${decoy[1]}` : path) },
      holder: libc,
      listDirectory: (path) => libc.searched(path),
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
      ...searchTimes !== undefined && { searchTimes },
    }, () => {});
  const reach = { writable: [{ path: tree, device: 1n, inode: 1n }], grants: [] };
  const session = (server: number) => found.getOrInsertComputed(server, of);
  return {
    tree,
    libc,
    add: (server, path) => session(server).add([path]),
    settle: (server) => session(server).settle(reach),
    isClosed: (server) => session(server).closed !== undefined,
    covered(server) {
      return session(server).look(reach).map(({ path, treatment }) => `${treatment} ${path.slice(tree.length + 1)}`)
        .sort();
    },
    [Symbol.dispose]() {
      for (const one of found.values()) one[Symbol.dispose]();
      sockets[Symbol.dispose]();
      libc[Symbol.dispose]();
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

/** A search that looks into 32 directories. */
const SHORT: SearchTimes = { first: 0, later: 0, pause: 1e9 };

async function makeMany({ tree }: Scene): Promise<void> {
  for (let made = 0; made < 61; made++) await Deno.mkdir(`${tree}/many/${made}`, { recursive: true });
  await Deno.mkdir(`${tree}/a/b/c`, { recursive: true });
}

Deno.test("S6 ForeignSockets follows a socket that is moved, and closes Unix sockets where no search finds one", async () => {
  using one = scene({ searchTimes: SHORT });
  await Deno.mkdir(`${one.tree}/run`);
  const listener = Deno.listen({ transport: "unix", path: `${one.tree}/run/s` });
  const seen = (server: number) => [one.covered(server), one.isClosed(server)];
  assert.deepStrictEqual(seen(OTHER_SERVER), [["hidden run/s"], false]);
  await makeMany(one);
  await Deno.rename(`${one.tree}/run`, `${one.tree}/a/b/c/run`);
  assert.deepStrictEqual(seen(OTHER_SERVER), [["hidden a/b/c/run/s"], false]);
  const begun = OTHER_SERVER - 1; // a session that has never seen it elsewhere
  for (const server of [begun, begun]) assert.deepStrictEqual(seen(server), [[], true]);
  await Deno.link(`${one.tree}/a/b/c/run/s`, `${one.tree}/a/b/c/second`);
  assert.deepStrictEqual(seen(OTHER_SERVER), [[], true]);
  await Deno.remove(`${one.tree}/a/b/c/second`);
  assert.deepStrictEqual(seen(OTHER_SERVER), [["hidden a/b/c/run/s"], false]);
  const told = OTHER_SERVER - 2; // a session that found it when it began
  one.add(told, `${one.tree}/a/b/c/run/s`);
  assert.deepStrictEqual(seen(told), [["hidden a/b/c/run/s"], false]);
  await Deno.rename(`${one.tree}/a/b/c/run`, `${one.tree}/run`);
  const all = [OTHER_SERVER, begun, told].map(seen);
  assert.deepStrictEqual(all, all.map(() => [["hidden run/s"], false]));
  listener.close();
  await untilGone(one);
});

/** A socket whose name is relative, of a program that may not be looked at: another user's. */
function unnamed(): Scene {
  const one: Scene = scene({
    searchTimes: { ...SHORT, first: 1e9, pause: 0 },
    listed: (socket) => socket.name === `${one.tree}/a/b/c/s` ? { ...socket, name: "s" } : socket,
  });
  return one;
}

Deno.test("S6 ForeignSockets finds a socket that no name leads to before the first command, however many directories there are", async () => {
  using one = unnamed();
  await makeMany(one);
  using _listener = Deno.listen({ transport: "unix", path: `${one.tree}/a/b/c/s` });
  await one.settle(OTHER_SERVER);
  assert.deepStrictEqual([one.covered(OTHER_SERVER), one.isClosed(OTHER_SERVER)], [["hidden a/b/c/s"], false]);
  await Deno.rename(`${one.tree}/a/b/c`, `${one.tree}/a/b/d`);
  assert.deepStrictEqual([one.covered(OTHER_SERVER), one.isClosed(OTHER_SERVER)], [["hidden a/b/d/s"], false]);
});

Deno.test("S6 ForeignSockets closes Unix sockets while one that no name leads to may be anywhere, and searches again", async () => {
  using one = unnamed();
  await makeMany(one);
  const seen = () => [one.covered(OTHER_SERVER), one.isClosed(OTHER_SERVER)];
  assert.deepStrictEqual(seen(), [[], false]);
  const listener = Deno.listen({ transport: "unix", path: `${one.tree}/a/b/c/s` });
  assert.deepStrictEqual(seen(), [[], true]);
  await Deno.remove(`${one.tree}/many`, { recursive: true });
  assert.deepStrictEqual(seen(), [["hidden a/b/c/s"], false]);
  listener.close();
  await untilGone(one);
  assert.deepStrictEqual(seen(), [[], false]);
});

Deno.test("S6 ForeignSockets knows a socket that was removed, however many directories there are", async () => {
  using one = scene({ searchTimes: SHORT });
  using _listener = Deno.listen({ transport: "unix", path: `${one.tree}/s` });
  assert.deepStrictEqual(one.covered(OTHER_SERVER), ["hidden s"]);
  await makeMany(one);
  await Deno.remove(`${one.tree}/s`);
  assert.deepStrictEqual(one.covered(OTHER_SERVER), []);
});

Deno.test("S6 ForeignSockets takes no file of another device with the same number for a socket", async () => {
  using one = scene({ decoy: ["decoy", "a/b/c/run/s"] });
  await Deno.mkdir(`${one.tree}/run`);
  using _listener = Deno.listen({ transport: "unix", path: `${one.tree}/run/s` });
  await makeMany(one);
  await Deno.rename(`${one.tree}/run`, `${one.tree}/a/b/c/run`);
  one.add(OTHER_SERVER, `${one.tree}/decoy`);
  assert.deepStrictEqual(one.covered(OTHER_SERVER).filter((path) => path !== "hidden decoy"), ["hidden a/b/c/run/s"]);
});

for (const name of ["s", "/proc/self/fd/9/s"]) {
  Deno.test(`S6 ForeignSockets finds a socket named ${name} where its program sees it, wherever that is moved`, async () => {
    let pid = 0;
    const listed = (socket: ListeningSocket) => socket.name === `${one.tree}/run/s` ? { ...socket, name } : socket;
    using one = scene({ searchTimes: SHORT, listed, holder: () => pid });
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
    await makeMany(one);
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
  assert.strictEqual(withCovered(view, { covered: [], closed: undefined }), view);
  assert.strictEqual(withCovered(view, { covered: [socket("/h/.gnupg/agent")], closed: undefined }), view);
  const more = withCovered(view, { covered: [socket("/h/s")], closed: undefined });
  const closed = withCovered(view, { covered: [], closed: "why" });
  assert.deepStrictEqual([closed.closesSockets, closed.key === view.key, more.closesSockets], [true, false, undefined]);
  assert.deepStrictEqual([more.guarded.map(({ path }) => path), more.key === view.key], [["/h/.gnupg", "/h/s"], false]);
});
