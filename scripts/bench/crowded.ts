import { MOST_MEMBERS } from "../../src/wire/message_bounds.ts";
import type { Programs } from "./programs.ts";
import type { Row } from "./report.ts";
import { StdioClient } from "./stdio_client.ts";

/** Members of the request itself. */
const OWN = 20;
const FAR_TOO_MANY = 900_000;

/** Processor time of the program's thread for requests of very many members, beside a text of the same size (C2). */
export async function crowded(programs: Programs, rounds: number): Promise<readonly Row[]> {
  await using client = new StdioClient(programs.packed());
  await client.initialize();
  const row = async (measure: string, members: number, most: number): Promise<Row> => {
    const keys = Object.fromEntries(Array.from({ length: members }, (_, at) => [`k${at}`, 1]));
    const text = { a: "x".repeat(JSON.stringify(keys).length) };
    const [ours, floor]: [number[], number[]] = [[], []];
    // The first turn warms both up.
    for (let round = -1; round < rounds; round++) {
      const turns = [await workOf(client, keys), await workOf(client, text)] as const;
      if (round < 0) continue;
      ours.push(turns[0]);
      floor.push(turns[1]);
    }
    const target = { text: `C2: <= ${most} ms`, met: ({ p50 }: { readonly p50: number }) => p50 <= most };
    return { measure, unit: "ms", ours, floor: { name: "a text of that size", samples: floor }, target };
  };
  return [
    await row("request of 50,000 keys, served", MOST_MEMBERS - OWN, 150),
    await row("request of 900,000 keys, refused", FAR_TOO_MANY, 150),
  ];
}

/** Milliseconds, as the kernel counts them for the first thread. */
async function workOf(client: StdioClient, params: object): Promise<number> {
  const now = async () =>
    Number((await Deno.readTextFile(`/proc/${client.pid}/task/${client.pid}/schedstat`)).split(" ")[0]) / 1e6;
  const before = await now();
  // A refusal is what one of them is about.
  await Promise.allSettled([client.request("ping", params)]);
  return await now() - before;
}
