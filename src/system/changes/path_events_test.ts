import { strict as assert } from "node:assert";
import fc from "fast-check";
import { Libc } from "../libc.ts";
import type { ChangeWatch, Watched } from "../stat_watch.ts";
import { NoticedWatches } from "./path_events.ts";

const PATHS = ["a", "a/b", "a/b/c", "a/x", "link/b/c", "d/e/f", "s"];
const KINDS = ["everything", "identity", "absence"] as const;

/** A tree, and watches in it by what the kernel notices. */
class Fixture implements AsyncDisposable {
  readonly tree: string;
  /** Looks that noticed watches have made. */
  looks = 0;
  readonly #libc = new Libc();
  readonly #noticed = new NoticedWatches((paths, watched) => {
    const watch = this.#libc.watch(paths, watched);
    return {
      isUnchanged: () => {
        this.looks++;
        return watch.isUnchanged();
      },
    };
  });

  private constructor(tree: string) {
    this.tree = tree;
  }

  static async make(): Promise<Fixture> {
    const fixture = new Fixture(await Deno.realPath(await Deno.makeTempDir()));
    for (const event of ["mkdir a/b", "write a/b/c", "write s", "symlink link", "name second"]) await fixture.do(event);
    return fixture;
  }

  watch(names: readonly string[], watched?: Watched): ChangeWatch {
    return this.#noticed.watch(names.map((name) => `${this.tree}/${name}`), watched);
  }

  /** What a watch of that kind is about, as it is now. */
  facts(names: readonly string[], watched: Watched): string {
    const facts = names.map((name) => this.#libc.lookAt(`${this.tree}/${name}`)).map((found) => {
      if (found === undefined || watched === "absence") return [found !== undefined];
      const { device, inode, mode, links, size, changedAt } = found;
      return watched === "identity" ? [device, inode] : [device, inode, mode, links, size, changedAt];
    });
    return facts.join("; ");
  }

  /** One thing that a program does; what cannot be done is not. */
  async do(event: string): Promise<void> {
    const [verb = "", name = ""] = event.split(" ");
    await EVENTS[verb]?.(`${this.tree}/${name}`, this.tree).catch((thrown) => assert.ok(thrown instanceof Error));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#noticed[Symbol.dispose]();
    this.#libc[Symbol.dispose]();
    await Deno.remove(this.tree, { recursive: true });
  }
}

const EVENTS: Readonly<Record<string, (path: string, tree: string) => Promise<unknown>>> = {
  write: (path) => Deno.writeTextFile(path, "x"),
  append: (path) => Deno.writeTextFile(path, "x", { append: true }),
  truncate: (path) => Deno.truncate(path, 3),
  mode: (path) => Deno.chmod(path, 0o700),
  times: (path) => Deno.utime(path, 1, 1),
  mkdir: (path) => Deno.mkdir(path, { recursive: true }),
  remove: (path) => Deno.remove(path, { recursive: true }),
  away: (path) => Deno.rename(path, `${path}.away`),
  back: (path) => Deno.rename(`${path}.away`, path),
  exchange: async (path) => {
    await Deno.rename(path, `${path}.old`);
    await Deno.mkdir(path);
  },
  symlink: (path, tree) => Deno.symlink(`${tree}/a`, path),
  name: (path, tree) => Deno.link(`${tree}/a/b/c`, path),
};

const NAMES = [...PATHS, "second", "link", "other", "a/other", "d", "d/e"];
const ANY_EVENT = fc.tuple(fc.constantFrom(...Object.keys(EVENTS)), fc.constantFrom(...NAMES))
  .map(([verb, name]) => [`${verb} ${name}`]);
/** Two moves of one name, which hardly ever meet by chance. */
const THERE_AND_BACK = fc.constantFrom(...NAMES).map((name) => [`away ${name}`, `back ${name}`]);
const EVENTS_IN_TURN = fc.array(fc.oneof({ arbitrary: ANY_EVENT, weight: 5 }, THERE_AND_BACK), { maxLength: 20 })
  .map((some) => some.flat());

