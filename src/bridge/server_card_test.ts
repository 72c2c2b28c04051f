import assert from "node:assert/strict";
import { serverCard } from "./server_card.ts";

/** What `schema.ts` of the extension asks for. */
const NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;

Deno.test("H1 serverCard() names the host from its end, and never sends a token over what may be no TLS", () => {
  for (
    const [host, isOwn, name, url] of [
      ["127.0.0.1:3000", true, "localhost/ahma_mcp", "http://127.0.0.1:3000/mcp"],
      ["[::1]:3000", true, "localhost/ahma_mcp", "http://[::1]:3000/mcp"],
      ["localhost:3000", true, "localhost/ahma_mcp", "http://localhost:3000/mcp"],
      ["Tools.example.org", false, "org.example.tools/ahma_mcp", "https://Tools.example.org/mcp"],
      ["tools.example.org:8443", false, "org.example.tools/ahma_mcp", "https://tools.example.org:8443/mcp"],
    ] as const
  ) {
    const versions = ["2026-07-28"];
    const { name: given, remotes, description } = serverCard({ host, isOwn, needsToken: false, versions }) as {
      readonly name: string;
      readonly description: string;
      readonly remotes: unknown;
    };
    assert.match(given, NAME);
    assert.ok(description.length <= 100);
    assert.deepStrictEqual([given, remotes], [
      name,
      [{ type: "streamable-http", url, supportedProtocolVersions: versions }],
    ]);
  }
});
