/**
 * `deno task stops`: counts how often a denial that a person must lift stops a developer's week (docs/asking.md). The
 * ways are the entry that `ahma_mcp init` writes (`init`), the same with `--network full` (`full`), and `init --ask`
 * (`ask`). It needs root, for port 80 and for a host name of its own. `--only NAMES` chooses projects, `--ways NAMES`
 * ways, and `--verbose` prints each call. Words after `--` go to every server.
 */
import { parseArgs } from "node:util";
import { Desk } from "./stops/desk.ts";
import { Developer } from "./stops/developer.ts";
import { type Line, type Tally, tally } from "./stops/next_move.ts";
import { toolChains } from "./stops/tool_chains.ts";
import { FILE_HOST, type Week } from "./stops/week.ts";
import { WEEKS } from "./stops/weeks.ts";

const WAYS = {
  init: { ask: [], network: undefined },
  full: { ask: [], network: "full" },
  ask: { ask: ["--ask", "read,write,network,protected"], network: undefined },
} as const;

/** Flags of each server: calls wait for their results, and the host of the measurement is on this machine. */
const OF_THE_MEASUREMENT = ["--inline-wait", "600000", "--allow-private-hosts", FILE_HOST];

const { values, positionals } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: {
    only: { type: "string", default: "" },
    ways: { type: "string", default: "init,ask" },
    verbose: { type: "boolean", default: false },
  },
});
const only = values.only.split(",").filter((name) => name !== "");
const named = values.ways.split(",");
const ways = (["init", "full", "ask"] as const).filter((way) => named.includes(way));

const HEAD =
  "project | way | calls | client stopped | questions | went on | called again | failed | stopped or asked later";

function rowOf(name: string, way: string, [first, second]: readonly [Tally, Tally]): string {
  const { lines, stops, questions, wentOn, again, failed } = first;
  return [name, way, lines, stops, questions, wentOn, again, failed + second.failed, second.stops + second.questions]
    .join(" | ");
}

/** Runs a week of a project in one way, and then repeats the lines that needed a person. */
async function weeks(week: Week, way: keyof typeof WAYS): Promise<readonly [Tally, Tally]> {
  using desk = new Desk(await toolChains());
  await desk.fill(week);
  await using _host = serve(desk);
  const { ask, network } = WAYS[way];
  await desk.program("init", "--client", "cursor", "--yes", ...ask);
  const args = desk.entry();
  const at = args.indexOf("--network") + 1;
  if (at === 0) throw new Error("The entry has no list of hosts: this machine cannot hold commands to one");
  await using developer = new Developer({
    desk,
    args: [...network === undefined ? args : args.with(at, network), ...OF_THE_MEASUREMENT, ...positionals],
    takesForms: ask.length > 0,
    say: values.verbose ? print : () => {},
  });
  const first: Line[] = [];
  for (const day of week.days) first.push(...await developer.work(day));
  const needed = week.days.flat().filter((_, index) => (first[index]?.stops ?? 0) + (first[index]?.questions ?? 0) > 0);
  return [tally(first), tally(await developer.work(needed))];
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

function serve(desk: Desk): AsyncDisposable {
  return Deno.serve({ hostname: desk.address, port: 80, onListen: () => {} }, (request) => {
    const path = `${desk.served}${new URL(request.url).pathname}`;
    return Deno.readFile(path).then((bytes) => new Response(bytes), () => new Response("", { status: 404 }));
  });
}

const chosen = WEEKS.filter(({ name }) => only.length === 0 || only.includes(name));
print(HEAD);
for (const week of chosen) {
  for (const way of ways) print(rowOf(week.name, way, await weeks(week, way)));
}
