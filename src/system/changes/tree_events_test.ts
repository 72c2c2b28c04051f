import assert from "node:assert/strict";
import { TreeEvents } from "./tree_events.ts";

const NAMES = [".git", "HEAD"] as const;

/** Events of a new directory, and what appeared in it since the last time: paths relative to it. */
async function watched(
  use: (test: { readonly root: string; readonly events: TreeEvents; seen(): Promise<Seen> }) => Promise<void> | void,
  { most = 1_000, directories = [] as readonly string[] } = {},
): Promise<void> {
  const root = await Deno.makeTempDir();
  for (const directory of directories) await Deno.mkdir(`${root}/${directory}`, { recursive: true });
  const isLeftOut = (name: string) => name === "node_modules";
  using events = new TreeEvents({ names: NAMES, isLeftOut, most });
  const relative = (paths: ReadonlySet<string> = new Set()) =>
    Array.from(paths, (path) => path.slice(root.length)).toSorted();
  const seen = async () => {
    const first = events.look();
    await events.explore();
    const then = events.look();
    const both = (name: "directories" | "followed") =>
      relative((first?.[name] ?? new Set()).union(then?.[name] ?? new Set()));
    return { directories: both("directories"), followed: both("followed") };
  };
  await events.add(root);
  await use({ root, events, seen });
  await Deno.remove(root, { recursive: true });
}

const NOTHING: Seen = { directories: [], followed: [] };

interface Seen {
  readonly directories: readonly string[];
  readonly followed: readonly string[];
}

const ignore = Deno.build.os !== "linux";

Deno.test({
  name: `S24 TreeEvents finds names wherever they appear, and says nothing else${ignore ? " (needs Linux)" : ""}`,
  ignore,
  fn: () =>
    watched(async ({ root, seen }) => {
      assert.deepStrictEqual(await seen(), { directories: ["/old"], followed: [] });
      await Deno.writeTextFile(`${root}/file`, "");
      await Deno.mkdir(`${root}/a/b/c`, { recursive: true });
      assert.deepStrictEqual(await seen(), NOTHING);
      await Deno.mkdir(`${root}/a/b/c/.git`);
      await Deno.writeTextFile(`${root}/a/HEAD`, "");
      assert.deepStrictEqual(await seen(), { directories: ["/a", "/a/b/c"], followed: [] });
      await Deno.rename(`${root}/a/b`, `${root}/moved`);
      await Deno.mkdir(`${root}/x/y/.git`, { recursive: true });
      await Deno.rename(`${root}/moved/c/.git`, `${root}/x/.git`);
      assert.deepStrictEqual(await seen(), { directories: ["/x", "/x/y"], followed: [] });
      await Deno.writeTextFile(`${root}/moved/c/HEAD`, "");
      assert.deepStrictEqual((await seen()).directories, ["/moved/c"]);
      await Deno.writeTextFile(`${root}/x/.git/HEAD`, "");
      assert.deepStrictEqual(await seen(), NOTHING);
    }, { directories: ["old/.git"] }),
});

Deno.test({
  name: `S24 TreeEvents enters what it left out when it is asked to${ignore ? " (needs Linux)" : ""}`,
  ignore,
  fn: () =>
    watched(async ({ root, events, seen }) => {
      assert.deepStrictEqual((await seen()).directories, []);
      await events.leaveOutNothing();
      assert.deepStrictEqual((await seen()).directories, ["/node_modules/x"]);
      await Deno.mkdir(`${root}/node_modules/y/.git`, { recursive: true });
      assert.deepStrictEqual((await seen()).directories, ["/node_modules/y"]);
    }, { directories: ["node_modules/x/.git"] }),
});

Deno.test({
  name: `S24 TreeEvents tells every change of what it follows${ignore ? " (needs Linux)" : ""}`,
  ignore,
  fn: () =>
    watched(async ({ root, events, seen }) => {
      await seen();
      events.follow(`${root}/one`, ["hooks", "missing"]);
      for (const path of ["new", "hooks/new", "new"]) {
        await Deno.writeTextFile(`${root}/one/${path}`, "x");
        assert.deepStrictEqual(await seen(), { directories: [], followed: ["/one"] }, path);
      }
      assert.deepStrictEqual(await seen(), NOTHING);
    }, { directories: ["one/hooks"] }),
});

Deno.test({
  name: `S24 TreeEvents goes through what the system does not watch at each look${ignore ? " (needs Linux)" : ""}`,
  ignore,
  fn: () =>
    watched(async ({ root, seen }) => {
      await Deno.mkdir(`${root}/b/.git`);
      assert.deepStrictEqual((await seen()).directories, ["/b"]);
      await Deno.mkdir(`${root}/b/c/.git`, { recursive: true });
      assert.deepStrictEqual((await seen()).directories, ["/b", "/b/c"]);
    }, { most: 1, directories: ["a", "b"] }),
});

Deno.test({
  name: `S24 TreeEvents enters a directory once, however often it was moved${ignore ? " (needs Linux)" : ""}`,
  ignore,
  fn: () =>
    watched(async ({ root, events, seen }) => {
      for (let moves = 0; moves < 500; moves++) {
        await Deno.rename(`${root}/one`, `${root}/two`);
        await Deno.rename(`${root}/two`, `${root}/one`);
      }
      const entered: string[] = [];
      const list = events.list.bind(events);
      events.list = (path) => {
        entered.push(path.slice(root.length));
        return list(path);
      };
      await seen();
      assert.deepStrictEqual(entered.toSorted(), ["/one", "/one/below"]);
    }, { directories: ["one/below"] }),
});
