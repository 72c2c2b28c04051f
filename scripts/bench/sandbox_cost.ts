import type { Programs } from "./programs.ts";
import type { Row, Target } from "./report.ts";
import { StdioClient } from "./stdio_client.ts";

/** A server and how its commands are confined. */
interface Confined {
  readonly measure: string;
  readonly flags: readonly string[];
  readonly target?: Target;
}

const SERVERS: readonly Confined[] = [
  {
    measure: "full sandbox, cold echo",
    flags: [],
    target: { text: "issue 4: <= 1.2 x the plain launcher", met: ({ ratio }) => ratio <= 1.2 },
  },
  { measure: "full sandbox with --network none, cold echo", flags: ["--network", "none"] },
];

/** What the sandbox adds to a command: the same launcher with all layers and with none, by turns, never from the pool. */
export async function sandboxCost(programs: Programs, calls: number): Promise<readonly Row[]> {
  await using stack = new AsyncDisposableStack();
  const client = async (...flags: readonly string[]) => {
    const one = stack.use(new StdioClient(programs.packed("--no-pool", ...flags)));
    await one.initialize();
    return one;
  };
  const floor = { client: await client("--no-sandbox"), samples: [] as number[] };
  const confined = await Promise.all(
    SERVERS.map(async (server) => ({ ...server, client: await client(...server.flags), samples: [] as number[] })),
  );
  for (const { client } of [floor, ...confined]) for (let i = 0; i < 20; i++) await timed(client);
  for (let call = 0; call < calls; call++) {
    for (const { client, samples } of [floor, ...confined]) samples.push(await timed(client));
  }
  return confined.map(({ measure, samples, target }) => ({
    measure,
    unit: "ms",
    ours: samples,
    floor: { name: "plain launcher (--no-sandbox)", samples: floor.samples },
    ...target === undefined ? {} : { target },
  }));
}

async function timed(client: StdioClient): Promise<number> {
  const begin = performance.now();
  await client.shell("echo hi", "hi");
  return performance.now() - begin;
}
