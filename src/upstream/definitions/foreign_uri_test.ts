import assert from "node:assert/strict";
import fc from "fast-check";
import { ourUri, theirUri, withOurUris } from "./foreign_uri.ts";

Deno.test("O2 an address of ours leads back to the server and its own address, whatever these are", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), fc.string(), (server, uri) => {
    assert.deepStrictEqual(theirUri(ourUri(server, uri)), { server, uri });
  }));
  for (const strange of ["ahma://operations", "ahma://servers/", "ahma://servers/srv", "memo://one"]) {
    assert.deepStrictEqual(theirUri(strange), undefined);
  }
  assert.deepStrictEqual(theirUri("ahma://servers/%E0%A4/x"), { server: "%E0%A4", uri: "x" });
});

Deno.test("O2 links to resources in results lead through us; web pages and what is no link stay", () => {
  const cases = [
    [{ type: "resource_link", uri: "memo://1", name: "n" }, {
      type: "resource_link",
      uri: "ahma://servers/s/memo://1",
      name: "n",
    }],
    [{ type: "resource", resource: { uri: "memo://1", text: "t" } }, {
      type: "resource",
      resource: { uri: "ahma://servers/s/memo://1", text: "t" },
    }],
    [{ type: "resource_link", uri: "https://example.com/" }, { type: "resource_link", uri: "https://example.com/" }],
    [{ type: "text", text: "memo://1" }, { type: "text", text: "memo://1" }],
    [{ type: "resource_link" }, { type: "resource_link", uri: undefined }],
    [null, null],
  ];
  for (const [given, expected] of cases) assert.deepStrictEqual(withOurUris("s", given), expected);
});
