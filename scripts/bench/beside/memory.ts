import { holdingsOf } from "../../../tests/_support/processes.ts";
import type { Programs } from "../programs.ts";
import type { Row, Target } from "../report.ts";
import { StdioClient } from "../stdio_client.ts";
import { BesideClient, besideLine } from "./beside.ts";
import { CodexClient, codexShell } from "./codex_shell.ts";
import { CODEX } from "./contenders.ts";

/** Resident memory of a process and all below it, in MiB. */
async function treeMiB(pid: number): Promise<number> {
  const { residentMiB, children } = await holdingsOf(pid);
  const below = await Promise.all(children.map(treeMiB));
  return below.reduce((sum, child) => sum + child, residentMiB);
}

/** Memory of an idle server after its first calls, the pool included (N3). */
export async function idleMemory(programs: Programs): Promise<readonly Row[]> {
  await using empty = new StdioClient(await programs.emptyPacked());
  await empty.initialize();
  await empty.call("nothing", {});
  const ours = await idleMiB(new StdioClient(programs.packed()));
  const codex = await idleMiB(new CodexClient(await codexShell(programs)));
  const beside: { readonly name: string; readonly held: number }[] = [];
  for (const one of programs.beside) {
    beside.push({ name: one.name, held: await idleMiB(new BesideClient(besideLine(programs, one), one)) });
  }
  const row = { measure: "idle memory with the pool", unit: "MiB", ours: [ours] };
  const target: Target = { text: "N3: <= 70 MiB", met: ({ p50 }) => p50 <= 70 };
  return [
    { ...row, floor: { name: "empty SDK server, packed", samples: [await treeMiB(empty.pid)] }, target },
    { ...row, floor: { name: CODEX, samples: [codex] } },
    ...beside.map(({ name, held }) => ({ ...row, floor: { name, samples: [held] } })),
  ];
}

/** The same of the executable, in turns with the start script (D1). */
export async function memoryOfExecutable(programs: Programs, rounds: number): Promise<Row> {
  const { executable, script } = programs.installed();
  const samples: { readonly ours: number[]; readonly floor: number[] } = { ours: [], floor: [] };
  for (let round = 0; round < rounds; round++) {
    samples.ours.push(await idleMiB(new StdioClient(executable)));
    samples.floor.push(await idleMiB(new StdioClient(script)));
  }
  return {
    measure: "idle memory of the executable",
    unit: "MiB",
    ours: samples.ours,
    floor: { name: "start script", samples: samples.floor },
    target: { text: "D1: <= 1.05 x", met: ({ ratio }) => ratio <= 1.05 },
  };
}

async function idleMiB(started: StdioClient): Promise<number> {
  await using client = started;
  await client.initialize();
  await client.shell("echo hi", "hi");
  // Long enough for the pool to refill and the collector to have had its turn, which ours has after 1.5 seconds.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  return await treeMiB(client.pid);
}
