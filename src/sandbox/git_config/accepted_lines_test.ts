import assert from "node:assert/strict";
import { isAccepted, withAccepted } from "./accepted_lines.ts";

const ONE = {
  path: "/p/sub/.git",
  identity: { device: 1n, inode: 2n },
  obeyed: [{ name: "core.pager", state: '["less"]' }, { name: "hooks/update", state: "1:3" }],
};

Deno.test("S24 what a person accepted counts for that repository as it was, and for no other state or place", () => {
  const text = withAccepted("", ONE);
  assert.ok(isAccepted(text, ONE));
  assert.ok(isAccepted(text, { ...ONE, obeyed: ONE.obeyed.slice(1) }));
  assert.ok(!isAccepted(text, { ...ONE, path: "/p/other/.git" }));
  assert.ok(!isAccepted(text, { ...ONE, identity: { device: 1n, inode: 3n } }));
  assert.ok(!isAccepted(text, { ...ONE, obeyed: [{ name: "core.pager", state: '["evil"]' }] }));
  assert.ok(!isAccepted("", ONE));
  assert.ok(isAccepted(`["1:2 /p/sub\n{"a": 1}\n${text}`, ONE));
});

Deno.test("S24 the record keeps the last ones, whatever names they have", () => {
  let text = "";
  for (let number = 0; number < 300; number++) text = withAccepted(text, { ...ONE, path: `/p/${number}\n"x"` });
  assert.equal(text.split("\n").length, 257);
  assert.ok(isAccepted(text, { ...ONE, path: '/p/299\n"x"' }));
  assert.ok(!isAccepted(text, { ...ONE, path: '/p/43\n"x"' }));
});
