import assert from "node:assert/strict";
import fc from "fast-check";
import { hideIn, hidingStream } from "./hide.ts";

async function hidden(chunks: readonly Uint8Array[], texts: readonly string[]): Promise<string> {
  const stream = ReadableStream.from(chunks).pipeThrough(hidingStream(texts));
  return new TextDecoder("latin1").decode(await new Response(stream).bytes());
}

Deno.test("S33 hidingStream() hides a text however the bytes are cut, and changes nothing else", async () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 60 });
  const secrets = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 2, maxLength: 6 }), {
    minLength: 1,
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(letters, secrets, fc.array(fc.nat(60)), async (text, texts, cuts) => {
      const bytes = new TextEncoder().encode(text);
      const ends = [...cuts, bytes.length].map((at) => Math.min(at, bytes.length)).sort((one, other) => one - other);
      const chunks = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
      assert.equal(await hidden(chunks, texts), hideIn(text, texts));
    }),
    { examples: [["aba", ["abaa", "ba"], []]] },
  );
});

Deno.test("S33 hideIn() hides all texts that overlap, whichever is named first", () => {
  assert.equal(hideIn("the-secret-and-more", ["secret", "secret-and"]), "the-**********-more");
  assert.equal(hideIn("one-two-three", ["one-two", "two-three"]), "*************");
  assert.equal(hideIn("a secret", ["e", "secret"]), "a ******");
  assert.equal(hideIn("ababab \u{1f600}", ["abab"]), "****** \u{1f600}");
});

Deno.test("S33 hidingStream() holds back only what may be the beginning of a secret", async () => {
  const { readable, writable } = hidingStream(["secret"]);
  const [writer, reader] = [writable.getWriter(), readable.getReader()];
  const read = async () => new TextDecoder().decode((await reader.read()).value);
  void writer.write(new TextEncoder().encode("data: sec"));
  assert.equal(await read(), "data: ");
  void writer.write(new TextEncoder().encode("ond\n"));
  assert.equal(await read(), "second\n");
  void writer.write(new TextEncoder().encode("secre"));
  void writer.write(new TextEncoder().encode("t."));
  assert.equal(await read(), "******.");
  void writer.close();
  assert.ok((await reader.read()).done);
});
