import type { CommandLine } from "../client/command_line.ts";
import type { Programs } from "./programs.ts";
import type { Row } from "./report.ts";
import { StdioClient } from "./stdio_client.ts";

/** Start to the answer to `initialize`, packed and from source, in turns with an empty server (N3). */
export async function startUp(programs: Programs, rounds: number): Promise<readonly Row[]> {
  const packed = await timed([programs.packed(), await programs.emptyPacked()], rounds);
  const source = await timed([programs.source(), programs.emptySource()], rounds);
  return [
    {
      measure: "start to initialize, packed",
      unit: "ms",
      ours: packed[0] ?? [],
      floor: { name: "empty SDK server, packed", samples: packed[1] ?? [] },
      target: { text: "N3: < 60 ms, <= 1.3 x", met: ({ p50, ratio }) => p50 < 60 && ratio <= 1.3 },
    },
    {
      measure: "start to initialize, from source",
      unit: "ms",
      ours: source[0] ?? [],
      floor: { name: "empty SDK server, source", samples: source[1] ?? [] },
      target: { text: "N3: < 120 ms, <= 1.3 x", met: ({ p50, ratio }) => p50 < 120 && ratio <= 1.3 },
    },
  ];
}

/** The same for the executable, in turns with the start script (D1). */
export async function startOfExecutable(programs: Programs, rounds: number): Promise<readonly Row[]> {
  const { executable, script } = programs.installed();
  const [ours = [], floor = []] = await timed([executable, script], rounds);
  return [{
    measure: "start to initialize, executable",
    unit: "ms",
    ours,
    floor: { name: "start script", samples: floor },
    target: { text: "D1: <= 1.05 x", met: ({ ratio }) => ratio <= 1.05 },
  }];
}

/** Starts in turns, each until its answer to `initialize`: milliseconds of each program. */
export async function timed(lines: readonly CommandLine[], rounds: number): Promise<readonly (readonly number[])[]> {
  const samples: number[][] = lines.map(() => []);
  // The first start of each fills the runtime's code cache, the second still writes to it.
  for (let round = -2; round < rounds; round++) {
    for (const [index, line] of lines.entries()) {
      const begin = performance.now();
      await using client = new StdioClient(line);
      await client.initialize();
      if (round >= 0) samples[index]?.push(performance.now() - begin);
    }
  }
  return samples;
}
