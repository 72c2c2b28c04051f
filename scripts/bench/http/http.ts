import { HttpServer } from "../../client/http_server.ts";
import { calls, type HttpPlan, type Servers } from "./calls.ts";
import { HttpSession } from "./http_client.ts";
import { sessionMemory } from "./http_memory.ts";
import type { Programs } from "../programs.ts";
import type { Row } from "../report.ts";
import { StdioClient } from "../stdio_client.ts";

/** How many sessions there are at once (N5). */
const SESSIONS = 32;

/** What the bridge adds to a call, what its sessions cost, and many of them at once (N5). */
export async function http(programs: Programs, plan: HttpPlan): Promise<readonly Row[]> {
  await using shared = new HttpServer(programs.http());
  await using isolated = new HttpServer(programs.http("--session-isolation"));
  await Promise.all([shared.address, isolated.address]);
  const servers = { shared, isolated };
  return [
    ...await calls(programs, servers, plan),
    ...await creation(programs, servers, plan.rounds * 4),
    ...await sessionMemory(programs, SESSIONS),
    ...await together(programs, servers, plan),
  ];
}

/** From the first request to the first list of tools; the floor is a server of one's own over stdio. */
async function creation(programs: Programs, servers: Servers, count: number): Promise<readonly Row[]> {
  const root = programs.directory("one");
  const stdio = async () => {
    const client = new StdioClient(programs.packed());
    await client.initialize();
    await client.request("tools/list", {});
    return client;
  };
  const ways = [stdio, () => HttpSession.open(servers.shared), () => HttpSession.open(servers.isolated, root)];
  const samples: number[][] = ways.map(() => []);
  for (let round = -2; round < count; round++) {
    for (const [index, open] of ways.entries()) {
      const begin = performance.now();
      await using _session = await open();
      if (round >= 0) samples[index]?.push(performance.now() - begin);
    }
  }
  const floor = { name: "stdio server to tools/list", samples: samples[0] ?? [] };
  const target = { text: "N5: < 150 ms", met: ({ p50 }: { readonly p50: number }) => p50 < 150 };
  return [
    { measure: "session to tools/list, shared", unit: "ms", ours: samples[1] ?? [], floor },
    { measure: "session to tools/list, isolated", unit: "ms", ours: samples[2] ?? [], floor, target },
  ];
}

/** All sessions at once: how long until each of them serves, and how many calls a second they get. */
async function together(programs: Programs, { shared, isolated }: Servers, plan: HttpPlan): Promise<readonly Row[]> {
  const root = programs.directory("one");
  await using stdio = new StdioClient(programs.packed());
  await stdio.initialize();
  const inShared: number[] = [];
  const inIsolated: number[] = [];
  const rates: number[] = [];
  const floor: number[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    const all = await openedAtOnce(() => HttpSession.open(shared), inShared);
    rates.push(await rate(plan.calls * 20, all));
    floor.push(await rate(plan.calls * 20, all.map(() => stdio)));
    await Promise.all(all.map((session) => session[Symbol.asyncDispose]()));
  }
  const all = await openedAtOnce(() => HttpSession.open(isolated, root), inIsolated);
  await Promise.all(all.map((session) => session.call("sandboxed_shell", { command: "true" })));
  await Promise.all(all.map((session) => session[Symbol.asyncDispose]()));
  return [
    { measure: `${SESSIONS} sessions at once serve, shared`, unit: "ms", ours: inShared },
    { measure: `${SESSIONS} sessions at once serve, isolated`, unit: "ms", ours: inIsolated },
    {
      measure: `status from ${SESSIONS} sessions at once, shared`,
      unit: "calls/s",
      ours: rates,
      floor: { name: `stdio, ${SESSIONS} in flight`, samples: floor },
    },
  ];
}

/** Opens all sessions and notes how long it took until the last one served. */
async function openedAtOnce(open: () => Promise<HttpSession>, times: number[]): Promise<readonly HttpSession[]> {
  const begin = performance.now();
  const all = await Promise.all(Array.from({ length: SESSIONS }, open));
  times.push(performance.now() - begin);
  return all;
}

/** Calls a second when every client makes its calls one after the other, all clients at once. */
async function rate(calls: number, clients: readonly (StdioClient | HttpSession)[]): Promise<number> {
  let left = calls;
  const begin = performance.now();
  await Promise.all(clients.map(async (client) => {
    while (left-- > 0) await client.call("status", {});
  }));
  return calls / (performance.now() - begin) * 1000;
}
