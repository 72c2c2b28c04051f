/** A paced run of minutes: what its slowest calls take shows only in many of them. */
import type { Programs } from "../programs.ts";
import type { Row } from "../report.ts";
import { percentiles } from "../samples.ts";
import { PAUSE_MS } from "./calls.ts";
import { C, CODEX, contenders, OURS } from "./contenders.ts";

/** Calls of one turn: short enough that a busy second affects all servers equally. */
const TURN = 20;

const SHOWN = { p50: "median", p90: "90 %", p99: "99 %", max: "maximum" } as const;

/** All take turns until the time is over; a row for each percentile and each of the others. */
export async function pacedFor(programs: Programs, minutes: number): Promise<readonly Row[]> {
  await using stack = new AsyncDisposableStack();
  const all = await contenders(programs, [OURS, CODEX, C, ...programs.beside.map(({ name }) => name)]);
  for (const one of all) stack.use(one);
  const samples = new Map<string, number[]>(all.map(({ name }) => [name, []]));
  const end = performance.now() + minutes * 60_000;
  while (performance.now() < end) {
    for (const { name, one } of all) samples.get(name)?.push(...await one(TURN, PAUSE_MS));
  }
  const [ours, ...others] = [...samples].map(([name, taken]) => ({ name, ...percentiles(taken) }));
  if (ours === undefined) throw new RangeError("Cannot compare: nothing was measured");
  return Object.entries(SHOWN).flatMap(([key, shown]) =>
    others.map((other): Row => {
      const kind = key as keyof typeof SHOWN; // the keys of a constant object are known
      return {
        measure: `paced 25 ms for ${minutes} min, ${shown} of ${ours.count}`,
        unit: "ms",
        ours: [ours[kind]],
        floor: { name: other.name, samples: [other[kind]] },
      };
    })
  );
}
