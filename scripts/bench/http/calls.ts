import { processorTime } from "../beside/processor_time.ts";
import type { HttpServer } from "../../client/http_server.ts";
import type { Programs } from "../programs.ts";
import type { Row, Target } from "../report.ts";
import { StdioClient } from "../stdio_client.ts";
import { HttpSession, StatelessClient } from "./http_client.ts";

/** How much to measure. */
export interface HttpPlan {
  /** Turns taken between the ways. */
  readonly rounds: number;
  /** Calls per turn. */
  readonly calls: number;
}

export interface Servers {
  readonly shared: HttpServer;
  readonly isolated: HttpServer;
}

/** One way to call a server. */
interface Way {
  /** As the rows name it. */
  readonly name: string;
  readonly client: { call(name: string, args: object): Promise<unknown> };
  readonly pid: number;
  /** Target: in sequence a call takes at most this many milliseconds longer than over stdio; absent: no target. */
  readonly mostMore?: number;
  /** Target: with many commands in flight the rate is at least this multiple of that of stdio; absent: no target. */
  readonly leastRate?: number;
}

interface Samples {
  readonly times: number[];
  readonly rates: number[];
  readonly processor: number[];
}

const CALLS = [["status", {}], ["sandboxed_shell", { command: "echo hi", execution_mode: "Synchronous" }]] as const;
const IN_FLIGHT = 16;
/** Turns of a round with many in flight. Their processor time counts together: it comes in steps of 10 ms. */
const BURSTS = 5;

/** The same calls over stdio and over HTTP, all ways in turns: one by one and many in flight (N5). */
export async function calls(programs: Programs, servers: Servers, plan: HttpPlan): Promise<readonly Row[]> {
  await using stack = new AsyncDisposableStack();
  const stdio = stack.use(new StdioClient(programs.packed()));
  await stdio.initialize();
  const shared = stack.use(await HttpSession.open(servers.shared));
  const stateless = stack.use(new StatelessClient(await servers.shared.address));
  const isolated = stack.use(await HttpSession.open(servers.isolated, programs.directory("one")));
  const ways: readonly [Way, ...Way[]] = [
    { name: "stdio", client: stdio, pid: stdio.pid },
    { name: "shared", client: shared, pid: servers.shared.pid, mostMore: 0.6, leastRate: 0.85 },
    { name: "2026-07-28", client: stateless, pid: servers.shared.pid },
    { name: "isolated", client: isolated, pid: servers.isolated.pid, mostMore: 1 },
  ];
  const rows: Row[] = [];
  for (const [tool, args] of CALLS) {
    const samples = new Map<Way, Samples>(ways.map((way) => [way, { times: [], rates: [], processor: [] }]));
    // The first round warms up.
    for (let round = -1; round < plan.rounds; round++) {
      const seen = await oneRound(ways, (way) => way.client.call(tool, args), plan.calls);
      for (const [way, all] of round < 0 ? [] : samples) {
        all.times.push(...seen.get(way)?.times ?? []);
        all.rates.push(...seen.get(way)?.rates ?? []);
        all.processor.push(...seen.get(way)?.processor ?? []);
      }
    }
    rows.push(...rowsOf(tool, samples, ways[0]));
  }
  return rows;
}

/** Alternates between the ways, call by call and then burst by burst, so that other load affects all of them. */
async function oneRound(
  ways: readonly Way[],
  call: (way: Way) => Promise<unknown>,
  count: number,
): Promise<ReadonlyMap<Way, Samples>> {
  const seen = new Map<Way, Samples>(ways.map((way) => [way, { times: [], rates: [], processor: [0] }]));
  for (let index = 0; index < count; index++) {
    for (const [way, { times }] of seen) {
      const begin = performance.now();
      await call(way);
      times.push(performance.now() - begin);
    }
  }
  for (let burst = 0; burst < BURSTS; burst++) {
    for (const [way, { rates, processor }] of seen) {
      const { rate, each } = await oneBurst(way.pid, () => call(way), count);
      rates.push(rate);
      processor[0] = (processor[0] ?? 0) + each / BURSTS;
    }
  }
  return seen;
}

async function oneBurst(pid: number, call: () => Promise<unknown>, count: number) {
  const before = await processorTime([pid]);
  const begin = performance.now();
  let left = count;
  await Promise.all(Array.from({ length: IN_FLIGHT }, async () => {
    while (left-- > 0) await call();
  }));
  const rate = count / (performance.now() - begin) * 1000;
  const after = await processorTime([pid]);
  return { rate, each: (after.servers + after.children - before.servers - before.children) / count };
}

function rowsOf(tool: string, samples: ReadonlyMap<Way, Samples>, stdio: Way): readonly Row[] {
  const floor = samples.get(stdio);
  const row = (measure: string, unit: string, kind: keyof Samples, own: Samples, target?: Target): Row => ({
    measure,
    unit,
    ours: own[kind],
    floor: { name: `${tool} over stdio`, samples: floor?.[kind] ?? [] },
    ...target !== undefined && { target },
  });
  return [...samples].filter(([way]) => way !== stdio).flatMap(([{ name, mostMore, leastRate }, own]) => [
    row(`${tool} over HTTP, ${name}`, "ms", "times", own, mostMore === undefined ? undefined : atMostMore(mostMore)),
    row(
      `${tool} over HTTP, ${name}, ${IN_FLIGHT} in flight`,
      "calls/s",
      "rates",
      own,
      leastRate === undefined || tool === "status" ? undefined : atLeast(leastRate),
    ),
    row(`processor time of ${tool} over HTTP, ${name}`, "ms", "processor", own),
  ]);
}

function atMostMore(most: number): Target {
  return { text: `N5: <= ${most} ms more`, met: ({ p50, ratio }) => p50 - p50 / ratio <= most };
}

function atLeast(least: number): Target {
  return { text: `N5: >= ${least} x`, met: ({ ratio }) => ratio >= least };
}
