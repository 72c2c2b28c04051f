import assert from "node:assert/strict";
import { SILENT } from "../../base/log.ts";
import { KeptGrants, type NewGrant } from "./kept_grants.ts";

const DAY_MS = 86_400_000;
const APP = [{ path: "/work/app", device: 1n, inode: 2n }];
const LIB = [{ path: "/work/lib", device: 1n, inode: 3n }];
const FONTS: NewGrant = {
  subject: { kind: "read", path: "/opt/fonts" },
  identity: { device: 1n, inode: 9n },
  project: APP,
};
const HOST: NewGrant = { subject: { kind: "network", host: "a.example.org", port: 443 }, project: APP };

interface Stage {
  readonly file: string;
  readonly directory: string;
  /** A store of the same file, `days` later. */
  readonly open: (days?: number) => KeptGrants;
  readonly warned: string[];
}

async function withStage(act: (stage: Stage) => Promise<void>): Promise<void> {
  const place = await Deno.realPath(await Deno.makeTempDir());
  const directory = `${place}/state/grants`;
  const warned: string[] = [];
  const log = { ...SILENT, warn: (message: string) => void warned.push(message) };
  const open = (days = 0) => new KeptGrants({ directory, now: () => (100 + days) * DAY_MS, log });
  try {
    await act({ file: `${directory}/grants.json`, directory, open, warned });
  } finally {
    await Deno.remove(place, { recursive: true });
  }
}

async function added(store: KeptGrants, grant: NewGrant): Promise<string> {
  const kept = await store.add(grant);
  return kept.ok ? kept.value.id : assert.fail(kept.problem);
}

function ids(store: KeptGrants, scopes = APP): readonly string[] {
  return store.of(scopes).map(({ id }) => id);
}

Deno.test("S36 a grant holds for its project alone, in every process of the user, and its file is private", () =>
  withStage(async ({ file, directory, open }) => {
    const [one, other] = [open(), open()];
    assert.deepStrictEqual([ids(one), ids(other), one.list()], [[], [], []]);
    const fonts = await added(one, FONTS);
    const host = await added(other, HOST);
    const lib = await added(other, { ...FONTS, project: LIB });
    assert.equal(await added(one, { ...HOST }), host);
    assert.deepStrictEqual([ids(one), ids(other, LIB)], [[fonts, lib, host].filter((id) => id !== lib), [lib]]);
    const { id, ...rest } = one.of(APP)[0] ?? assert.fail();
    assert.deepStrictEqual([id, rest], [fonts, { ...FONTS, granted: 100 * DAY_MS, used: 100 * DAY_MS }]);
    const modeOf = (path: string) => (Deno.lstatSync(path).mode ?? 0) & 0o777;
    assert.deepStrictEqual([modeOf(file), modeOf(directory)], [0o600, 0o700]);
  }));

Deno.test("S36 a grant that is taken back is gone for other processes at once, and their listeners hear of it", () =>
  withStage(async ({ open }) => {
    await using server = open();
    const terminal = open();
    const fonts = await added(server, FONTS);
    const host = await added(server, HOST);
    const heard = Promise.withResolvers<readonly string[]>();
    server.subscribe(() => ids(server).length === 1 && heard.resolve(ids(server)));
    const revoked = await terminal.revoke(({ id }) => id === fonts);
    assert.deepStrictEqual([revoked.map(({ id }) => id), ids(server)], [[fonts], [host]]);
    assert.deepStrictEqual(await heard.promise, [host]);
    // A use that is written later does not bring it back.
    await open(1).used([fonts, host]);
    assert.deepStrictEqual(ids(server), [host]);
    assert.deepStrictEqual(await terminal.revoke(() => true).then((all) => all.map(({ id }) => id)), [host]);
    assert.deepStrictEqual([await terminal.revoke(() => true), terminal.list()], [[], []]);
  }));

