import assert from "node:assert/strict";
import { transient } from "../base/diagnostic.ts";
import { type Logger, SILENT } from "../base/log.ts";
import { type Diagnosed, LiveDirectory } from "./live_directory.ts";

interface Names extends Diagnosed {
  readonly names: readonly string[];
}

interface Fixture extends AsyncDisposable {
  readonly directory: string;
  readonly live: LiveDirectory<Names>;
  /** Names in each content that was announced. */
  readonly announced: (readonly string[])[];
  /** How many loads began. */
  loads(): number;
  /** Resolves when so many loads began; rejects after two minutes. */
  untilLoads(count: number): Promise<void>;
  /** Resolves when these names were announced; rejects after two minutes. */
  until(...names: readonly string[]): Promise<void>;
}

/** The names in a directory, kept current; `load` adds to what reading them does. */
async function fixture(
  { load = (read) => Promise.resolve(read), log = SILENT }: {
    load?: (read: Names) => Promise<Names>;
    log?: Logger;
  } = {},
): Promise<Fixture> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  const waiting = new Set<() => void>();
  let loads = 0;
  const live = new LiveDirectory<Names>({
    name: "name",
    directories: [directory],
    async load() {
      loads++;
      for (const check of waiting) check();
      const names = (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name).sort();
      return await load({ names, diagnostics: [] });
    },
    isSame: (before, after) => JSON.stringify(before.names) === JSON.stringify(after.names),
    log,
  });
  const announced: (readonly string[])[] = [];
  live.subscribe(({ names }) => {
    announced.push(names);
    for (const check of waiting) check();
  });
  const untilTrue = async (isTrue: () => boolean) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const check = () => isTrue() && resolve();
    const deadline = setTimeout(
      () => reject(new Error(`${loads} loads, announced: ${JSON.stringify(announced)}`)),
      120_000,
    );
    waiting.add(check);
    check();
    await promise.finally(() => clearTimeout(deadline));
    waiting.delete(check);
  };
  return {
    directory,
    live,
    announced,
    loads: () => loads,
    untilLoads: (count) => untilTrue(() => loads >= count),
    until: (...names) => untilTrue(() => JSON.stringify(announced.at(-1)) === JSON.stringify(names)),
    async [Symbol.asyncDispose]() {
      await live[Symbol.asyncDispose]();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

Deno.test("T12 LiveDirectory loads at the first request, and announces each different content once", async () => {
  await using f = await fixture();
  assert.equal(f.loads(), 0);
  const [first, second] = [f.live.current(), f.live.current()];
  const empty = { names: [], diagnostics: [] };
  assert.deepStrictEqual([await first, await second, f.loads()], [empty, empty, 1]);
  await Promise.all(["a", "b"].map((name) => Deno.writeTextFile(`${f.directory}/${name}`, "")));
  await f.until("a", "b");
  await Deno.writeTextFile(`${f.directory}/a`, "text"); // loaded, and nothing differs
  await f.untilLoads(3);
  await Deno.remove(`${f.directory}/a`);
  await f.until("b");
  assert.deepStrictEqual(f.announced.slice(-2), [["a", "b"], ["b"]]);
});

Deno.test("T12 LiveDirectory runs one load at a time, and loads once more for what changes meanwhile", async () => {
  let running = 0;
  const most: number[] = [];
  const go = Promise.withResolvers<void>();
  await using f = await fixture({
    load: async (read) => {
      most.push(++running);
      if (most.length === 2) await go.promise;
      running--;
      return read;
    },
  });
  await f.live.current();
  f.live.reload();
  f.live.reload();
  await Deno.writeTextFile(`${f.directory}/late`, "");
  await f.untilLoads(2);
  go.resolve();
  await f.until("late");
  await f.live.settled();
  assert.deepStrictEqual([Math.max(...most), (await f.live.current()).names], [1, ["late"]]);
});

Deno.test("T12 LiveDirectory repeats a load with a transient fault three times, and one without such a fault never", async () => {
  await using good = await fixture();
  await using faulty = await fixture({
    load: ({ names }) => Promise.resolve({ names, diagnostics: [transient("file", "It is being written")] }),
  });
  await good.live.current(); // first: its retry would be due first
  await faulty.live.current();
  await faulty.untilLoads(4);
  await faulty.live.settled();
  assert.deepStrictEqual([good.loads(), faulty.loads()], [1, 4]);
});

Deno.test("T12 LiveDirectory keeps its content when a reload throws, and says so", async () => {
  const said: string[] = [];
  let fails = false;
  await using f = await fixture({
    log: { ...SILENT, error: (message, fields) => said.push(`${message}: ${fields?.["error"]}`) },
    load: (read) => fails ? Promise.reject(new Error("no")) : Promise.resolve(read),
  });
  const first = await f.live.current();
  fails = true;
  f.live.reload();
  await f.live.settled();
  assert.deepStrictEqual([await f.live.current() === first, said], [true, ["Cannot read the names again: no"]]);
  fails = false;
  await Deno.writeTextFile(`${f.directory}/a`, "");
  await f.until("a");
});

Deno.test("T12 LiveDirectory loads nothing more when it is disposed of", async () => {
  await using f = await fixture();
  await f.live.current();
  await f.live[Symbol.asyncDispose]();
  await Deno.writeTextFile(`${f.directory}/a`, "");
  f.live.reload();
  await f.live.settled();
  assert.deepStrictEqual([f.loads(), f.announced], [1, []]);
});
