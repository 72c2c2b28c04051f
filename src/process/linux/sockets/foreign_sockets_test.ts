import assert from "node:assert/strict";
import { attempt } from "../../../base/errors.ts";
import { Libc } from "../../../system/libc.ts";
import { UnixSockets } from "../../../system/unix_sockets.ts";
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
}

function scene(mostDirectories?: number): Scene {
  const tree = Deno.realPathSync(Deno.makeTempDirSync());
  const libc = new Libc(PROCESSOR);
  const sockets = new UnixSockets();
  const found = new Map<number, ForeignSockets>();
  const of = (server: number) =>
    new ForeignSockets({
      sockets,
      looker: libc,
      holder: libc,
      system: systemSockets(libc),
      mounts: () => libc.readProc("/proc/self/mountinfo", { whole: true }) ?? "",
      server,
      cover: "/cover",
      ...mostDirectories !== undefined && { mostDirectories },
    }, () => {});
  return {
    tree,
    libc,
    covered(server) {
      const known = found.get(server) ?? of(server);
      found.set(server, known);
      const reach = { writable: [{ path: tree, device: 1n, inode: 1n }], grants: [] };
      return known.look(reach).map(({ path, treatment }) => `${treatment} ${path.slice(tree.length + 1)}`).sort();
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

Deno.test("S6 ForeignSockets follows a socket that is moved, and lets nothing run where no search finds one", async () => {
  using one = scene(20);
  await Deno.mkdir(`${one.tree}/run`);
  const listener = Deno.listen({ transport: "unix", path: `${one.tree}/run/s` });
  assert.deepStrictEqual(one.covered(OTHER_SERVER), ["hidden run/s"]);
  for (let made = 0; made < 21; made++) await Deno.mkdir(`${one.tree}/many/${made}`, { recursive: true });
  await Deno.mkdir(`${one.tree}/a/b/c`, { recursive: true });
  await Deno.rename(`${one.tree}/run`, `${one.tree}/a/b/c/run`);
  assert.deepStrictEqual(one.covered(OTHER_SERVER), ["hidden a/b/c/run/s"]);
  const refused = /^UserError: Cannot run commands: .*run\/s/;
  const begun = OTHER_SERVER - 1; // a session that has never seen it elsewhere
  for (const server of [begun, begun]) assert.throws(() => one.covered(server), refused);
  await Deno.link(`${one.tree}/a/b/c/run/s`, `${one.tree}/a/b/c/second`);
  assert.throws(() => one.covered(OTHER_SERVER), refused);
  await Deno.remove(`${one.tree}/a/b/c/second`);
  assert.deepStrictEqual(one.covered(OTHER_SERVER), ["hidden a/b/c/run/s"]);
  await Deno.rename(`${one.tree}/a/b/c/run`, `${one.tree}/run`);
  assert.deepStrictEqual([OTHER_SERVER, begun].map((server) => one.covered(server)), [["hidden run/s"], [
    "hidden run/s",
  ]]);
  listener.close();
  await untilGone(one);
});

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
