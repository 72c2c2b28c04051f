import type { Programs } from "./programs.ts";
import type { Row, Target } from "./report.ts";
import { StdioClient } from "./stdio_client.ts";

/** A server and how its commands are confined. */
interface Confined {
  readonly measure: string;
  readonly flags: readonly string[];
  /** Flags of the server it is held against. */
  readonly floor: readonly string[];
  readonly target?: Target;
}

const TARGET: Target = { text: "issue 4: <= 1.2 x the plain launcher", met: ({ ratio }) => ratio <= 1.2 };
const PLAIN = ["--no-pool", "--no-sandbox"] as const;

const SERVERS: readonly Confined[] = [
  { measure: "full sandbox, echo from a warm shell", flags: [], floor: ["--no-sandbox"], target: TARGET },
  {
    measure: "full sandbox, cold echo",
    flags: ["--no-pool"],
    floor: PLAIN,
    target: TARGET,
  },
  {
    measure: "full sandbox with --network none, cold echo",
    flags: ["--no-pool", "--network", "none"],
    floor: PLAIN,
  },
];

/** What the sandbox adds to a command: the same launcher with all layers and with none, by turns. */
export async function sandboxCost(programs: Programs, calls: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { measure, flags, floor, target } of SERVERS) {
    await using ours = new StdioClient(programs.packed(...flags));
    await using plain = new StdioClient(programs.packed(...floor));
    const samples = { ours: [] as number[], plain: [] as number[] };
    await Promise.all([ours.initialize(), plain.initialize()]);
    for (let i = 0; i < 20; i++) await Promise.all([timed(ours), timed(plain)]);
    for (let call = 0; call < calls; call++) {
      samples.ours.push(await timed(ours));
      samples.plain.push(await timed(plain));
    }
    const name = `plain launcher (${floor.join(" ")})`;
    const beside = { ours: samples.ours, floor: { name, samples: samples.plain } };
    rows.push({ measure, unit: "ms", ...beside, ...target === undefined ? {} : { target } });
  }
  return rows;
}

async function timed(client: StdioClient): Promise<number> {
  const begin = performance.now();
  await client.shell("echo hi", "hi");
  return performance.now() - begin;
}
