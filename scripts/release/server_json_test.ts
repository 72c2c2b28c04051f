import assert from "node:assert/strict";
import { ASSETS, PROJECT } from "./_support/assets.ts";
import { faultsBy } from "./_support/schemas.ts";
import { npmManifest } from "./npm/npm_package.ts";
import { serverJson } from "./server_json.ts";

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

Deno.test("D4 serverJson() is what the MCP registry takes: its schema, exact versions, a sum for each bundle", async () => {
  const entry = serverJson(PROJECT, ASSETS);
  assert.deepStrictEqual(await faultsBy(SCHEMA, entry), []);
  const { name, version, packages } = entry as Readonly<Record<string, unknown>>;
  assert.deepStrictEqual([name, version], [npmManifest(PROJECT)["mcpName"], npmManifest(PROJECT)["version"]]);
  assert.deepStrictEqual(
    (packages as readonly Record<string, string>[]).map((
      one,
    ) => [one["registryType"], one["version"], one["fileSha256"]]),
    [["npm", version, undefined], ...ASSETS.map(({ bundleSum }) => ["mcpb", version, bundleSum])],
  );
});

Deno.test("D4 the schema of the MCP registry refuses what its rules forbid", async () => {
  const entry = serverJson(PROJECT, []);
  const long = { ...entry, description: "x".repeat(101) };
  assert.deepStrictEqual(await faultsBy(SCHEMA, long), ["/description must NOT have more than 100 characters"]);
  assert.deepStrictEqual(await faultsBy(SCHEMA, { ...entry, name: "ahma" }), [
    '/name must match pattern "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"',
  ]);
  const unsummed = serverJson(PROJECT, [{ target: "linux-x64", archiveSum: "", bundleSum: "no sum" }]);
  assert.deepStrictEqual(await faultsBy(SCHEMA, unsummed), [
    '/packages/1/fileSha256 must match pattern "^[a-f0-9]{64}$"',
  ]);
});
