import { holdingsOf } from "../../tests/_support/processes.ts";
import type { Programs } from "./programs.ts";
import type { Row } from "./report.ts";
import { StdioClient } from "./stdio_client.ts";

/** Resident memory of a process and all below it, in MiB. */
async function treeMiB(pid: number): Promise<number> {
  const { residentMiB, children } = await holdingsOf(pid);
  const below = await Promise.all(children.map(treeMiB));
  return below.reduce((sum, child) => sum + child, residentMiB);
}

/** Memory of an idle server after its first calls, the pool included (N3). */
export async function idleMemory(programs: Programs): Promise<Row> {
  await using client = new StdioClient(programs.packed());
  await using empty = new StdioClient(await programs.emptyPacked());
  await Promise.all([client.initialize(), empty.initialize()]);
  await client.shell("echo hi", "hi");
  await empty.call("nothing", {});
  // Long enough for the pool to refill and the collector to have had its turn.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return {
    measure: "idle memory with the pool",
    unit: "MiB",
    ours: [await treeMiB(client.pid)],
    floor: { name: "empty SDK server, packed", samples: [await treeMiB(empty.pid)] },
    target: { text: "N3: <= 70 MiB", met: ({ p50 }) => p50 <= 70 },
  };
}
