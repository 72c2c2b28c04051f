/** What the network by name costs (S30): a start, calls, new connections, and bytes that pass. */
import { namesHere } from "../../../tests/_support/names_here.ts";
import type { CommandLine } from "../../client/command_line.ts";
import { HTTP_PERMISSIONS } from "../../permissions.ts";
import type { CallPlan } from "../beside/calls.ts";
import { timed } from "../beside/start_up.ts";
import type { Programs } from "../programs.ts";
import type { Row, Seen } from "../report.ts";
import { StdioClient } from "../stdio_client.ts";
import { LocalProgram } from "./local_program.ts";
import { more, timeOf } from "../samples.ts";

/** A name that leads to this machine while the bench runs. */
const NAME = "echo.example.test";
/** Time to make ready for the next call, milliseconds. */
const PAUSE_MS = 25;
/** So much passes in one turn, MiB: long enough that its begin does not count. */
const BULK_MIB = 512;

/** Where the same bytes go, each from a command in a sandbox of ours. */
interface Way {
  readonly client: StdioClient;
  readonly host: string;
  readonly port: number;
}

/** Rows of starts, calls, connections and bytes. @throws {Error} Where gcc is missing, or names cannot lead to this machine. */
export async function network(programs: Programs, plan: CallPlan): Promise<readonly Row[]> {
  const program = await programs.compiled("network/network");
  if (program === undefined) throw new Error("Cannot measure networks: gcc is missing");
  await using server = await LocalProgram.start(programs.line(program, ["serve"]));
  await using relay = await LocalProgram.start(programs.line(program, ["relay", String(server.port)]));
  const list = withNames(programs, "--network", `${NAME}:${server.port}`, "--allow-private-hosts", NAME);
  const none = withNames(programs, "--network", "none");
  await using named = new StdioClient(list);
  await using open = new StdioClient(withNames(programs, "--network", "full"));
  await using closed = new StdioClient(none);
  for (const client of [named, open, closed]) await client.initialize();
  const ways = {
    ours: { client: named, host: NAME, port: server.port },
    direct: { client: open, host: NAME, port: server.port },
    relay: { client: open, host: NAME, port: relay.port },
  };
  return [
    ...await starts(list, none, plan.rounds * 2),
    await laterCall(named, closed, plan),
    ...await connections(program, ways, plan),
    ...await bytes(program, ways, plan.rounds),
  ];
}

function withNames(programs: Programs, ...flags: readonly string[]): CommandLine {
  const { command, args, environment, directory } = programs.packed(...flags);
  const [run = "", ...rest] = args;
  const [unshare = "", ...words] = namesHere(programs, NAME);
  return { command: unshare, args: [...words, command, run, ...HTTP_PERMISSIONS, ...rest], environment, directory };
}

/** A start, and the first call, sent when `initialize` is answered. */
async function starts(list: CommandLine, none: CommandLine, rounds: number): Promise<readonly Row[]> {
  const [ours = [], floor = []] = await timed([list, none], rounds);
  const first = { ours: [] as number[], floor: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    for (const [name, line] of [["ours", list], ["floor", none]] as const) {
      await using client = new StdioClient(line);
      await client.initialize();
      first[name].push(await timeOf(() => client.shell("echo hi", "hi")));
    }
  }
  return [
    { measure: "start with a list of names", unit: "ms", ours, floor: { name: NONE, samples: floor } },
    {
      measure: "first call with a list of names",
      unit: "ms",
      ours: first.ours,
      floor: { name: NONE, samples: first.floor },
      target: { text: "S30: <= 3 ms more", met: (seen) => more(seen) <= 3 },
    },
  ];
}

async function laterCall(named: StdioClient, closed: StdioClient, { rounds, calls }: CallPlan): Promise<Row> {
  const ours: number[] = [];
  const floor: number[] = [];
  for (let turn = -WARMING; turn < rounds * calls; turn++) {
    for (const [client, samples] of [[named, ours], [closed, floor]] as const) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const milliseconds = await timeOf(() => client.shell("echo hi", "hi"));
      if (turn >= 0) samples.push(milliseconds);
    }
  }
  return {
    measure: "later call with a list of names",
    unit: "ms",
    ours,
    floor: { name: NONE, samples: floor },
    target: { text: "S30: <= 1.05 x", met: ({ ratio }) => ratio <= 1.05 },
  };
}

type Ways = Readonly<Record<"ours" | "direct" | "relay", Way>>;

/** Milliseconds until a new connection has its first answer: with a known address, and with a question for it. */
async function connections(program: string, ways: Ways, { rounds, calls }: CallPlan): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [mode, measure] of [["connect", "new connection"], ["name", "the same, and its name"]] as const) {
    const all = await inTurns(ways, rounds, async (way) => {
      const { text } = await run(way, `${program} ${mode} ${way.host} ${way.port} ${calls}`);
      return numbersOf(text).map((microseconds) => microseconds / 1000);
    });
    const { ours, direct, relay } = all;
    const target = { text: "S30: <= 0.5 ms more", met: (seen: Seen) => more(seen) <= 0.5 };
    const row = { measure, unit: "ms", ours };
    rows.push({ ...row, floor: { name: "direct", samples: direct }, ...mode === "connect" && { target } });
    rows.push({ ...row, floor: { name: RELAY, samples: relay } });
  }
  return rows;
}

/** GiB a second of one connection, to a command and back. */
async function bytes(program: string, ways: Ways, rounds: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [mode, measure] of [["down", "bytes to a command"], ["up", "bytes of a command"]] as const) {
    const { ours, relay } = await inTurns(ways, rounds, async (way) => {
      return numbersOf((await run(way, `${program} ${mode} ${way.host} ${way.port} ${BULK_MIB}`)).text);
    });
    rows.push({
      measure,
      unit: "GiB/s",
      ours,
      floor: { name: RELAY, samples: relay },
      target: { text: "S30: >= 1 GiB/s or 0.8 x", met: ({ p50, ratio }) => p50 >= 1 || ratio >= 0.8 },
    });
  }
  return rows;
}

/** Samples of each way; the first turn warms up. */
async function inTurns(ways: Ways, rounds: number, measure: (way: Way) => Promise<readonly number[]>) {
  const all = { ours: [] as number[], direct: [] as number[], relay: [] as number[] };
  for (let round = -1; round < rounds; round++) {
    for (const name of ["direct", "relay", "ours"] as const) {
      const samples = await measure(ways[name]);
      if (round >= 0) all[name].push(...samples);
    }
  }
  return all;
}

async function run({ client }: Way, command: string): Promise<{ readonly text: string }> {
  return await client.call("sandboxed_shell", { command, execution_mode: "Synchronous" });
}

/** @throws {Error} When the program said something else. */
function numbersOf(text: string): readonly number[] {
  const numbers = (text.split("\n", 1)[0] ?? "").split(" ").map(Number);
  if (numbers.length === 0 || numbers.some((one) => !(one > 0))) throw new Error(`Not measured: ${text.slice(0, 200)}`);
  return numbers;
}

const NONE = "--network none";
const RELAY = "relay in C";
const WARMING = 20;
