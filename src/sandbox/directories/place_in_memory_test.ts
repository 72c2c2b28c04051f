import assert from "node:assert/strict";
import { Libc } from "../../system/libc.ts";
import { TreeMaker } from "../../system/open_files/tree_maker.ts";
import { supportedProcessor } from "../policy/prerequisites.ts";
import { type MemoryQuestion, placeInMemory, removeFromMemory, removeOrphans } from "./place_in_memory.ts";
import { createSessionDirectories, removeSessionDirectories, removeStaleSessions } from "./session_directory.ts";
import { freeLock } from "../../system/replace/file_lock.ts";

interface Asked extends MemoryQuestion {
  readonly base: string;
  readonly libc: Libc;
  readonly make: TreeMaker;
}

async function asking(test: (asked: Asked) => Promise<void>): Promise<void> {
  const processor = supportedProcessor(Deno.build.os, Deno.build.arch);
  if (!processor.ok) throw new Error(processor.problem);
  const libc = new Libc();
  using make = new TreeMaker();
  const base = await Deno.realPath(await Deno.makeTempDir());
  await test({ base, libc, make, writable: [] }).finally(() => libc[Symbol.dispose]());
  await Deno.remove(base, { recursive: true });
}

Deno.test("S5 placeInMemory() makes a place that goes with the session, also with that of a killed server", () =>
  asking(async (asked) => {
    for (const isKilled of [false, true]) {
      const session = createSessionDirectories(asked.base, { temporaryFiles: true });
      const place = placeInMemory(session.root, asked);
      assert.ok(place !== undefined);
      asked.make.directory(`${place}/root`);
      assert.strictEqual(placeInMemory(session.root, asked), undefined); // it is made once
      if (isKilled) freeLock(session.owner);
      await (isKilled ? removeStaleSessions(asked.base) : removeSessionDirectories(session));
      assert.deepStrictEqual([asked.make.names(place), asked.make.names(asked.base)], [undefined, []]);
    }
  }));

Deno.test("S5 placeInMemory() makes no place where commands can write", () =>
  asking((asked) => {
    for (const path of ["/", "/dev", "/dev/shm"]) {
      const writable = [{ path, device: 0n, inode: 0n }];
      assert.strictEqual(placeInMemory(`${asked.base}/session`, { ...asked, writable }), undefined);
    }
    return Promise.resolve();
  }));

Deno.test("S5 removeOrphans() removes an old place whose session's directory is gone, and no other", () =>
  asking(async ({ base, ...asked }) => {
    const [gone, there] = [`${base}/ahma_mcp-${crypto.randomUUID()}`, `${base}/ahma_mcp-${crypto.randomUUID()}`];
    await Deno.mkdir(there);
    const places = [gone, there].map((root) => placeInMemory(root, asked) ?? "");
    const left = () => places.map((place) => asked.make.names(place)?.join());
    const now = BigInt(Date.now()) * 1_000_000n;
    removeOrphans(asked.make, asked.libc, now);
    assert.deepStrictEqual(left(), ["session", "session"]);
    const others = (path: string) => places.includes(path.split("/").slice(0, 4).join("/"));
    const make = { ...bound(asked.make), target: (path: string) => others(path) ? asked.make.target(path) : undefined };
    removeOrphans(make, asked.libc, now + 90_000_000_000_000n);
    assert.deepStrictEqual(left(), [undefined, "session"]);
    removeFromMemory(there, asked.make);
  }));

/** Its methods alone. */
function bound(make: TreeMaker): Pick<TreeMaker, "names" | "remove"> {
  return { names: (path) => make.names(path), remove: (path) => make.remove(path) };
}
