import { strict as assert } from "node:assert";
import { busyFor, BusyServer, type Fetch, fetchWithRetryAfter } from "./retry_after.ts";

/** What comes of a POST to a server that answers so, and how often it was asked. */
async function ask(answers: readonly [status: number, retryAfter?: string][], init: RequestInit = { method: "POST" }) {
  let asked = 0;
  const server: Fetch = () => {
    const [status, retryAfter] = answers[Math.min(asked++, answers.length - 1)] ?? [200];
    return Promise.resolve(new Response("body", { status, headers: retryAfter ? { "retry-after": retryAfter } : {} }));
  };
  const [ended] = await Promise.allSettled([
    fetchWithRetryAfter(server, () => Date.parse("2026-01-01T00:00:00Z"))("http://x", init),
  ]);
  return [ended.status === "fulfilled" ? ended.value.status : ended.reason.message, asked];
}

Deno.test("O2 fetchWithRetryAfter() repeats what a busy server refused, as often and as long as it says, within bounds", async () => {
  const busy = (seconds: number, status = 503) =>
    `The server is busy (HTTP ${status}) and takes requests again in ${seconds} s`;
  const table = [
    [await ask([[200]]), [200, 1]],
    [await ask([[503, "0"], [429, "0"], [200]]), [200, 3]],
    [await ask([[503, "0"]]), [busy(0), 4]],
    [await ask([[429, "11"]]), [busy(11, 429), 1]],
    [await ask([[503, "Thu, 01 Jan 2026 00:01:00 GMT"]]), [busy(60), 1]],
    [await ask([[503, "Wed, 31 Dec 2025 00:00:00 GMT"], [200]]), [200, 2]],
    [await ask([[503, "soon"]]), [503, 1]],
    [await ask([[429]]), [429, 1]],
    [await ask([[500, "0"]]), [500, 1]],
    [await ask([[503, "0"]], { method: "GET" }), [503, 1]],
    [await ask([[503, "5"]], { method: "POST", signal: AbortSignal.abort(new Error("taken back")) }), [
      "taken back",
      1,
    ]],
  ];
  assert.deepStrictEqual(table.map(([is]) => is), table.map(([, expected]) => expected));
});

Deno.test("O2 busyFor() finds the time in the causes of a failure", () => {
  const busy = new Error("outer", { cause: new Error("inner", { cause: new BusyServer(429, 7_000) }) });
  assert.deepStrictEqual([busyFor(busy), busyFor(new Error("other")), busyFor(undefined)], [
    7_000,
    undefined,
    undefined,
  ]);
});
