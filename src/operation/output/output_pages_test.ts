import { strict as assert } from "node:assert";
import fc from "fast-check";
import { SILENT } from "../../base/log.ts";
import { OperationOutput } from "./output.ts";
import { readLines, readPage } from "./output_pages.ts";
import { SpillSpace } from "./spill_files.ts";

const PLAIN = { keepAnsi: false };

interface Fixture extends AsyncDisposable {
  readonly space: SpillSpace;
  readonly directory: string;
}

async function fixture(limitBytes: number): Promise<Fixture> {
  const parent = await Deno.makeTempDir({ prefix: "ahma-spill-" });
  const directory = `${parent}/output`;
  const space = new SpillSpace({ directory, limitBytes, log: SILENT });
  return { space, directory, [Symbol.asyncDispose]: () => Deno.remove(parent, { recursive: true }) };
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Every page from the start to the end. */
async function readAll(output: OperationOutput, limit: number): Promise<string> {
  let text = "";
  let offset = 0;
  while (offset < output.totalBytes) {
    const page = await readPage(output, { offset, limit }, PLAIN);
    assert.ok(page.nextOffset > offset, `no way on from ${offset}`);
    text += page.text;
    offset = page.nextOffset;
  }
  return text;
}

Deno.test("X8 what memory does not keep is read from the file, whatever the chunks, the window and the pages", async () => {
  await using f = await fixture(1_000_000);
  const text = fc.array(fc.stringMatching(/^[a-zé]{0,9}\n?$/), { maxLength: 40 });
  await fc.assert(fc.asyncProperty(text, fc.nat(20), fc.nat(20), fc.integer({ min: 4, max: 50 }), async (...given) => {
    const [chunks, headBytes, tailBytes, limit] = given;
    const spill = f.space.newFile();
    const output = new OperationOutput({ headBytes, tailBytes }, spill);
    for (const chunk of chunks) output.write(encode(chunk));
    assert.deepStrictEqual([await readAll(output, limit), output.lostBytes], [chunks.join(""), 0]);
    output.trim();
    assert.strictEqual(await readAll(output, limit), chunks.join(""));
    output.discard();
    await spill.settled();
  }));
  assert.deepStrictEqual([f.space.usedBytes, await Array.fromAsync(Deno.readDir(f.directory))], [0, []]);
});

Deno.test("X8 readLines() gives the lines of that number, from memory and from the file", async () => {
  await using f = await fixture(1_000_000);
  const spill = f.space.newFile();
  const output = new OperationOutput({ headBytes: 100, tailBytes: 100 }, spill);
  const lines = Array.from({ length: 500 }, (_, index) => `${index + 1}\n`);
  for (let at = 0; at < lines.length; at += 7) output.write(encode(lines.slice(at, at + 7).join("")));
  for (
    const [first, last] of [[1, 1], [1, 500], [30, 45], [250, 260], [498, 510], [501, 502], [77, undefined]] as const
  ) {
    const page = await readLines(output, { first, last, limit: 10_000 }, PLAIN);
    assert.strictEqual(page.text, lines.slice(first - 1, last).join(""), `${first}-${last}`);
  }
  const unended = new OperationOutput({ headBytes: 100, tailBytes: 100 });
  unended.write(encode("1\n2\n3"));
  for (const [first, last, text] of [[3, 3, "3"], [2, 2, "2\n"], [3, undefined, "3"]] as const) {
    assert.strictEqual((await readLines(unended, { first, last, limit: 100 }, PLAIN)).text, text);
  }
  const limited = await readLines(output, { first: 1, last: 500, limit: 5 }, PLAIN);
  assert.deepStrictEqual(limited, { text: "1\n2\n", offset: 0, nextOffset: 4 });
  output.discard();
  await spill.settled();
});

Deno.test("X8 when the space is full, the file that ended first goes; what cannot be written is counted as lost", async () => {
  await using f = await fixture(1000);
  const make = () => new OperationOutput({ headBytes: 10, tailBytes: 10 }, f.space.newFile());
  const [first, second, third] = [make(), make(), make()];
  const line = encode("123456789\n");
  const fill = (output: OperationOutput, count: number) => {
    for (let written = 0; written < count; written++) output.write(line);
  };
  fill(first, 62);
  first.trim();
  fill(second, 42);
  assert.deepStrictEqual([f.space.usedBytes, first.lostBytes, second.lostBytes], [1000, 0, 0]);
  // The first one's file goes for the next byte, and then no ended one is left.
  fill(second, 62);
  assert.deepStrictEqual([f.space.usedBytes, first.lostBytes, second.lostBytes], [1000, 600, 20]);
  fill(third, 3);
  assert.deepStrictEqual([f.space.usedBytes, third.lostBytes], [1000, 10]);
  assert.strictEqual(await readAll(first, 100), "123456789\n123456789\n");
  assert.strictEqual((await readAll(second, 100)).length, 1020);
  assert.deepStrictEqual(await readPage(first, { offset: 10, limit: 5 }, PLAIN), {
    text: "12345",
    offset: 610,
    nextOffset: 615,
  });
  for (const output of [first, second, third]) output.discard();
  await f.space.settled();
  assert.strictEqual(f.space.usedBytes, 0);
});

Deno.test("X8 a file that cannot be written is given up, and what memory keeps stays", async () => {
  await using f = await fixture(1000);
  await Deno.writeTextFile(f.directory, "not a directory");
  const spill = f.space.newFile();
  const output = new OperationOutput({ headBytes: 2, tailBytes: 2 }, spill);
  output.write(encode("a\nb\nc\nd\n"));
  await spill.settled();
  assert.deepStrictEqual([await readAll(output, 10), output.lostBytes, f.space.usedBytes], ["a\nd\n", 4, 0]);
  output.discard();
});

Deno.test("X8 N4 a flood asks to wait when the file is behind", async () => {
  await using f = await fixture(100_000_000);
  const spill = f.space.newFile();
  const output = new OperationOutput({ headBytes: 1024, tailBytes: 64 * 1024 }, spill);
  const chunk = encode("1234567\n".repeat(8192));
  let waits = 0;
  for (let written = 0; written < 64; written++) {
    output.write(chunk);
    if (output.pressure !== undefined) {
      waits++;
      await output.pressure;
    }
  }
  assert.ok(waits > 0);
  assert.strictEqual(output.pressure, undefined);
  assert.strictEqual((await readAll(output, 1_000_000)).length, 64 * chunk.length);
  output.discard();
  await spill.settled();
});
