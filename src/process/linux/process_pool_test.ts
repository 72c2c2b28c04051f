import assert from "node:assert/strict";
import type { LauncherProcess } from "../spawn.ts";
import { ProcessPool } from "./process_pool.ts";

/** Real shells that wait on stdin as the pool's do; `ready` resolves when so many wait. */
function pool(limits: { first: number; minimum: number; burst: number; idleMs: number }) {
  const started: LauncherProcess[] = [];
  const waiters: { readonly count: number; readonly resolve: () => void }[] = [];
  const shells = new ProcessPool(() => {
    const shell = new Deno.Command("bash", {
      args: ["--norc", "-c", "read -r line"],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const { pid, status, stdin, stdout: output, stderr: reports } = shell;
    const launched = { pid, status, stdin, output, reports };
    started.push(launched);
    waiters.filter(({ count }) => started.length >= count).forEach(({ resolve }) => resolve());
    return launched;
  }, limits);
  const startedAtLeast = (count: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (started.length >= count) resolve();
    else waiters.push({ count, resolve });
    return promise;
  };
  return { shells, started, startedAtLeast };
}

async function end(shell: LauncherProcess | undefined): Promise<void> {
  if (shell === undefined) return;
  await Promise.allSettled([shell.stdin.close(), shell.output.cancel(), shell.reports.cancel(), shell.status]);
}

Deno.test("P1 ProcessPool.acquire() gives each shell once, and refill() replaces it", async () => {
  const { shells, started, startedAtLeast } = pool({ first: 1, minimum: 2, burst: 4, idleMs: 60_000 });
  shells.refill();
  await startedAtLeast(1);
  const first = shells.acquire();
  shells.refill();
  await startedAtLeast(3);
  const second = shells.acquire();
  assert.deepStrictEqual([first, second], [started[0], started[1]]);
  shells.refill();
  await startedAtLeast(4);
  await Promise.all([end(first), end(second)]);
  await shells.close();
});

Deno.test("P1 N5 ProcessPool keeps one shell until the first is taken, and then its minimum", async () => {
  const { shells, startedAtLeast } = pool({ first: 1, minimum: 2, burst: 4, idleMs: 60_000 });
  const turns = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
  };
  shells.refill();
  await startedAtLeast(1);
  await turns();
  assert.deepStrictEqual(shells.ready, 1);
  const taken = shells.acquire();
  shells.refill();
  await startedAtLeast(3);
  await turns();
  assert.deepStrictEqual(shells.ready, 2);
  await end(taken);
  await shells.close();
});

Deno.test("P1 ProcessPool.acquire() of an empty pool gives nothing, and calls in a row make the pool grow to its limit", async () => {
  const { shells, startedAtLeast } = pool({ first: 1, minimum: 1, burst: 3, idleMs: 60_000 });
  assert.deepStrictEqual([1, 2, 3, 4].map(() => shells.acquire()), [undefined, undefined, undefined, undefined]);
  shells.refill();
  await startedAtLeast(3);
  assert.deepStrictEqual(shells.ready, 3);
  await shells.close();
});

Deno.test("P3 ProcessPool replaces a shell that dies while it waits", async () => {
  const { shells, started, startedAtLeast } = pool({ first: 1, minimum: 1, burst: 1, idleMs: 60_000 });
  shells.refill();
  await startedAtLeast(1);
  Deno.kill(started[0]?.pid ?? 0, "SIGKILL");
  await startedAtLeast(2);
  assert.deepStrictEqual(shells.acquire(), started[1]);
  await end(started[1]);
  await shells.close();
});

Deno.test("P3 ProcessPool gives up starting shells that cannot be started", () => {
  let tries = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const shells = new ProcessPool(() => {
    tries++;
    queueMicrotask(resolve);
    throw new Error("no");
  }, { first: 1, minimum: 2, burst: 2, idleMs: 60_000 });
  shells.refill();
  return promise.then(async () => {
    shells.refill();
    await shells.close();
    assert.deepStrictEqual(tries, 1);
  });
});

Deno.test("P1 ProcessPool closes idle shells", async () => {
  const { shells, started, startedAtLeast } = pool({ first: 1, minimum: 1, burst: 2, idleMs: 20 });
  shells.refill();
  await startedAtLeast(1);
  await started[0]?.status;
  assert.deepStrictEqual(shells.ready, 0);
  await shells.close();
});
