import assert from "node:assert/strict";
import fc from "fast-check";
import { attachmentOf, readAttachment } from "./attachment.ts";

const FILE = fc.record({
  name: fc.stringMatching(/^[a-z]{1,9}$/),
  bytes: fc.uint8Array({ minLength: 0, maxLength: 99 }),
});

Deno.test("D1 files behind an executable are read as they were attached, and where there are none nothing is", async () => {
  const path = await Deno.makeTempFile();
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 40, maxLength: 99 }), fc.array(FILE), async (program, files) => {
      await Deno.writeFile(path, program);
      assert.equal(readAttachment(path, () => true), undefined);
      await Deno.writeFile(path, attachmentOf(files), { append: true });
      const found = readAttachment(path, () => true)?.map(({ name, bytes }) => ({ name, bytes: [...bytes] }));
      assert.deepEqual(found, files.map(({ name, bytes }) => ({ name, bytes: [...bytes] })));
    }),
    { numRuns: 30 },
  );
  await Deno.remove(path);
});