Deno.test("S36 a grant is over after 30 days without use, and a use is written once an hour", () =>
  withStage(async ({ file, open }) => {
    const fonts = await added(open(), FONTS);
    const host = await added(open(), HOST);
    const before = await Deno.readTextFile(file);
    await open(0.9 / 24).used([fonts]);
    assert.equal(await Deno.readTextFile(file), before);
    await open(20).used([fonts]);
    assert.deepStrictEqual([ids(open(30)), ids(open(31)), ids(open(51))], [[fonts, host], [fonts], []]);
    // Over, it does not come back, and goes with the next change.
    await open(31).used([host]);
    const lib = await added(open(31), { ...HOST, project: LIB });
    assert.deepStrictEqual([ids(open(31)), ids(open(31), LIB)], [[fonts], [lib]]);
    assert.ok(!(await Deno.readTextFile(file)).includes(host));
  }));

Deno.test("S36 a damaged file grants nothing, is told, and is set aside by the next change", () =>
  withStage(async ({ file, open, warned }) => {
    await added(open(), FONTS);
    const good = await Deno.readTextFile(file);
    const server = open();
    for (const text of ["my-secret", good.slice(0, -5), good.replace('"read"', '"everything"')]) {
      warned.length = 0;
      await Deno.writeTextFile(file, text);
      assert.deepStrictEqual([ids(server), ids(server)], [[], []]);
      assert.equal(warned.length, 1);
      assert.match(warned[0] ?? "", /^Cannot use the grants in ".*grants\.json": it .*\. It grants nothing/);
      assert.throws(() => open().list(), /It grants nothing/);
      assert.equal(await Deno.readTextFile(file), text);
      const host = await added(server, HOST);
      assert.deepStrictEqual(ids(server), [host]);
      assert.equal(await Deno.readTextFile(`${file}.damaged`), text);
      assert.ok(!warned.join().includes("secret"));
    }
  }));

Deno.test("S36 a file that is a link, too large or open to others grants nothing, and nothing is written there", () =>
  withStage(async ({ file, directory, open, warned }) => {
    await added(open(), FONTS);
    const refused = async (problem: RegExp) => {
      warned.length = 0;
      assert.deepStrictEqual(ids(open()), []);
      assert.match(warned.join(), problem);
      const kept = await open().add(HOST);
      assert.match(kept.ok ? "" : kept.problem, problem);
      await assert.rejects(open().revoke(() => true), problem);
    };
    await Deno.chmod(file, 0o640);
    await refused(/must be a file of yours that no other user can read/);
    await Deno.chmod(file, 0o600);
    await Deno.rename(file, `${file}.real`);
    await Deno.symlink(`${file}.real`, file);
    await refused(/must be a file of yours/);
    await Deno.remove(file);
    await Deno.rename(`${file}.real`, file);
    await Deno.truncate(file, 5 * 1024 * 1024);
    await refused(/it has 5242880 bytes, and at most 4194304 are read/);
    await Deno.truncate(file, 0);
    await Deno.chmod(directory, 0o755);
    await refused(/must be a directory of yours, no link, that no other user can enter/);
  }));

Deno.test("S36 a file that becomes readable to others grants nothing more to a server that has read it", () =>
  withStage(async ({ file, open, warned }) => {
    await using server = open();
    const host = await added(server, HOST);
    assert.deepStrictEqual(ids(server), [host]);
    await Deno.chmod(file, 0o604);
    assert.deepStrictEqual([ids(server), warned.length], [[], 1]);
    await Deno.chmod(file, 0o600);
    assert.deepStrictEqual(ids(server), [host]);
  }));

Deno.test("S36 a thousand grants are kept, and no more", () =>
  withStage(async ({ file, open }) => {
    await added(open(), FONTS);
    const { version, grants: [grant] } = JSON.parse(await Deno.readTextFile(file));
    const grants = Array.from({ length: 1000 }, (_, index) => ({
      ...grant,
      id: `g_${index.toString(16).padStart(8, "0")}`,
      subject: { kind: "read", path: `/opt/${index}` },
    }));
    await Deno.writeTextFile(file, JSON.stringify({ version, grants }));
    const kept = await open().add(HOST);
    assert.match(kept.ok ? "" : kept.problem, /^Cannot keep more grants: take some back with ahma_mcp grants revoke/);
    assert.equal(open().of(APP).length, 1000);
  }));
