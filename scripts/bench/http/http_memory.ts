import { holdingsOf } from "../../../tests/_support/processes.ts";
import { HttpServer } from "../../client/http_server.ts";
import { HttpSession } from "./http_client.ts";
import type { Programs } from "../programs.ts";
import type { Row, Target } from "../report.ts";
import { StdioClient } from "../stdio_client.ts";

/** Isolated sessions that are measured: each is a process with warm shells. */
const ISOLATED = 8;

/** Memory of a process and all below it, in MB. */
interface Memory {
  /** Everything mapped and present; pages that processes share count in each of them. */
  readonly resident: number;
  /** Shared pages count in parts: what the machine really gives. */
  readonly share: number;
}

/** What an idle session takes beyond the server it is on; the floor is a server of one's own over stdio (N5). */
export async function sessionMemory(programs: Programs, sessions: number): Promise<readonly Row[]> {
  const shared = await perSession(programs.http(), Array.from({ length: sessions }, () => undefined));
  const roots = Array.from({ length: ISOLATED }, () => programs.directory("one"));
  const isolated = await perSession(programs.http("--session-isolation"), roots);
  await using stdio = new StdioClient(programs.packed());
  await stdio.initialize();
  await stdio.request("tools/list", {});
  const own = await settled(stdio.pid);
  const row = (measure: string, memory: Memory, part: keyof Memory, most: number): Row => ({
    measure,
    unit: "MB",
    // A process that we may not look into has no number, and then there is none at all.
    ours: [memory[part]].filter(Number.isFinite),
    floor: { name: "stdio server", samples: [own[part]].filter(Number.isFinite) },
    target: below(most),
  });
  return [
    row(`idle session of ${sessions}, shared, resident`, shared, "resident", 1),
    row(`idle session of ${ISOLATED}, isolated, resident`, isolated, "resident", 60),
    row(`idle session of ${ISOLATED}, isolated, its share`, isolated, "share", 60),
  ];
}

function below(megabytes: number): Target {
  return { text: `N5: < ${megabytes} MB`, met: ({ p50 }) => p50 < megabytes };
}

async function perSession(line: ReturnType<Programs["http"]>, roots: readonly (string | undefined)[]): Promise<Memory> {
  await using server = new HttpServer(line);
  // What the first session loads stays for all.
  await using _first = await HttpSession.open(server, roots[0]);
  const before = await settled(server.pid);
  await using stack = new AsyncDisposableStack();
  for (const root of roots) stack.use(await HttpSession.open(server, root));
  const after = await settled(server.pid);
  const each = (part: keyof Memory) => (after[part] - before[part]) / roots.length;
  return { resident: each("resident"), share: each("share") };
}

/** Measured when the pools have refilled and the collectors have had their turn. */
async function settled(pid: number): Promise<Memory> {
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  return await memoryOf(pid);
}

async function memoryOf(pid: number): Promise<Memory> {
  const { children } = await holdingsOf(pid);
  const below = await Promise.all(children.map(memoryOf));
  const rollup = `sed -n 's/^\\(Rss\\|Pss\\):[[:space:]]*//p' /proc/${pid}/smaps_rollup`;
  const { stdout } = await new Deno.Command("sh", { args: ["-c", rollup], stderr: "null" }).output();
  const [rss = NaN, pss = NaN] = new TextDecoder().decode(stdout).split("\n").map((line) => Number.parseInt(line));
  return below.reduce((sum, one) => ({ resident: sum.resident + one.resident, share: sum.share + one.share }), {
    resident: rss * 1024 / 1e6,
    share: pss * 1024 / 1e6,
  });
}
