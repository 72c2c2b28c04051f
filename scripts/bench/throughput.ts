import { plainCommand } from "./floors.ts";
import type { Programs } from "./programs.ts";
import type { Row } from "./report.ts";
import { StdioClient } from "./stdio_client.ts";

const IN_FLIGHT = 16;

/** Calls a second with 16 in flight, in turns with plain spawns of the same width (N1). */
export async function throughput(programs: Programs, rounds: number, calls: number): Promise<Row> {
  await using client = new StdioClient(programs.packed());
  await client.initialize();
  const plain = programs.line("bash", []);
  const ours: number[] = [];
  const floor: number[] = [];
  await rate(100, () => client.shell("echo hi", "hi"));
  for (let round = 0; round < rounds; round++) {
    ours.push(await rate(calls, () => client.shell("echo hi", "hi")));
    floor.push(await rate(calls, () => plainCommand(plain, "echo hi")));
  }
  return {
    measure: "sandboxed echo, 16 in flight",
    unit: "calls/s",
    ours,
    floor: { name: "Deno.Command, 16 in flight", samples: floor },
    target: { text: "N1: >= 2,000 calls/s", met: ({ p50 }) => p50 >= 2_000 },
  };
}

async function rate(calls: number, once: () => Promise<unknown>): Promise<number> {
  let left = calls;
  const begin = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, async () => {
    while (left-- > 0) await once();
  }));
  return calls / (performance.now() - begin) * 1000;
}
