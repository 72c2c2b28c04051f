import assert from "node:assert/strict";

const MODULE = new URL("start_memory.ts", import.meta.url).href;

/** A program that keeps 1 % of what it makes, waits for what it may give back, and prints the MiB that it has fewer then. */
const PROGRAM = `
import { GIVES_BACK, StartMemory } from "${MODULE}";
const made = Array.from({ length: 300_000 }, (_, index) => ({ index, text: "x" + index }));
const kept = made.filter(({ index }) => index % 100 === 0);
made.length = 0;
const before = Deno.memoryUsage().heapTotal;
let asked = 0;
const { promise, resolve } = Promise.withResolvers();
const waits = setTimeout(() => {}, 30_000);
using memory = new StartMemory(() => {
  asked++;
  if (Deno.args[0] !== "busy" || asked === 3) setTimeout(resolve, 0);
  return Deno.args[0] === "busy";
});
memory.begin(1);
await promise;
clearTimeout(waits);
console.log(asked, kept.length, Math.floor((before - Deno.memoryUsage().heapTotal) / 2 ** 20) > 10);
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

Deno.test("N3 StartMemory gives memory back once nothing runs, and asks again while something does", async () => {
  assert.strictEqual(await run("--expose-gc"), "1 3000 true\n");
  assert.strictEqual(await run("--expose-gc", "busy"), "3 3000 false\n");
  assert.strictEqual(await run("--no-expose-gc"), "1 3000 false\n");
});
