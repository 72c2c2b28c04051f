import assert from "node:assert/strict";
import { UnixStreams } from "../../system/sockets/unix_stream.ts";
import { entriesIn, makeEntry, removeDeadEntries, removeIfDead } from "./entries.ts";

async function names(directory: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name).sort();
}

Deno.test("X24 an entry is seen once it is published, lives as long as its lock, and goes when that is gone", async () => {
  const directory = await Deno.makeTempDir();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(directory, { recursive: true }));
  const own = await makeEntry(directory);
  assert.deepStrictEqual(await entriesIn(directory), []);
  await removeDeadEntries(directory);
  await own.publish();
  assert.strictEqual(((await Deno.stat(own.tokenFile)).mode ?? 0) & 0o777, 0o600);
  assert.strictEqual(await Deno.readTextFile(own.tokenFile), own.token);
  const [seen] = await entriesIn(directory);
  assert.deepStrictEqual(seen, { socket: own.socket, tokenFile: own.tokenFile });
  await Deno.writeTextFile(own.socket, "");
  assert.ok(!await removeIfDead(own));
  await own.remove();
  assert.deepStrictEqual(await names(directory), []);
  // Left by a killed server; one is being made by another at the same time.
  for (const left of ["1-a.token", "1-a.sock", ".2-b.token", "2-b.sock"]) {
    await Deno.writeTextFile(`${directory}/${left}`, "");
  }
  await removeDeadEntries(directory);
  assert.deepStrictEqual(await names(directory), [".2-b.token", "2-b.sock"]);
  await Deno.utime(`${directory}/.2-b.token`, 0, 0);
  await removeDeadEntries(directory);
  assert.deepStrictEqual(await names(directory), []);
});

Deno.test("X24 sockets have names of any length, and who is at the other end is known", async () => {
  const directory = await Deno.makeTempDir();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(directory, { recursive: true }));
  const path = `${directory}/${"long".repeat(40)}/1.sock`;
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")));
  using streams = new UnixStreams();
  assert.strictEqual(streams.connect(path), undefined);
  const listener = streams.listen(path);
  const client = streams.connect(path);
  const served = await listener.accept();
  assert.strictEqual(served?.peerUser, Deno.uid());
  const buffer = new Uint8Array(16);
  const read = client?.read(buffer);
  assert.ok(await served.write(new Uint8Array([7, 8])));
  assert.deepStrictEqual([await read, ...buffer.subarray(0, 2)], [2, 7, 8]);
  const last = client?.read(buffer);
  served.close();
  assert.strictEqual(await last, 0);
  assert.ok(!await client?.write(new Uint8Array(1)));
  const waiting = listener.accept();
  listener.close();
  assert.strictEqual(await waiting, undefined);
  client?.close();
  assert.strictEqual(streams.connect(path), undefined, "a socket without its program");
});
