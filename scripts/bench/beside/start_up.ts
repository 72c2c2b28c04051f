import type { CommandLine } from "../../client/command_line.ts";
import type { Programs } from "../programs.ts";
import type { Row, Seen } from "../report.ts";
import { StdioClient } from "../stdio_client.ts";
import { CodexClient, codexShell } from "./codex_shell.ts";
import { CODEX } from "./contenders.ts";

/** Start to the answer to `initialize`, packed, in turns with floors and another server (N3). */
export async function startUp(programs: Programs, rounds: number): Promise<readonly Row[]> {
  const codex = await codexShell(programs);
  const lines = [programs.packed(), await programs.emptyPacked("raw_server"), await programs.emptyPacked(), codex];
  const [ours = [], raw = [], empty = [], other = []] = await timed(lines, rounds);
  const row = { measure: "start to initialize", unit: "ms", ours };
  const target = { text: "N3: <= 45 ms or 3 x", met: ({ p50, ratio }: Seen) => p50 <= 45 || ratio <= 3 };
  return [
    { ...row, floor: { name: "line server, same runtime", samples: raw }, target },
    { ...row, floor: { name: "empty SDK server, packed", samples: empty } },
    { ...row, floor: { name: CODEX, samples: other } },
  ];
}

/** The first call, sent when `initialize` is answered (N3); bytes of the answer to a call (X4). */
export async function firstCall(programs: Programs, rounds: number): Promise<readonly Row[]> {
  const codex = await codexShell(programs);
  const samples = { ours: [] as number[], codex: [] as number[] };
  const bytes = { ours: [] as number[], codex: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    for (const name of ["ours", "codex"] as const) {
      await using client = name === "ours" ? new StdioClient(programs.packed()) : new CodexClient(codex);
      await client.initialize();
      const begin = performance.now();
      await client.shell("echo 42", "42");
      samples[name].push(performance.now() - begin);
      const before = client.received;
      await client.shell("echo 42", "42");
      bytes[name].push(client.received - before);
    }
  }
  return [
    {
      measure: "first call",
      unit: "ms",
      ours: samples.ours,
      floor: { name: CODEX, samples: samples.codex },
      target: { text: "N3: <= 8 ms", met: ({ p50 }) => p50 <= 8 },
    },
    {
      measure: "answer to `echo 42`",
      unit: "bytes",
      ours: bytes.ours,
      floor: { name: CODEX, samples: bytes.codex },
      target: { text: "X4: <= 150", met: ({ p50 }) => p50 <= 150 },
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