Deno.test("S8 S21 NoticedWatches say of no path that it is unchanged where a look sees a change", async () => {
  await fc.assert(
    fc.asyncProperty(EVENTS_IN_TURN, async (events) => {
      await using f = await Fixture.make();
      const watches = KINDS.map((kind) => ({ kind, noticed: f.watch(PATHS, kind), last: "" }));
      for (const event of ["none", "none", ...events]) {
        await f.do(event);
        for (const watch of watches) {
          const now = f.facts(PATHS, watch.kind);
          const isUnchanged = watch.noticed.isUnchanged();
          if (now !== watch.last) assert.ok(!isUnchanged, `${watch.kind} after ${event}`);
          watch.last = now;
        }
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("N1 NoticedWatches look at nothing while nothing happens to their paths", async () => {
  await using f = await Fixture.make();
  const watches = KINDS.map((kind) => f.watch(["a/b/c", "a/x", "d/e/f"], kind));
  assert.deepStrictEqual(watches.map((one) => one.isUnchanged()), [false, false, false]);
  f.looks = 0;
  for (const event of ["write other", "write a/other", "remove a/other", "mkdir e"]) {
    await f.do(event);
    assert.deepStrictEqual([watches.map((one) => one.isUnchanged()), f.looks], [[true, true, true], 0], event);
  }
  await f.do("append a/b/c");
  assert.deepStrictEqual([watches.map((one) => one.isUnchanged()), f.looks], [[false, true, false], 2]);
});

Deno.test("S8 NoticedWatches see a change among more events than the kernel keeps", async () => {
  await using f = await Fixture.make();
  const noticed = f.watch(["a/b/c"]);
  noticed.isUnchanged();
  flood(f.tree, Number(await Deno.readTextFile("/proc/sys/fs/inotify/max_queued_events")));
  await f.do("append a/b/c");
  assert.deepStrictEqual([noticed.isUnchanged(), noticed.isUnchanged()], [false, true]);
});

/** At least so many events. */
function flood(tree: string, count: number): void {
  Deno.writeTextFileSync(`${tree}/one`, "");
  for (let made = 0; made < count; made += 4) {
    Deno.renameSync(`${tree}/one`, `${tree}/two`);
    Deno.renameSync(`${tree}/two`, `${tree}/one`);
  }
  Deno.removeSync(`${tree}/one`);
}

Deno.test("S8 NoticedWatches hear of the end of a writable mapping, whose writes the kernel does not tell", async () => {
  await using f = await Fixture.make();
  const noticed = f.watch(["a/b/c"]);
  noticed.isUnchanged();
  const code = "import mmap, sys; f = open(sys.argv[1], 'r+b'); m = mmap.mmap(f.fileno(), 0); f.close(); m[0] = 66";
  const { success } = await new Deno.Command("python3", { args: ["-c", code, `${f.tree}/a/b/c`] }).output();
  assert.deepStrictEqual([success, noticed.isUnchanged(), noticed.isUnchanged()], [true, false, true]);
});

const MOUNTED = `
import { Libc } from "${import.meta.resolve("../libc.ts")}";
import { NoticedWatches } from "${import.meta.resolve("./path_events.ts")}";
const [tree] = Deno.args;
const libc = new Libc();
const watches = new NoticedWatches((paths, watched) => libc.watch(paths, watched));
const watch = watches.watch([tree + "/a/b/c"]);
const seen = [watch.isUnchanged(), watch.isUnchanged()];
await new Deno.Command("mount", { args: ["--bind", tree + "/d", tree + "/a/b"] }).output();
seen.push(watch.isUnchanged(), watch.isUnchanged());
await Deno.writeTextFile(tree + "/d/c", "x");
seen.push(watch.isUnchanged());
console.log(JSON.stringify(seen));`;

Deno.test("S8 S20 NoticedWatches see what is mounted over a path, and what changes there", async () => {
  await using f = await Fixture.make();
  await f.do("mkdir d");
  const user = Deno.uid() === 0 ? [] : ["--map-root-user"];
  const args = [...user, "--mount", Deno.execPath(), "eval", MOUNTED, f.tree];
  const { stdout } = await new Deno.Command("unshare", { args, env: { NO_COLOR: "1" } }).output();
  assert.deepStrictEqual(JSON.parse(new TextDecoder().decode(stdout)), [false, true, false, true, false]);
});
