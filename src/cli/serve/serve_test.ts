import assert from "node:assert/strict";
import { announceFirstWrite } from "./serve.ts";

Deno.test("announceFirstWrite() announces once, after the bytes are out, and passes everything on", async () => {
  const events: string[] = [];
  const output = announceFirstWrite({
    write(bytes) {
      events.push(new TextDecoder().decode(bytes));
      return Promise.resolve(1);
    },
  }, () => events.push("announced"));
  const encode = (text: string) => new TextEncoder().encode(text);
  assert.deepStrictEqual([await output.write(encode("a")), await output.write(encode("b"))], [1, 1]);
  assert.deepStrictEqual(events, ["a", "announced", "b"]);
});
