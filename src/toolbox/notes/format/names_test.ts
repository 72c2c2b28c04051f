import assert from "node:assert/strict";
import fc from "fast-check";
import { hasConflict } from "./item_text.ts";
import { nameOf } from "./names.ts";
import { resolveReference } from "./references.ts";
import { isIdOrEnd, newUlid, shortForm } from "./ulid.ts";

Deno.test("K6 a name is one that every file system takes", () => {
  const names = ["Fix: the Login!", "a_b", "a b", "Ünïcode 1.2", "修正", "fix.md", `${"x".repeat(90)}`];
  assert.deepEqual(
    names.map((name) => nameOf(name)),
    [
      "fix-the-login",
      "a_b",
      "a-b",
      "unicode-1.2",
      "",
      "fix",
      "x".repeat(80),
    ].map((value) => ({ ok: true, value })),
  );
  for (const name of ["..", ".git", "a/../b", "CON", "nul.txt", "lpt1", "next", "Current"]) {
    assert.ok(!nameOf(name).ok, name);
  }
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (given) => {
    const made = nameOf(given);
    if (made.ok) assert.match(made.value, /^(?:[a-z0-9_](?:[a-z0-9._-]{0,78}[a-z0-9_])?)?$/);
  }));
});

Deno.test("K6 ids sort by time, and their ends name them", () => {
  assert.equal(newUlid(0).slice(0, 10), "0".repeat(10));
  assert.ok(newUlid(1_700_000_000_000) < newUlid(1_700_000_000_001));
  const id = newUlid();
  assert.match(id, /^[0-9A-HJKMNP-TV-Z]{26}$/);
  assert.ok(isIdOrEnd(id, shortForm(id)) && isIdOrEnd(id, id) && !isIdOrEnd(id, id.slice(-6)));
});

Deno.test("K6 a reference is a name, an id, its end, or the beginning of one item only", () => {
  const items = [{ name: "fix-login", id: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }, { name: "fix" }, { name: "Other" }];
  const found = (reference: string) => {
    const one = resolveReference(items, reference, "issue");
    return one.ok ? one.value.name : one.problem;
  };
  assert.deepEqual(["fix", "FIX.md", "01arz3ndektsv4rrffq69g5fav", "9g5fav", "69g5fav", "oth", "01AR"].map(found), [
    "fix",
    "fix",
    "fix-login",
    'There is no issue "9g5fav"; issue_list names them',
    "fix-login",
    "Other",
    "fix-login",
  ]);
  assert.equal(found("fi"), '"fi" means 2 issues: fix-login, fix; name one of them');
  assert.equal(found("fix-logn"), 'There is no issue "fix-logn"; did you mean "fix-login"?');
});

Deno.test("K6 a conflict is one with all three markers, each at the beginning of its line", () => {
  assert.ok(hasConflict("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n"));
  assert.ok(hasConflict("<<<<<<<\r\n=======\r\n>>>>>>>"));
  for (const text of ["", "=======\n", " <<<<<<< a\n=======\n>>>>>>> b\n", "<<<<<<<x\n=======\n>>>>>>>\n"]) {
    assert.ok(!hasConflict(text), text);
  }
});
