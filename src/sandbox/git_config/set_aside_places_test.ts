import assert from "node:assert/strict";
import { isInStore, linkTo, setAsideAt, storeLinks, storesOf } from "./set_aside_places.ts";

const ID = "0a1b2c3d-0000-4000-8000-0123456789ab";

Deno.test("S24 a link of what was set aside says where it lies, and no other link does", () => {
  for (const store of storesOf("/home/me/p")) {
    assert.equal(setAsideAt(linkTo(store, ID)), `${store}/${ID}/git`);
    assert.ok(isInStore(`${store}/${ID}/git`, "/home/me/p"));
  }
  for (
    const target of [
      "/etc",
      "/.ahma_mcp/../etc",
      `/.ahma_mcp/${ID}/git`,
      `x/.ahma_mcp/p/${ID}/git`,
      `/.ahma_mcp/p/${ID}`,
    ]
  ) {
    assert.equal(setAsideAt(target), undefined, target);
  }
  assert.ok(!isInStore(`/home/me/p/.ahma_mcp/${ID}`, "/home/me/p"));
});

Deno.test("S24 storeLinks() leads each tree's links to its own stores", () => {
  assert.deepStrictEqual([...storeLinks(["/p", "/"])], [
    ["/.ahma_mcp/p/.git/ahma_mcp", "/p/.git/ahma_mcp"],
    ["/.ahma_mcp/p/.ahma_mcp", "/p/.ahma_mcp"],
    ["/.ahma_mcp/.git/ahma_mcp", "/.git/ahma_mcp"],
    ["/.ahma_mcp/.ahma_mcp", "/.ahma_mcp"],
  ]);
});
