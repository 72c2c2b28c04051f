import { type CSpawner, plainCommand } from "./floors.ts";
import type { Programs } from "./programs.ts";
import type { Row, Target } from "./report.ts";
import { StdioClient } from "./stdio_client.ts";

/** How much to measure. */
export interface CallPlan {
  /** Turns taken between us and the floors. */
  readonly rounds: number;
  /** Calls per turn. */
  readonly calls: number;
}

/** A series of calls that is measured in turns with the others. */
interface Series {
  readonly name: string;
  /** One turn: times in milliseconds. */
  readonly turn: (calls: number, pause: number) => Promise<readonly number[]>;
}

const BACK_TO_BACK: Target = {
  text: "N1: <= 1.0 x posix_spawn, p99 < 5 x p50",
  met: ({ p50, p99, ratio }) => ratio <= 1 && p99 < 5 * p50,
};
const PACED: Target = { text: "N1: <= 1.2 ms", met: ({ p50 }) => p50 <= 1.2 };

/** A sandboxed `echo` from the pool and without it, back to back and one every 25 ms (N1). */
export async function calls(
  programs: Programs,
  spawner: CSpawner | undefined,
  plan: CallPlan,
): Promise<readonly Row[]> {
  await using warm = new StdioClient(programs.packed());
  await using cold = new StdioClient(programs.packed("--no-pool"));
  await warm.initialize();
  await cold.initialize();
  const plain = programs.line("bash", []);
  const series: readonly Series[] = [
    { name: "warm", turn: (count, pause) => each(count, pause, () => timedShell(warm)) },
    { name: "cold", turn: (count, pause) => each(count, pause, () => timedShell(cold)) },
    { name: "plain", turn: (count, pause) => each(count, pause, () => plainCommand(plain, "echo hi")) },
    ...(spawner === undefined
      ? []
      : [{ name: "c", turn: (count: number, pause: number) => spawner.spawn(count, pause) }]),
  ];
  const fast = await inTurns(series, plan, 0);
  const paced = await inTurns(series, { rounds: plan.rounds, calls: Math.ceil(plan.calls / 5) }, 25);
  return [...rows(fast, "back to back", BACK_TO_BACK), ...rows(paced, "paced 25 ms", PACED)];
}

function rows(samples: ReadonlyMap<string, readonly number[]>, how: string, target: Target): readonly Row[] {
  const of = (name: string) => samples.get(name) ?? [];
  const floor = samples.has("c")
    ? { name: "posix_spawn of bash", samples: of("c") }
    : { name: "Deno.Command (no gcc)", samples: of("plain") };
  return [
    { measure: `sandboxed echo, warm, ${how}`, unit: "ms", ours: of("warm"), floor, target },
    { measure: `sandboxed echo, cold, ${how}`, unit: "ms", ours: of("cold"), floor },
    { measure: `plain Deno.Command, no server, ${how}`, unit: "ms", ours: of("plain"), floor },
  ];
}

async function inTurns(
  series: readonly Series[],
  plan: CallPlan,
  pause: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const samples = new Map<string, number[]>(series.map(({ name }) => [name, []]));
  for (const { turn } of series) await turn(20, 0);
  for (let round = 0; round < plan.rounds; round++) {
    for (const { name, turn } of series) samples.get(name)?.push(...await turn(plan.calls, pause));
  }
  return samples;
}

async function each(count: number, pause: number, once: () => Promise<number>): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let index = 0; index < count; index++) {
    // Idle time is what is measured here: caches and cores cool down between the calls of an agent.
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    samples.push(await once());
  }
  return samples;
}

async function timedShell(client: StdioClient): Promise<number> {
  const begin = performance.now();
  await client.shell("echo hi", "hi");
  return performance.now() - begin;
}
