import assert from "node:assert/strict";
import { encodeText } from "../../base/text.ts";
import { readLinePatterns } from "./line_pattern.ts";
import { OutputWatch } from "./output_watch.ts";

async function watchFor(...sources: readonly string[]) {
  const read = await readLinePatterns(sources);
  const told = Promise.withResolvers<void>();
  const watch = new OutputWatch(read.ok ? read.value : assert.fail(read.problem), told.resolve);
  return { watch, told: told.promise, take: (text: string) => watch.take(encodeText(text)) };
}

Deno.test("X21 OutputWatch tells lines together, cleaned, the first five of them, and each once", async () => {
  const { watch, told, take } = await watchFor("ERROR", "/pan+ic/");
  take("fine\n\x1b[31mER");
  assert.strictEqual(watch.news, undefined);
  take("ROR\x1b[0m: a\x07\nnot\npannnic\n");
  for (let count = 0; count < 5; count++) take(`ERROR ${count}\n`);
  await told;
  assert.deepStrictEqual(watch.news, {
    lines: ["ERROR: a", "pannnic", "ERROR 0", "ERROR 1", "ERROR 2"],
    more: 2,
    unread: 0,
    isOff: false,
  });
  watch.forget();
  assert.strictEqual(watch.news, undefined);
  watch.end();
});

Deno.test("X21 OutputWatch tells a line that has not ended once it rests, and not again when it ends", async () => {
  const { watch, told, take } = await watchFor("[y/N]");
  take("Proceed? [y/N] ");
  await told;
  assert.deepStrictEqual(watch.news?.lines, ["Proceed? [y/N] "]);
  watch.forget();
  take("y\nnext [y/N]\n");
  assert.deepStrictEqual(watch.news?.lines, ["next [y/N]"]);
  watch.end();
});

Deno.test("X21 OutputWatch looks at a last line without an end", async () => {
  const { watch, told, take } = await watchFor("over");
  take("all over");
  watch.end();
  await told;
  assert.deepStrictEqual(watch.news?.lines, ["all over"]);
});

Deno.test("X21 OutputWatch is off after 1,000 matches in 30 s, and says so", async () => {
  const { watch, take } = await watchFor("x");
  for (let count = 0; count < 2_000; count++) take("x\n");
  const { isOff, lines, more = 0 } = watch.news ?? {};
  assert.deepStrictEqual({ isOff, lines: lines?.length, more }, { isOff: true, lines: 5, more: 996 });
  watch.end();
});

Deno.test("X21 S22 OutputWatch takes a small part of the time whatever the pattern, and says what it left out", async () => {
  const { watch, take } = await watchFor("/(?i)(a|b|c|d)*?(e|f|g)+z{3}q/");
  const chunk = `${"abcdefg".repeat(8_000)}\n`;
  let chunks = 0;
  // The time of the watch alone: the loop does nothing else, so all that it takes beyond its share is left out.
  for (const end = performance.now() + 300; performance.now() < end;) {
    take(chunk);
    chunks++;
  }
  watch.end();
  const { unread = 0 } = watch.news ?? {};
  assert.ok(unread > 0 && unread < chunks * chunk.length, `${unread} of ${chunks * chunk.length}`);
});

Deno.test("X21 readLinePatterns() refuses too many and too large ones", async () => {
  const many = await readLinePatterns(Array.from({ length: 9 }, (_, index) => `${index}`));
  assert.deepStrictEqual(many, { ok: false, problem: "9 texts are given, at most 8 are allowed" });
  const large = await readLinePatterns(["/a{300}/", "/b{300}/"]);
  assert.ok(!large.ok && /^The patterns are too large together: they have \d+ steps/.test(large.problem));
  const wrong = await readLinePatterns(["fine", "/a(/"]);
  assert.ok(!wrong.ok && wrong.problem.startsWith("Cannot read the pattern /a(/"));
});
