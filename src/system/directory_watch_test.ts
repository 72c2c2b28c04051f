import assert from "node:assert/strict";
import { DirectoryWatch } from "./directory_watch.ts";
import { SILENT } from "../base/log.ts";

/** Resolves when `isTrue` holds after a change; rejects after two minutes. */
function changes() {
  const waiting = new Set<() => void>();
  return {
    onChange: () => {
      for (const check of waiting) check();
    },
    async until(isTrue: () => boolean, what: string): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const check = () => isTrue() && resolve();
      const deadline = setTimeout(() => reject(new Error(`Not noticed: ${what}`)), 120_000);
      waiting.add(check);
      await promise.finally(() => clearTimeout(deadline));
      waiting.delete(check);
    },
  };
}

Deno.test("T11: a directory that appears level by level while its watch moves down is watched", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  const levels = Array.from({ length: 40 }, (_, level) => `level${level}`).join("/");
  for (let round = 0; round < 20; round++) {
    const directory = `${base}/${round}/${levels}`;
    await Deno.mkdir(`${base}/${round}`);
    const seen = changes();
    const watch = new DirectoryWatch({ directories: [directory], onChange: seen.onChange, log: SILENT });
    try {
      const appears = seen.until(() => exists(directory), directory);
      await new Deno.Command("mkdir", { args: ["-p", directory] }).output();
      await appears;
      const noticed = seen.until(() => exists(`${directory}/file`), "a file in it");
      await Deno.writeTextFile(`${directory}/file`, "");
      await noticed;
    } finally {
      await watch[Symbol.asyncDispose]();
    }
  }
  await Deno.remove(base, { recursive: true });
});

Deno.test("T11: a directory that is removed and made again is watched, though the system may give it the same inode", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  const directory = `${base}/tools`;
  await Deno.mkdir(directory);
  const seen = changes();
  await using _watch = new DirectoryWatch({ directories: [directory], onChange: seen.onChange, log: SILENT });
  for (let round = 0; round < 30; round++) {
    const isNoticed = seen.until(() => exists(directory), "the new directory");
    makeAgain(directory);
    await isNoticed;
    const noticed = seen.until(() => exists(`${directory}/file`), "a file in it");
    await Deno.writeTextFile(`${directory}/file`, "");
    await noticed;
  }
  await Deno.remove(base, { recursive: true });
});

Deno.test("Q3: directories below a watched one are watched too, also those that appear later", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  const below = (directory: string) =>
    directory === base && exists(`${base}/new`) ? [`${base}/old`, `${base}/new`] : [`${base}/old`];
  await Deno.mkdir(`${base}/old`);
  const seen = changes();
  const watch = new DirectoryWatch({ directories: [base], below, onChange: seen.onChange, log: SILENT });
  try {
    const appears = seen.until(() => exists(`${base}/new`), "new");
    await Deno.mkdir(`${base}/new`);
    await appears;
    for (const name of ["old", "new"]) {
      const noticed = seen.until(() => exists(`${base}/${name}/file`), `a file in ${name}`);
      await Deno.writeTextFile(`${base}/${name}/file`, "");
      await noticed;
    }
  } finally {
    await watch[Symbol.asyncDispose]();
  }
  await Deno.remove(base, { recursive: true });
});

/** At once: both events are read together. */
function makeAgain(directory: string): void {
  Deno.removeSync(directory, { recursive: true });
  Deno.mkdirSync(directory);
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    assert(error instanceof Deno.errors.NotFound);
    return false;
  }
}
