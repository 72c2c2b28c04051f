import assert from "node:assert/strict";
import { MessageWriter } from "./message_writer.ts";

Deno.test("C2 a client that leaves more than 64 MiB unread is taken for gone", () => {
  const megabyte = new Uint8Array(1024 * 1024);
  const failures: unknown[] = [];
  const never = Promise.withResolvers<number>().promise;
  const deaf = new MessageWriter({ write: () => never }, (thrown) => failures.push(String(thrown)));
  for (let i = 0; i < 70; i++) void deaf.write(megabyte);
  assert.deepStrictEqual(failures, ["Error: The client does not read: 68157440 bytes wait for it"]);
});

Deno.test("C2 a client that reads gets more than 64 MiB", async () => {
  const megabyte = new Uint8Array(1024 * 1024);
  let read = 0;
  const writer = new MessageWriter(
    { write: (bytes) => Promise.resolve(read += bytes.length).then(() => bytes.length) },
    (thrown) => {
      throw thrown;
    },
  );
  for (let i = 0; i < 70; i++) await writer.write(megabyte);
  assert.equal(read, 70 * megabyte.length);
});
