import type { Programs } from "../programs.ts";
import type { Row, Target } from "../report.ts";
import { C, CODEX, type Contender, contenders, OPEN, OURS } from "./contenders.ts";
import { processorTime } from "./processor_time.ts";

/** How much to measure. */
export interface CallPlan {
  /** Turns taken between us and the floors. */
  readonly rounds: number;
  /** Calls per turn. */
  readonly calls: number;
}

/** What ours is compared with, and the targets. */
type Demands = Readonly<Record<string, Target | undefined>>;

function atMost(id: string, most: number): Target {
  return { text: `${id}: <= ${most} x`, met: ({ ratio }) => ratio <= most };
}

const BACK_TO_BACK: Demands = { [CODEX]: atMost("N1", 1), [C]: atMost("N1", 1.5), [OPEN]: undefined };
const PACED: Demands = { [CODEX]: atMost("N1", 0.6), [C]: undefined, [OPEN]: atMost("N1", 1.15) };
const RATE: Demands = {
  [CODEX]: { text: "N1: >= 1.15 x", met: ({ ratio }) => ratio >= 1.15 },
  [C]: undefined,
  [OPEN]: undefined,
};
const PROCESSOR: Demands = { [CODEX]: undefined, [C]: atMost("N1", 1.9), [OPEN]: undefined };
export const PAUSE_MS = 25;
const IN_FLIGHT = 16;
/** Lines of one turn in which processor time is counted: it comes in steps of 10 ms. */
const MANY = 10;

/** A sandboxed `echo`, one after the other (N1). */
export function backToBack(programs: Programs, plan: CallPlan): Promise<readonly Row[]> {
  return oneByOne(programs, plan, { measure: "sandboxed echo, back to back", pauseMs: 0, demands: BACK_TO_BACK });
}

/** The same, one every 25 ms. */
export function paced(programs: Programs, { rounds, calls }: CallPlan): Promise<readonly Row[]> {
  const plan = { rounds, calls: Math.ceil(calls / 5) };
  return oneByOne(programs, plan, { measure: "sandboxed echo, paced 25 ms", pauseMs: PAUSE_MS, demands: PACED });
}

interface OneByOne {
  readonly measure: string;
  readonly pauseMs: number;
  readonly demands: Demands;
}

async function oneByOne(programs: Programs, plan: CallPlan, one: OneByOne): Promise<readonly Row[]> {
  await using stack = new AsyncDisposableStack();
  const all = await ready(programs, stack);
  const samples = new Map<string, number[]>(all.map(({ name }) => [name, []]));
  for (let round = 0; round < plan.rounds; round++) {
    for (const { name, one: turn } of all) samples.get(name)?.push(...await turn(plan.calls, one.pauseMs));
  }
  return rowsOf(one.measure, "ms", samples, withBeside(programs, one.demands));
}

/** Calls a second with 16 in flight, and the processor time of one (N1). */
export async function inFlight(programs: Programs, plan: CallPlan): Promise<readonly Row[]> {
  await using stack = new AsyncDisposableStack();
  const all = await ready(programs, stack);
  const rates = new Map<string, number[]>();
  const times = { servers: new Map<string, number[]>(), children: new Map(), both: new Map() };
  const count = plan.calls * MANY;
  for (let round = 0; round < plan.rounds; round++) {
    for (const one of all) {
      const { rate, servers, children } = await turn(one, count);
      add(rates, one.name, rate);
      add(times.servers, one.name, servers);
      add(times.children, one.name, children);
      add(times.both, one.name, servers + children);
    }
  }
  return [
    ...rowsOf("sandboxed echo, 16 in flight", "calls/s", rates, withBeside(programs, RATE)),
    ...rowsOf("processor time of a call, server and children", "ms", times.both, withBeside(programs, PROCESSOR)),
    ...rowsOf("processor time of a call, server", "ms", times.servers, withBeside(programs, { [CODEX]: undefined })),
    ...rowsOf("processor time of a call, children", "ms", times.children, withBeside(programs, { [CODEX]: undefined })),
  ];
}

function besideNames({ beside }: Programs): readonly string[] {
  return beside.map(({ name }) => name);
}

function withBeside(programs: Programs, demands: Demands): Demands {
  return { ...demands, ...Object.fromEntries(besideNames(programs).map((name) => [name, undefined])) };
}

async function turn({ many, servers: pids }: Contender, count: number) {
  const before = await processorTime(pids);
  const begin = performance.now();
  await many(count, IN_FLIGHT);
  const seconds = (performance.now() - begin) / 1000;
  const after = await processorTime(pids);
  const each = (kind: "servers" | "children") => (after[kind] - before[kind]) / count;
  return { rate: count / seconds, servers: each("servers"), children: each("children") };
}

async function ready(programs: Programs, stack: AsyncDisposableStack): Promise<readonly Contender[]> {
  const all = await contenders(programs, [OURS, CODEX, C, OPEN, ...besideNames(programs)]);
  for (const one of all) stack.use(one);
  return all;
}

function add(samples: Map<string, number[]>, name: string, value: number): void {
  samples.set(name, [...samples.get(name) ?? [], value]);
}

function rowsOf(
  measure: string,
  unit: string,
  samples: ReadonlyMap<string, readonly number[]>,
  demands: Demands,
): readonly Row[] {
  const ours = samples.get(OURS) ?? [];
  return Object.entries(demands).map(([name, target]) => ({
    measure,
    unit,
    ours,
    floor: { name, samples: samples.get(name) ?? [] },
    ...target !== undefined && { target },
  }));
}
