/**
 * `deno task bench`: the speed of the packed program. Each number is shown next to its minimum from the same run,
 * because ratios within a run are comparable between machines and single numbers are not.
 */
import { parseArgs } from "node:util";
import { readBeside } from "./bench/beside/beside.ts";
import { backToBack, inFlight, paced } from "./bench/beside/calls.ts";
import { idleMemory, memoryOfExecutable } from "./bench/beside/memory.ts";
import { pacedFor } from "./bench/beside/percentiles.ts";
import { firstCall, startOfExecutable, startUp } from "./bench/beside/start_up.ts";
import { picture, tableOf } from "./bench/growth/chart.ts";
import { byKept, byRepositories, byTools, byWidth, type Curve } from "./bench/growth/growth.ts";
import { crowded } from "./bench/crowded.ts";
import { http } from "./bench/http/http.ts";
import { nativeEdits } from "./bench/native/edits.ts";
import { nativeReads } from "./bench/native/reads.ts";
import { search } from "./bench/native/search.ts";
import { network } from "./bench/network/network.ts";
import { operations } from "./bench/operations.ts";
import { output } from "./bench/output.ts";
import { measuredText, merge, readMeasured } from "./bench/page.ts";
import { Programs } from "./bench/programs.ts";
import { judge, type Judged, markdownCells, type Row, table } from "./bench/report.ts";
import { sandboxCost } from "./bench/sandbox_cost.ts";
import { servers } from "./bench/servers.ts";
import { undo } from "./bench/undo.ts";
import { say } from "./say.ts";

/** The mark in docs/performance.md after which this program writes. */
const MARK = "<!-- deno task bench --write -->";

const USAGE = `deno task bench [OPTIONS]: measures the packed program beside others, in turns

  --only PARTS        Measure the parts whose names contain one of these texts, as in --only paced,start
  --rounds N          Rounds of turns (5)
  --calls N           Calls of a round (100)
  --write             Write tables and curves into docs/performance.md; parts that were not measured stay
  --json FILE         Write the numbers into a file too
  --beside CMD        Measure another stdio server too
  --beside-call JSON  Its tool and arguments
  --paced-minutes N   Add percentiles of a paced run of that length
  --files N,N         Sizes of the trees of --only undo (1000,10000)
`;

const { values } = parseArgs({
  args: Deno.args,
  options: {
    help: { type: "boolean", short: "h", default: false },
    rounds: { type: "string", default: "5" },
    calls: { type: "string", default: "100" },
    json: { type: "string" },
    beside: { type: "string", multiple: true, default: [] },
    "beside-call": { type: "string" },
    "paced-minutes": { type: "string" },
    files: { type: "string", default: "1000,10000" },
    only: { type: "string", default: "" },
    write: { type: "boolean", default: false },
  },
});
if (values.help) {
  print(USAGE);
  Deno.exit();
}
const rounds = atLeastOne("--rounds", values.rounds);
const callsPerRound = atLeastOne("--calls", values.calls);

const wanted = values.only.split(",").map((name) => name.trim()).filter((name) => name !== "");

using programs = new Programs(readBeside(values.beside, values["beside-call"]));
const plan = { rounds, calls: callsPerRound };

const minutes = values["paced-minutes"];

const PARTS: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  ...minutes !== undefined && {
    "paced for minutes": () => pacedFor(programs, atLeastOne("--paced-minutes", minutes)),
  },
  "back to back": () => backToBack(programs, plan),
  "paced": () => paced(programs, plan),
  "in flight": () => inFlight(programs, plan),
  "sandbox cost": () => sandboxCost(programs, rounds * callsPerRound),
  "start": () => startUp(programs, rounds * 2),
  "first call": () => firstCall(programs, rounds * 2),
  "memory": () => idleMemory(programs),
  "executable": async () => [
    ...await startOfExecutable(programs, rounds * 4),
    await memoryOfExecutable(programs, rounds),
  ],
  "output": () => output(programs, rounds),
  "operations": () => operations(programs),
  "crowded messages": () => crowded(programs, rounds),
  "native edits": () => nativeEdits(programs, rounds * 4),
  "native reads": () => nativeReads(programs, rounds),
  "search": () => search(programs),
  "servers behind": () => servers(programs, plan),
  "network by name": () => network(programs, plan),
  "undo": () => undo(programs, values.files.split(",").map((count) => atLeastOne("--files", count)), callsPerRound),
  "http": () => http(programs, plan),
};

const CURVES: Readonly<Record<string, () => Promise<Curve>>> = {
  "curve of calls in flight": () => byWidth(programs, callsPerRound * 2),
  "curve of tools": () => byTools(programs, rounds),
  "curve of repositories": () => byRepositories(programs, rounds),
  "curve of kept operations": () => byKept(programs),
};

const known = [...Object.keys(PARTS), ...Object.keys(CURVES)];
const unknown = wanted.find((name) => !known.some((one) => one.includes(name)));
if (unknown !== undefined) throw new RangeError(`Cannot measure "${unknown}": the parts are ${known.join(", ")}`);

const judged: Judged[] = [];
for (const [name, measure] of chosen(PARTS)) judged.push(...(await rowsOf(name, measure)).map(judge));
const curves: Curve[] = [];
for (const [, measure] of chosen(CURVES)) curves.push(await measure());
const load = `Load ${Deno.loadavg()[0]?.toFixed(2)} on ${navigator.hardwareConcurrency} cores, ${rounds} rounds.`;
print([table(judged), ...curves.map(tableOf), `${load} p99 of few samples is their maximum.`].join("\n\n"));
if (values.json !== undefined) {
  Deno.writeTextFileSync(values.json, `${JSON.stringify({ judged, curves }, undefined, 2)}\n`);
}
if (values.write) await write();

/** The requested parts, each announced before it is measured. */
function* chosen<Value>(parts: Readonly<Record<string, Value>>): Generator<[string, Value]> {
  for (const [name, measure] of Object.entries(parts)) {
    if (wanted.length > 0 && !wanted.some((one) => name.includes(one))) continue;
    say(`measuring ${name} ...`);
    yield [name, measure];
  }
}

/** Replaces the measured parts below the mark in the page. */
async function write(): Promise<void> {
  const page = new URL("../docs/performance.md", import.meta.url);
  const [head = "", before = ""] = (await Deno.readTextFile(page)).split(MARK, 2);
  const some = judged.filter(({ ours }) => ours !== undefined);
  const all = wanted.length === 0
    ? { rows: markdownCells(judged), curves, loads: [load] }
    : merge(readMeasured(before), {
      rows: markdownCells(some),
      curves,
      loads: [`\`--only ${wanted.join(",")}\`: ${load}`],
    });
  await Deno.writeTextFile(page, `${head}${MARK}\n\n${measuredText(all)}\n`);
  const drawn = new URL("../docs/performance.svg", import.meta.url);
  await Deno.writeTextFile(drawn, picture(all.curves));
  const files = [page.pathname, drawn.pathname];
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", ...files] }).output();
}

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

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}
