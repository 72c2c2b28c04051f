import { holdingsOf } from "../../tests/_support/processes.ts";
import type { CommandLine } from "../client/command_line.ts";
import type { CallPlan } from "./beside/calls.ts";
import type { Programs } from "./programs.ts";
import type { Row } from "./report.ts";
import { timed } from "./beside/start_up.ts";
import { StdioClient } from "./stdio_client.ts";
import { more, timeOf } from "./samples.ts";

/** The number of third-party servers that nothing calls. */
const IDLE = 20;

/** The cost of third-party servers: at the start, in a call of one of them, and while they are idle (O2). */
export async function servers(programs: Programs, plan: CallPlan): Promise<readonly Row[]> {
  return [await start(programs, plan.rounds * 4), await proxiedCall(programs, plan), ...await idle(programs)];
}

function idleServers(programs: Programs): CommandLine {
  const names = Array.from({ length: IDLE }, (_, number) => `idle${number}`);
  const entries = Object.fromEntries(names.map((name) => [name, { command: "sleep", args: ["300", name] }]));
  return programs.packed("--mcp-config", programs.config("idle", entries));
}

async function start(programs: Programs, rounds: number): Promise<Row> {
  const [ours = [], floor = []] = await timed([idleServers(programs), programs.packed()], rounds);
  return {
    measure: `start to initialize with ${IDLE} servers`,
    unit: "ms",
    ours,
    floor: { name: "without servers", samples: floor },
    target: { text: "O2: <= 5 ms more", met: (seen) => more(seen) <= 5 },
  };
}

/** A call of a server's tool through the program, in turns with one of the server itself, both over stdio. */
async function proxiedCall(programs: Programs, { rounds, calls }: CallPlan): Promise<Row> {
  const server = await programs.emptyPacked();
  const words = { command: server.command, args: server.args, env: { DENO_DIR: server.environment["DENO_DIR"] } };
  const config = programs.config("called", { far: words });
  const reads = [server.command, server.args.at(-1) ?? ""].flatMap((path) => ["--read", path]);
  await using direct = new StdioClient(server);
  await using proxy = new StdioClient(programs.packed("--mcp-config", config, ...reads));
  const times = async (client: StdioClient, tool: string) => {
    const samples: number[] = [];
    for (let call = 0; call < calls; call++) samples.push(await timeOf(() => client.call(tool, {})));
    return samples;
  };
  for (const client of [direct, proxy]) await client.initialize();
  await proxy.request("tools/list", {});
  const ours: number[] = [];
  const floor: number[] = [];
  // The first turn warms both up.
  for (let round = -1; round < rounds; round++) {
    const turns = [await times(proxy, "far_nothing"), await times(direct, "nothing")] as const;
    if (round < 0) continue;
    ours.push(...turns[0]);
    floor.push(...turns[1]);
  }
  return {
    measure: "call of a server's tool",
    unit: "ms",
    ours,
    floor: { name: "the same, direct", samples: floor },
    target: { text: "O2: <= 1 ms more", met: (seen) => more(seen) <= 1 },
  };
}

/** Of one of the servers: memory in MiB, and processes. */
async function idle(programs: Programs): Promise<readonly Row[]> {
  const held = await inTree(idleServers(programs));
  const bare = await inTree(programs.packed());
  return [
    {
      measure: "memory of a configured server, idle",
      unit: "MiB",
      ours: [(held.residentMiB - bare.residentMiB) / IDLE],
      target: { text: "O2: <= 0.2 MiB", met: ({ p50 }) => p50 <= 0.2 },
    },
    {
      measure: `processes of ${IDLE} configured servers, idle`,
      unit: "",
      ours: [held.processes - bare.processes],
      target: { text: "O2: 0", met: ({ p50 }) => p50 === 0 },
    },
  ];
}

interface Held {
  readonly residentMiB: number;
  readonly processes: number;
}

async function inTree(program: CommandLine): Promise<Held> {
  await using client = new StdioClient(program);
  await client.initialize();
  await client.shell("echo hi", "hi");
  // Long enough for the pool to refill and the collector to have had its turn.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return await heldBy(client.pid);
}

async function heldBy(pid: number): Promise<Held> {
  const { residentMiB, children } = await holdingsOf(pid);
  const below = await Promise.all(children.map(heldBy));
  return below.reduce((sum, child) => ({
    residentMiB: sum.residentMiB + child.residentMiB,
    processes: sum.processes + child.processes,
  }), { residentMiB, processes: 1 });
}
