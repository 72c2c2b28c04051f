import assert from "node:assert/strict";
import { heldTimer } from "../base/_support/timers.ts";
import { Inotify, PAUSE_MS } from "./inotify.ts";

const ignore = Deno.build.os !== "linux";
const REASON = ignore ? " (ignored: inotify is Linux's)" : "";
const DEADLINE_MS = 60_000;

interface Heard {
  readonly directory: string;
  readonly inotify: Inotify;
  /** Resolves when a name was heard; rejects after a time limit. */
  readonly named: (name: string) => Promise<void>;
  readonly batches: readonly (readonly string[] | undefined)[];
}

async function listening(work: (heard: Heard) => Promise<void>): Promise<void> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  await using inotify = new Inotify();
  const batches: (readonly string[] | undefined)[] = [];
  const waiting = new Map<string, () => void>();
  using _watch = inotify.watch(directory, (names) => {
    batches.push(names);
    // An overflow stands for every name.
    for (const name of names ?? waiting.keys()) waiting.get(name)?.();
  });
  const named = async (name: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error(`Never heard of "${name}"`)), DEADLINE_MS);
    waiting.set(name, resolve);
    if (batches.some((names) => names?.includes(name))) resolve();
    await promise.finally(() => clearTimeout(timer));
  };
  try {
    await work({ directory, inotify, named, batches });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function run(command: string, ...args: readonly string[]): Promise<void> {
  const { code, signal, stderr } = await new Deno.Command(command, { args: [...args] }).output();
  assert.deepStrictEqual({ code, signal, stderr: new TextDecoder().decode(stderr) }, {
    code: 0,
    signal: null,
    stderr: "",
  });
}

Deno.test({
  name: `T12 Inotify tells what was written, renamed and removed${REASON}`,
  ignore,
  fn: () =>
    listening(async ({ directory, named }) => {
      await Deno.writeTextFile(`${directory}/a`, "x");
      await named("a");
      await Deno.rename(`${directory}/a`, `${directory}/b`);
      await named("b");
      await Deno.remove(`${directory}/b`);
      await Deno.mkdir(`${directory}/d`);
      await named("d");
    }),
});

Deno.test({
  name: `T12 Inotify is not held up by a pipe in the directory, and ends with one there${REASON}`,
  ignore,
  fn: () =>
    listening(async ({ directory, named }) => {
      await run("mkfifo", `${directory}/pipe`);
      await named("pipe");
      await Deno.writeTextFile(`${directory}/after`, "x");
      await named("after");
    }),
});

Deno.test({
  name: `T12 Inotify tells thousands of changes in few batches, and those after them${REASON}`,
  ignore,
  fn: () =>
    listening(async ({ directory, named, batches }) => {
      const pause = heldTimer(PAUSE_MS);
      await Deno.writeTextFile(`${directory}/first`, "x");
      const endPause = await pause;
      // Each write is an event; together they are more than the kernel keeps by default (16,384).
      const loop =
        "import os, sys\nos.chdir(sys.argv[1])\nfiles = [os.open(f'f{i}', os.O_CREAT | os.O_WRONLY) for i in range(50)]\n" +
        "for i in range(20000): os.write(files[i % 50], b'x')";
      await run("python3", "-c", loop, directory);
      assert.deepStrictEqual(batches, [["first"]]);
      const last = named("last");
      await Deno.writeTextFile(`${directory}/last`, "x");
      endPause();
      await last;
      // A batch has room for 2,048 events with such names.
      assert.ok(batches.length <= 12, `${batches.length} batches`);
      await Deno.writeTextFile(`${directory}/after`, "x");
      await named("after");
    }),
});

Deno.test({
  name: `T12 Inotify refuses what is not a directory, and goes on${REASON}`,
  ignore,
  fn: () =>
    listening(async ({ directory, inotify, named }) => {
      await Deno.writeTextFile(`${directory}/file`, "x");
      assert.throws(() => inotify.watch(`${directory}/file`, () => {}), /does not watch it/);
      assert.throws(() => inotify.watch(`${directory}/none`, () => {}), /does not watch it/);
      await named("file");
    }),
});
