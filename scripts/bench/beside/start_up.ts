import type { CommandLine } from "../../client/command_line.ts";
import type { Programs } from "../programs.ts";
import type { Row, Seen } from "../report.ts";
import { StdioClient } from "../stdio_client.ts";
import { CodexClient, codexShell } from "./codex_shell.ts";
import { BesideClient, besideLine } from "./beside.ts";
import { CODEX, OURS } from "./contenders.ts";

/** Start to the answer to `initialize`, packed, in turns with floors and another server (N3). */
export async function startUp(programs: Programs, rounds: number): Promise<readonly Row[]> {
  const codex = await codexShell(programs);
  const lines = [programs.packed(), await programs.emptyPacked("raw_server"), await programs.emptyPacked(), codex];
  const beside = programs.beside.map((one) => besideLine(programs, one));
  const [ours = [], raw = [], empty = [], other = [], ...more] = await timed([...lines, ...beside], rounds);
  const row = { measure: "start to initialize", unit: "ms", ours };
  const target = { text: "N3: <= 45 ms or 3 x", met: ({ p50, ratio }: Seen) => p50 <= 45 || ratio <= 3 };
  return [
    { ...row, floor: { name: "line server, same runtime", samples: raw }, target },
    { ...row, floor: { name: "empty SDK server, packed", samples: empty } },
    { ...row, floor: { name: CODEX, samples: other } },
    ...programs.beside.map(({ name }, index) => ({ ...row, floor: { name, samples: more[index] ?? [] } })),
  ];
}

/** The first call, sent when `initialize` is answered (N3); bytes of the answer to a call (X4). */
export async function firstCall(programs: Programs, rounds: number): Promise<readonly Row[]> {
  const codex = await codexShell(programs);
  const starts: Readonly<Record<string, () => StdioClient | Promise<StdioClient>>> = {
    [OURS]: () => new StdioClient(programs.packed()),
    [UNPROVEN]: async () => {
      await programs.forgetProofs();
      return new StdioClient(programs.packed());
    },
    [CODEX]: () => new CodexClient(codex),
    ...Object.fromEntries(
      programs.beside.map((one) => [one.name, () => new BesideClient(besideLine(programs, one), one)]),
    ),
  };
  const first = new Map<string, number[]>(Object.keys(starts).map((name) => [name, []]));
  const bytes = new Map<string, number[]>(Object.keys(starts).map((name) => [name, []]));
  // The first start of all leaves the proof of the self-test for the second.
  for (let round = -1; round < rounds; round++) {
    for (const [name, start] of Object.entries(starts).toReversed()) {
      await using client = await start();
      await client.initialize();
      const begin = performance.now();
      await client.shell("echo 42", "42");
      if (round >= 0) first.get(name)?.push(performance.now() - begin);
      const before = client.received;
      await client.shell("echo 42", "42");
      bytes.get(name)?.push(client.received - before);
      if (name === UNPROVEN) await programs.proofKept();
    }
  }
  const others = [...first.keys()].filter((name) => name !== OURS);
  const row = (measure: string, unit: string, samples: ReadonlyMap<string, readonly number[]>) => (name: string) => ({
    measure,
    unit,
    ours: samples.get(OURS) ?? [],
    floor: { name, samples: samples.get(name) ?? [] },
  });
  return [
    ...others.map(row("first call", "ms", first)).map((one, index) =>
      index === 0 ? { ...one, target: { text: "N3: <= 25 ms", met: ({ p50 }: Seen) => p50 <= 25 } } : one
    ),
    {
      ...row("answer to `echo 42`", "bytes", bytes)(CODEX),
      target: { text: "X4: <= 150", met: ({ p50 }) => p50 <= 150 },
    },
  ];
}

/** The first server since the boot, whose self-test comes before its first command. */
const UNPROVEN = "ours, nothing proven yet";

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
