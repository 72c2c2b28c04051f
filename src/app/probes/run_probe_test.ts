import assert from "node:assert/strict";
import { SILENT } from "../../base/log.ts";
import { success } from "../../base/outcome.ts";
import type { Probe } from "../../catalog/model/leaf.ts";
import { openScope } from "../../system/path_scope.ts";
import { CheckMemory } from "./probe_cache.ts";
import { probeAsker } from "./run_probe.ts";

Deno.test("T11 what a check said is remembered for what was open to it alone", async () => {
  await using memory = new CheckMemory({ file: "/dev/null/not-written", now: () => 0, log: SILENT });
  const scope = await openScope(["/"]);
  const runner = { run: () => Promise.resolve({ kind: "exited", code: 0 } as const), settled: () => Promise.resolve() };
  const withOpened = (...opened: readonly string[]) => probeAsker({ runner, scope, path: ["/bin"], memory, opened });
  const probe: Probe = { kind: "command", argv: ["sh", "-c", "exit 0"], successExitCodes: [0] };
  assert.deepStrictEqual(await withOpened("reads /x").ask(probe, new AbortController().signal), success(undefined));
  const recalled = (...opened: readonly string[]) => withOpened(...opened).recall([probe]);
  assert.deepStrictEqual(await Promise.all([recalled("reads /x"), recalled(), recalled("reads /y")]), [
    [success(undefined)],
    [undefined],
    [undefined],
  ]);
});
