import assert from "node:assert/strict";

const MODULE = new URL("start_memory.ts", import.meta.url).href;

/** A program that keeps 1 % of what it makes, and prints whether it has 10 MiB fewer at each look for running calls. */
const PROGRAM = `
import { StartMemory } from "${MODULE}";
import { Emitter } from "${new URL("../../base/emitter.ts", import.meta.url)}";
const made = Array.from({ length: 300_000 }, (_, index) => ({ index, text: "x" + index }));
const kept = made.filter(({ index }) => index % 100 === 0);
made.length = 0;
const before = Deno.memoryUsage().heapTotal;
const changes = new Emitter(reportError);
let running = Deno.args.length;
let looked = Promise.withResolvers();
const waits = setTimeout(() => {}, 30_000);
using memory = new StartMemory({
  get runningCount() {
    setTimeout(() => looked.resolve(), 0);
    return running;
  },
  subscribe: (listener) => changes.subscribe(listener),
});
const look = async () => {
  await looked.promise;
  looked = Promise.withResolvers();
  console.log(running, before - Deno.memoryUsage().heapTotal > 10 * 2 ** 20);
};
memory.begin(1);
await look();
for (; changes.size > 0; await look()) {
  running--;
  changes.emit();
}
if (Deno.args.length > 0) await look();
clearTimeout(waits);
console.log(kept.length);
`;

async function run(engine: string, ...words: readonly string[]): Promise<string> {
  const program = `data:application/typescript,${encodeURIComponent(PROGRAM)}`;
  // The engine collects nothing by itself while the program waits.
  const flags = `--v8-flags=--no-incremental-marking,--no-memory-reducer,${engine}`;
  const args = ["run", "--no-check", flags, "--allow-ffi", "--allow-read", "--allow-import"];
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), { args: [...args, program, ...words] }).output();
  const text = new TextDecoder();
  return text.decode(stdout) + text.decode(stderr);
}

Deno.test("N3 StartMemory gives memory back once nothing runs", async () => {
  assert.strictEqual(await run("--expose-gc"), "0 true\n3000\n");
  assert.strictEqual(await run("--expose-gc", "two", "calls"), "2 false\n1 false\n0 false\n0 true\n3000\n");
  assert.strictEqual(await run("--no-expose-gc"), "0 false\n3000\n", "The engine does not do it by itself");
});
