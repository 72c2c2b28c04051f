import assert from "node:assert/strict";
import { showsApps } from "./app_capability.ts";

Deno.test("V4 a client shows pages if its capabilities name the extension with our type, and only then", () => {
  const extension = (value: unknown) => ({ extensions: { "io.modelcontextprotocol/ui": value } });
  assert.ok(showsApps(extension({ mimeTypes: ["text/html", "text/html;profile=mcp-app"] })));
  for (
    const capabilities of [
      undefined,
      null,
      {},
      { extensions: [] },
      extension(undefined),
      extension({}),
      extension({ mimeTypes: "text/html;profile=mcp-app" }),
      extension({ mimeTypes: ["text/html"] }),
      { extensions: { "io.modelcontextprotocol/tasks": { mimeTypes: ["text/html;profile=mcp-app"] } } },
    ]
  ) {
    assert.ok(!showsApps(capabilities), JSON.stringify(capabilities));
  }
});
