import assert from "node:assert/strict";
import { parseNameList } from "../../../../base/network/name_list.ts";
import { shortNameList } from "../../../../base/network/short_name_list.ts";
import { missingHosts, neededHosts } from "./network_needs.ts";

function needed(programs: readonly string[], addresses: readonly string[] = []): string {
  return shortNameList(neededHosts(programs, addresses));
}

Deno.test("S30 L6 neededHosts() takes the registries of programs, and the hosts of addresses in every form", () => {
  assert.strictEqual(needed(["npm", "node", "make"]), "packages");
  assert.strictEqual(needed(["gradle", "cargo"]), "packages,git-hosts");
  assert.strictEqual(needed(["bundle"]), "rubygems.org:80,443,index.rubygems.org:80,443");
  assert.strictEqual(needed(["make"]), "");
  const addresses = {
    "https://npm.example/a/b": "npm.example:443",
    "https://user:secret@npm.example:8443/a": "npm.example:8443",
    "http://mirror.example": "mirror.example:80",
    "https\\://gradle.example/x.zip": "gradle.example:443",
    "git@git.example:a/b.git": "git.example:22/any",
    "ssh://git@git.example:2222/a": "git.example:2222/any",
    "../other": "",
    "/srv/repository": "",
    "https://localhost:4873/": "",
    "https://127.0.0.1/": "",
    "file:///srv/x": "",
    "https://a b/": "",
  };
  for (const [address, expected] of Object.entries(addresses)) {
    assert.strictEqual(needed([], [address]), expected, address);
  }
  assert.strictEqual(
    needed(["npm"], ["https://registry.npmjs.org/", "https://npm.example"]),
    "packages,npm.example:443",
  );
});

Deno.test("S30 L6 missingHosts() names what a list lacks, in its shortest form", () => {
  const list = parseNameList("packages,*.y.example:443");
  assert.ok(list.ok);
  assert.strictEqual(missingHosts(list.value, neededHosts(["npm"], ["https://npm.y.example"])), undefined);
  assert.strictEqual(missingHosts(list.value, neededHosts(["npm"], ["git@git.example:x"])), "git.example:22/any");
});
