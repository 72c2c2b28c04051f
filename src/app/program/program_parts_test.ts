import assert from "node:assert/strict";
import { isPart, partAddress, partsInMemory } from "./program_parts.ts";

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

const linux = { ignore: Deno.build.os !== "linux" };

Deno.test(
  "D1 parts are loaded from sealed memory, each after what it imports, and nothing else is a part",
  linux,
  async () => {
    const before = 'import"./service.mjs";import { a } from"./service.mjs"; export const b = a + 1;';
    const files = [
      { name: "rest.mjs", bytes: bytes(before) },
      { name: "worker.js", bytes: bytes("never read") },
      { name: "service.mjs", bytes: bytes("export const a = 41;") },
    ];
    const addresses = partsInMemory(files);
    assert.deepStrictEqual([...addresses.keys()], ["service.mjs", "rest.mjs"]);
    const loaded = await import(addresses.get("rest.mjs") ?? "");
    assert.equal(loaded.b, 42);
    const path = new URL(addresses.get("service.mjs") ?? "").pathname;
    await assert.rejects(Deno.writeTextFile(path, "changed"));
    assert.deepStrictEqual(["worker.js", "rest.mjs"].map(isPart), [false, true]);
  },
);

Deno.test("D1 the parts of a program that is not an executable stand next to it", () => {
  assert.match(partAddress("service.mjs"), /^file:\/\/.*\/worker\/service\.mjs$/);
});
