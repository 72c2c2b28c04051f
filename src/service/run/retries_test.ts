import type { CommandEnd } from "../../base/command/command_end.ts";
import assert from "node:assert/strict";
import type { Work } from "../../operation/operation.ts";
import { withRetries } from "./retries.ts";

async function run(
  ends: readonly CommandEnd[],
  retry: Parameters<typeof withRetries>[1],
  abort = new AbortController(),
) {
  let output = "";
  let tries = 0;
  const work: Work = (control) => {
    control.write(new TextEncoder().encode("ran\n"));
    return Promise.resolve(ends[tries++] ?? { kind: "exited", code: 0 });
  };
  const write = (chunk: Uint8Array) => void (output += new TextDecoder().decode(chunk));
  const end = await withRetries(work, retry)({
    operation: { id: "op_1", tool: "x" },
    signal: abort.signal,
    write,
    answer() {},
    protectedChanged: () => {},
    connected: () => {},
    running: () => {},
    say: (line) => void (output += `${line}\n`),
  });
  return { end, tries, output };
}

const failed: CommandEnd = { kind: "exited", code: 128 };

Deno.test("X16 withRetries() runs again with growing pauses until it succeeds, and says so in the output", async () => {
  assert.deepStrictEqual(await run([failed, failed], { max: 3, backoff_ms: 1 }), {
    end: { kind: "exited", code: 0 },
    tries: 3,
    output:
      "ran\n[exit code 128: try 1 of 4, the next in 1 ms]\nran\n[exit code 128: try 2 of 4, the next in 2 ms]\nran\n",
  });
});

Deno.test("X16 withRetries() gives up after the last try", async () => {
  const { end, tries } = await run([failed, failed, failed], { max: 2, backoff_ms: 1 });
  assert.deepStrictEqual([end, tries], [failed, 3]);
});

Deno.test("X16 withRetries() retries only the exit codes named, and never a signal or a failed start", async () => {
  for (
    const end of [{ kind: "exited", code: 1 }, { kind: "signalled", signal: "SIGKILL" }, {
      kind: "not_started",
      message: "",
    }] as const
  ) {
    assert.deepStrictEqual((await run([end], { max: 2, backoff_ms: 1, on_exit_codes: [128] })).tries, 1);
  }
});

Deno.test("X16 withRetries() does not wait for its pause when the operation is ended", async () => {
  const abort = new AbortController();
  const running = run([failed], { max: 1, backoff_ms: 3_600_000 }, abort);
  abort.abort();
  assert.deepStrictEqual((await running).tries, 1);
});
