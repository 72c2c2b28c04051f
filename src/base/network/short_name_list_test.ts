import assert from "node:assert/strict";
import { parseNameList } from "./name_list.ts";
import { shortNameList } from "./short_name_list.ts";

function short(text: string, longest?: number): string {
  const parsed = parseNameList(text);
  assert.ok(parsed.ok, text);
  return shortNameList(parsed.value, longest);
}

Deno.test("S30 shortNameList() writes presets as words, and what they do not hold as hosts", () => {
  assert.deepStrictEqual(short("packages,git-hosts"), "packages,git-hosts");
  assert.deepStrictEqual(short("db.example:5432,packages,pypi.org:443"), "packages,db.example:5432");
  assert.deepStrictEqual(short("pypi.org,github.com:22/any"), "pypi.org:80,443,github.com:22/any");
  // A rule that is wider than that of the preset stays.
  assert.deepStrictEqual(short("packages,pypi.org:443/any"), "packages,pypi.org:443/any");
});

Deno.test("S30 shortNameList() leaves out whole entries of a long list, and says how many", () => {
  const list = "packages,one.example:1,two.example:2,3,three.example:3";
  assert.deepStrictEqual(short(list, 54), list);
  assert.deepStrictEqual(short(list, 53), "packages,one.example:1,two.example:2,3 and 1 more");
  assert.deepStrictEqual(short(list, 40), "packages,one.example:1 and 2 more");
  assert.deepStrictEqual(short(list, 19), "packages and 3 more");
  assert.deepStrictEqual(short(list, 18), "4 hosts");
  assert.deepStrictEqual(shortNameList([], 1), "");
});
