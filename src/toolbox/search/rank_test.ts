import assert from "node:assert/strict";
import { fuse, type Hit } from "./rank.ts";

function hit(id: number, path: string, name: string): Hit {
  return { id, path, kind: "function", name };
}

Deno.test("K4 fuse() puts the exact name first, tests and generated files last, and leaves out what is unlike", () => {
  const test = hit(1, "src/name_test.ts", "readName");
  const body = hit(2, "src/a.ts", "other");
  const exact = hit(3, "src/b.ts", "readName");
  const made = hit(4, "dist/b.js", "readName");
  const slip = hit(5, "src/c.ts", "reedName");
  const unlike = hit(6, "src/d.ts", "nameless_thing_of_another_kind");
  const order = fuse([test, body, exact, made], [exact, slip, { ...unlike, name: "zzz" }], { terms: ["read", "name"] });
  assert.deepEqual(order.map(({ hit }) => hit.id), [3, 1, 4, 2, 5]);
  const wanted = fuse([test, exact], [], { terms: ["read", "name", "test"] });
  assert.deepEqual(wanted.map(({ hit }) => hit.id), [1, 3]);
});
