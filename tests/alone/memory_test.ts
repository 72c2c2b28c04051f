/** What a server may keep in memory. How long things take is measured by `deno task bench` and never in a test. */
import assert from "node:assert/strict";
import { Programs } from "../../scripts/bench/programs.ts";
import { StdioClient } from "../../scripts/bench/stdio_client.ts";
import { holdingsOf, lowestResident } from "../_support/processes.ts";

/** What the history of ended operations may keep in all (X5), and what the allocator may not have given back. */
const KEPT_MIB = 64 + 60;

Deno.test("N4 X8 memory stays bounded over floods of 220 MB", async () => {
  using programs = new Programs();
  await using client = new StdioClient(programs.packed());
  await client.initialize();
  await client.shell("echo hi", "hi");
  const before = (await holdingsOf(client.pid)).residentMiB;
  for (let round = 0; round < 20; round++) await client.shell("seq 1 1500000", "\n1500000\n");
  const after = await lowestResident(client.pid, before + KEPT_MIB);
  assert.ok(after < before + KEPT_MIB, `from ${before.toFixed(0)} to ${after.toFixed(0)} MiB`);
});
