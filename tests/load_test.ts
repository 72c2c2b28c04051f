import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import type { ToolAnswer } from "./_support/json_rpc.ts";
import { type Holdings, holdingsOf, lowestResident, processesWith } from "./_support/processes.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

/** A command whose whole output is known, of a size that varies with `number`, some of it on stderr. */
function numbered(number: number): { readonly command: string; readonly expected: string } {
  const lines = 1 + number % 40;
  const command = `for ((i = 1; i <= ${lines}; i++)); do echo "call ${number} line $i"; done; echo "end ${number}" >&2`;
  const expected = Array.from({ length: lines }, (_, index) => `call ${number} line ${index + 1}`);
  return { command, expected: [...expected, `end ${number}`].join("\n") };
}

/** The output and nothing else: no line lost, none of another call. */
function assertWhole(answer: ToolAnswer, number: number): void {
  const { expected } = numbered(number);
  const lines = answer.text.split("\n").filter((line) => /^(call|end) \d/.test(line));
  assert.equal(lines.join("\n"), expected);
  assert.ok(!answer.failed);
}

/** Calls at once: many more than run at once. */
const NUMBERS = Array.from({ length: 60 }, (_, number) => number);

/** What the pool may hold in all (P1), with two children that are just being replaced. */
const POOL = 22;
/** Pipes of a warm shell, in the server. */
const DESCRIPTORS_OF_A_SHELL = 4;

/** Waits until the server holds no more than before, warm shells apart: they adapt to the load, within their cap. */
async function assertFlat(server: ServerProcess, before: Holdings): Promise<void> {
  let now = before;
  try {
    await until(
      async () => {
        now = await holdingsOf(server.pid);
        const warm = Math.max(0, now.children.length - before.children.length);
        return now.children.length <= POOL && now.descriptors <= before.descriptors + warm * DESCRIPTORS_OF_A_SHELL + 8;
      },
      10_000,
      "descriptors and children to come back",
    );
  } catch (error) {
    throw new Error(`Before ${JSON.stringify(before)}, now ${JSON.stringify(now)}`, { cause: error });
  }
}

async function warmedUp(server: ServerProcess): Promise<Holdings> {
  for (let number = 0; number < 20; number++) await server.shell("true");
  return await holdingsOf(server.pid);
}

/** One descriptor or process left by each would be far more than `assertFlat` lets pass. */
const IN_A_ROW = 150;

Deno.test(`P4 N6 ${IN_A_ROW} calls in a row: every output whole, descriptors, processes and memory flat`, async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench);
  const before = await warmedUp(server);
  for (let number = 0; number < IN_A_ROW; number++) {
    assertWhole(await server.shell(numbered(number).command), number);
  }
  await assertFlat(server, before);
  const memory = await lowestResident(server.pid, 200);
  assert.ok(memory < 200, `${memory} MiB`);
  assert.ok((await processesWith(bench.marker)).length < 40);
});

/** Does it twice: what the second time adds would also come the third and the thousandth time. */
async function assertTwiceIsOnce(burst: (server: ServerProcess) => Promise<void>): Promise<void> {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench);
  const before = await warmedUp(server);
  await burst(server);
  await assertFlat(server, before);
  await burst(server);
  await assertFlat(server, before);
}

Deno.test("P4 X12 many synchronous calls at once: none lost, none mixed", async () => {
  await assertTwiceIsOnce(async (server) => {
    const answers = await Promise.all(NUMBERS.map((number) =>
      server.call("sandboxed_shell", {
        command: numbered(number).command,
        execution_mode: "Synchronous",
      }, { deadline: 60_000 })
    ));
    answers.forEach((answer, number) => assertWhole(answer, number));
  });
});

Deno.test("X1 X12 B2 many background calls at once: each awaited result is its own", async () => {
  await assertTwiceIsOnce(async (server) => {
    const started = await Promise.all(
      NUMBERS.map((number) => server.start(numbered(number).command)),
    );
    for (const [number, { operation }] of started.entries()) {
      assertWhole(await server.call("await", { operation_id: operation?.operation_id }), number);
    }
  });
});
