import { holdingsOf } from "../../tests/_support/processes.ts";
import type { CommandLine } from "../client/command_line.ts";
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
  await using empty = new StdioClient(await programs.emptyPacked());
  await empty.initialize();
  await empty.call("nothing", {});
  const ours = await idleMiB(programs.packed());
  return {
    measure: "idle memory with the pool",
    unit: "MiB",
    ours: [ours],
    floor: { name: "empty SDK server, packed", samples: [await treeMiB(empty.pid)] },
    target: { text: "N3: <= 70 MiB", met: ({ p50 }) => p50 <= 70 },
  };
}

/** The same of the executable, in turns with the start script (D1). */
export async function memoryOfExecutable(programs: Programs, rounds: number): Promise<Row> {
  const { executable, script } = programs.installed();
  const samples: { readonly ours: number[]; readonly floor: number[] } = { ours: [], floor: [] };
  for (let round = 0; round < rounds; round++) {
    samples.ours.push(await idleMiB(executable));
    samples.floor.push(await idleMiB(script));
  }
  return {
    measure: "idle memory of the executable",
    unit: "MiB",
    ours: samples.ours,
    floor: { name: "start script", samples: samples.floor },
    target: { text: "D1: <= 1.05 x", met: ({ ratio }) => ratio <= 1.05 },
  };
}

async function idleMiB(program: CommandLine): Promise<number> {
  await using client = new StdioClient(program);
  await client.initialize();
  await client.shell("echo hi", "hi");
  // Long enough for the pool to refill and the collector to have had its turn.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return await treeMiB(client.pid);
}
