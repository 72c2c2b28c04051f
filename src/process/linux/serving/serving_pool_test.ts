import assert from "node:assert/strict";
import { SILENT } from "../../../base/log.ts";
import { until } from "../../_support/runner_fixture.ts";
import { ServingPool, type StartServing } from "./serving_pool.ts";
import { ServingSandbox } from "./serving_sandbox.ts";

/** More than the deaths in a row after which a pool starts nothing ahead of need. */
const MINIMUM = 4;

Deno.test("P5 ServingPool replaces all shells that could not fork, however many began before the first had ended", async () => {
  const begun: { readonly kind: string; readonly pid: number }[] = [];
  const start: StartServing = (kind, onFree) => {
    const { pid, status, stdin, stdout: output, stderr: reports } = new Deno.Command("cat", {
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    void reports.cancel();
    begun.push({ kind, pid });
    const process = { pid, status, stdin, output, reports };
    return new ServingSandbox({ process, steps: [], kind, leftRunning: () => undefined, onFree });
  };
  const limits = { first: MINIMUM, minimum: MINIMUM, idleMs: 60_000, lifeMs: 60_000 };
  const pool = new ServingPool(start, { ...limits, forks: true, logger: SILENT });
  pool.refill();
  const number = (kind: string) => begun.filter((one) => one.kind === kind).length;
  await until(() => number("forking"), (forking) => forking === MINIMUM);
  for (const { pid } of begun) Deno.kill(pid, "SIGKILL");
  await until(() => number("shell"), (shells) => shells === MINIMUM);
  await pool.close();
  assert.strictEqual(number("forking"), MINIMUM);
});
