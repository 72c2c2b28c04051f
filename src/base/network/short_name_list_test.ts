import assert from "node:assert/strict";
import { parseNameList } from "./name_list.ts";
import { shortNameList } from "./short_name_list.ts";

function short(text: string): string {
  const parsed = parseNameList(text);
  assert.ok(parsed.ok, text);
  return shortNameList(parsed.value);
}

Deno.test("S30 shortNameList() writes presets as words, and what they do not hold as hosts", () => {
  assert.deepStrictEqual(short("packages,git-hosts"), "packages,git-hosts");
  assert.deepStrictEqual(short("db.example:5432,packages,pypi.org:443"), "packages,db.example:5432");
  assert.deepStrictEqual(short("pypi.org,github.com:22/any"), "pypi.org:80,443,github.com:22/any");
  // A rule that is wider than that of the preset stays.
  assert.deepStrictEqual(short("packages,pypi.org:443/any"), "packages,pypi.org:443/any");
});
