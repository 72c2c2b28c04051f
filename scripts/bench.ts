/**
 * `deno task bench`: how fast the packed program is, each number next to its floor in the same run, because ratios
 * within one run hold on any machine and single numbers do not. `--rounds N`, `--calls N`, `--json FILE`.
 */
import { parseArgs } from "node:util";
import { calls } from "./bench/calls.ts";
import { CSpawner } from "./bench/floors.ts";
import { http } from "./bench/http.ts";
import { idleMemory, memoryOfExecutable } from "./bench/memory.ts";
import { nativeEdits } from "./bench/native_edits.ts";
import { nativeReads } from "./bench/native_reads.ts";
import { operations } from "./bench/operations.ts";
import { output } from "./bench/output.ts";
import { Programs } from "./bench/programs.ts";
import { judge, type Judged, type Row, table } from "./bench/report.ts";
import { sandboxCost } from "./bench/sandbox_cost.ts";
import { search } from "./bench/search.ts";
import { servers } from "./bench/servers.ts";
import { startOfExecutable, startUp } from "./bench/start_up.ts";
import { throughput } from "./bench/throughput.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: {
    rounds: { type: "string", default: "5" },
    calls: { type: "string", default: "100" },
    json: { type: "string" },
  },
});
const rounds = atLeastOne("--rounds", values.rounds);
const callsPerRound = atLeastOne("--calls", values.calls);

await using resources = new AsyncDisposableStack();
const programs = resources.use(new Programs());
const compiled = await programs.spawner();
const spawner = compiled === undefined ? undefined : resources.use(new CSpawner(compiled));

const parts: readonly { readonly name: string; readonly measure: () => Promise<readonly Row[]> }[] = [
  { name: "start-up", measure: () => startUp(programs, rounds * 2) },
  { name: "start-up of the executable", measure: () => startOfExecutable(programs, rounds * 4) },
  { name: "calls", measure: () => calls(programs, spawner, { rounds, calls: callsPerRound }) },
  { name: "sandbox cost", measure: () => sandboxCost(programs, rounds * callsPerRound) },
  { name: "throughput", measure: async () => [await throughput(programs, rounds, callsPerRound * 10)] },
  { name: "output", measure: () => output(programs, rounds) },
  { name: "operations", measure: () => operations(programs) },
  { name: "native edits", measure: () => nativeEdits(programs, rounds * 4) },
  { name: "servers behind", measure: () => servers(programs, { rounds, calls: callsPerRound }) },
  { name: "search", measure: () => search(programs) },
  { name: "native reads", measure: () => nativeReads(programs, rounds) },
  { name: "http", measure: () => http(programs, { rounds, calls: callsPerRound }) },
  { name: "memory", measure: async () => [await idleMemory(programs), await memoryOfExecutable(programs, rounds)] },
];

const judged: Judged[] = [];
for (const { name, measure } of parts) {
  note(`measuring ${name} ...`);
  judged.push(...(await rowsOf(name, measure)).map(judge));
}
print(table(judged));
print(
  `\nload ${
    Deno.loadavg()[0]?.toFixed(2)
  } on ${navigator.hardwareConcurrency} cores, ${rounds} rounds; p99 of few samples is their maximum`,
);
if (values.json !== undefined) Deno.writeTextFileSync(values.json, `${JSON.stringify(judged, undefined, 2)}\n`);

/** A part that fails is a row of the table, not the end of the run. */
async function rowsOf(name: string, measure: () => Promise<readonly Row[]>): Promise<readonly Row[]> {
  try {
    return await measure();
  } catch (error) {
    return [{ measure: name, unit: "", ours: [], note: error instanceof Error ? error.message : String(error) }];
  }
}

function atLeastOne(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw new RangeError(`Cannot use ${flag} "${text}": give a whole number from 1`);
  }
  return value;
}

function note(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}
