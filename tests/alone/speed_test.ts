/**
 * Guards, not measurements: `deno task bench` measures. Each compares with its floor in turns within one run and allows
 * three times what the requirement allows, so that a busy machine passes and a mistake that costs a factor does not.
 */
import assert from "node:assert/strict";
import { plainCommand } from "../../scripts/bench/floors.ts";
import { Programs } from "../../scripts/bench/programs.ts";
import { summarize } from "../../scripts/bench/samples.ts";
import { startUp } from "../../scripts/bench/start_up.ts";
import { StdioClient } from "../../scripts/bench/stdio_client.ts";
import { holdingsOf } from "../_support/processes.ts";

const SLACK = 3;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

Deno.test("N1 P1 a warm sandboxed call costs what a plain shell costs (guard)", async () => {
  using programs = new Programs();
  await using client = new StdioClient(programs.packed());
  await client.initialize();
  const plain = programs.line("bash", []);
  const ours: number[] = [];
  const floor: number[] = [];
  for (let call = 0; call < 220; call++) {
    const [mine, theirs] = [
      await timed(() => client.shell("echo hi", "hi")),
      await plainCommand(plain, "echo hi"),
    ];
    if (call < 20) continue;
    ours.push(mine);
    floor.push(theirs);
  }
  const [mine, theirs] = [summarize(ours).p50, summarize(floor).p50];
  assert.ok(mine <= SLACK * theirs, `${mine.toFixed(2)} ms against ${theirs.toFixed(2)} ms`);
});

Deno.test("N2 a background call answers without waiting for its command (guard)", async () => {
  using programs = new Programs();
  await using client = new StdioClient(programs.packed());
  await client.initialize();
  const samples: number[] = [];
  for (let call = 0; call < 50; call++) {
    samples.push(
      await timed(() => client.call("sandboxed_shell", { command: "sleep 600", execution_mode: "AsyncResultPush" })),
    );
  }
  assert.ok(summarize(samples).p50 <= SLACK, `${summarize(samples).p50} ms`);
});

Deno.test("N3 the packed program starts about as fast as an empty server (guard)", async () => {
  using programs = new Programs();
  const [packed] = await startUp(programs, 5);
  const [mine, theirs] = [summarize(packed?.ours ?? []).p50, summarize(packed?.floor?.samples ?? []).p50];
  assert.ok(mine <= SLACK * 1.3 * theirs, `${mine.toFixed(0)} ms against ${theirs.toFixed(0)} ms`);
});

/** What the history of ended operations may keep in all (X5), and what the collector may leave for later. */
const KEPT_MIB = 64 + 60;

Deno.test("N4 X8 memory stays bounded over floods of 330 MB (guard)", async () => {
  using programs = new Programs();
  await using client = new StdioClient(programs.packed());
  await client.initialize();
  await client.shell("echo hi", "hi");
  const before = (await holdingsOf(client.pid)).residentMiB;
  for (let round = 0; round < 30; round++) await client.shell("seq 1 1500000", "\n1500000\n");
  const { residentMiB } = await holdingsOf(client.pid);
  assert.ok(residentMiB - before < KEPT_MIB, `from ${before.toFixed(0)} to ${residentMiB.toFixed(0)} MiB`);
});
