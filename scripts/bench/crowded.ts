import { LONGEST_MESSAGE, MOST_ESCAPES, MOST_MEMBERS, MOST_META } from "../../src/wire/message_bounds.ts";
import type { Programs } from "./programs.ts";
import type { Row } from "./report.ts";
import { StdioClient } from "./stdio_client.ts";

/** Members of the request itself. */
const OWN = 20;
/** Bytes of the rest of a request, and more. */
const LARGEST_REST = 1_000;
const FAR_TOO_MANY = 900_000;

/** What the other clients may have to wait for one message, milliseconds. */
const LONGEST_PAUSE = 150;

/**
 * Processor time of the program's thread for the worst messages within the bounds, and for one beyond them, beside a text
 * of the same size (C2). A pause of other clients is a part of it.
 */
export async function crowded(programs: Programs, rounds: number): Promise<readonly Row[]> {
  await using client = new StdioClient(programs.packed());
  await client.initialize();
  const row = async (measure: string, params: object): Promise<Row> => {
    const text = { a: "x".repeat(JSON.stringify(params).length) };
    const [ours, floor]: [number[], number[]] = [[], []];
    // The first turn warms both up.
    for (let round = -1; round < rounds; round++) {
      const turns = [await workOf(client, params), await workOf(client, text)] as const;
      if (round < 0) continue;
      ours.push(turns[0]);
      floor.push(turns[1]);
    }
    const met = ({ p50 }: { readonly p50: number }) => p50 <= LONGEST_PAUSE;
    const target = { text: `C2: <= ${LONGEST_PAUSE} ms`, met };
    return { measure, unit: "ms", ours, floor: { name: "a text of that size", samples: floor }, target };
  };
  return [
    await row("request of 20,000 keys, served", keys(MOST_MEMBERS - OWN)),
    await row("request of 900,000 keys, refused", keys(FAR_TOO_MANY)),
    await row("request of 1,000 keys in _meta, served", { _meta: keys(MOST_META) }),
    await row("request of a text of 16 MiB, served", { a: "x".repeat(LONGEST_MESSAGE - LARGEST_REST) }),
    await row("request of 3,000,000 escapes, served", { a: "\n".repeat(MOST_ESCAPES) }),
  ];
}

function keys(count: number): Readonly<Record<string, number>> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]));
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
