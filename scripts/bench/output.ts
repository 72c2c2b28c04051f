import { holdingsOf } from "../../tests/_support/processes.ts";
import { plainCommand } from "./floors.ts";
import type { Programs } from "./programs.ts";
import type { Row } from "./report.ts";
import { type Response, StdioClient } from "./stdio_client.ts";
import { timesOf } from "./samples.ts";

/** 10.9 MB: every line can be checked. */
const FLOOD = "seq 1 1500000";
const FLOOD_BYTES = 10_888_896;
/** The most bytes of one read. */
const PAGE_BYTES = 1_048_576;

/** A flood of output, read whole, and what it does to memory and to a neighbour (N4). */
export async function output(programs: Programs, rounds: number): Promise<readonly Row[]> {
  await using client = new StdioClient(programs.packed());
  await client.initialize();
  const plain = programs.line("bash", []);
  const bounded: number[] = [];
  const whole: number[] = [];
  const floor: number[] = [];
  let wholeNote = "";
  await client.shell("echo hi", "hi");
  const before = (await holdingsOf(client.pid)).residentMiB;
  let peak = before;
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now();
    const { text, operation } = await client.call("sandboxed_shell", { command: FLOOD, execution_mode: "Synchronous" });
    if (!text.includes("\n1500000\n")) throw new Error(`The flood lost its end: ${text.slice(-300)}`);
    bounded.push(performance.now() - begin);
    const problem = await readWhole(client, operation).catch((error: Error) => error.message);
    if (problem === undefined) whole.push(performance.now() - begin);
    else wholeNote = problem;
    peak = Math.max(peak, (await holdingsOf(client.pid)).residentMiB);
    floor.push(await plainCommand(plain, FLOOD));
  }
  const name = "Deno.Command, read whole";
  return [
    {
      measure: "10.9 MB of output, head and tail in the result",
      unit: "ms",
      ours: bounded,
      floor: { name, samples: floor },
    },
    {
      measure: "10.9 MB of output, whole, through the resource",
      unit: "ms",
      ours: whole,
      floor: { name, samples: floor },
      target: { text: "N4: < 80 ms", met: ({ p50 }) => p50 < 80 },
      ...(wholeNote === "" ? {} : { note: wholeNote }),
    },
    {
      measure: "memory gained by that",
      unit: "MiB",
      ours: [peak - before],
      note: "N4 asks at most 3 x the kept window; the result itself passes through",
    },
    await neighbour(client),
  ];
}

/** Reads it in parts of the largest allowed size, as a client must; returns what is wrong with the result. */
async function readWhole(client: StdioClient, operation: string): Promise<string | undefined> {
  let length = 0;
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const uri: string = `ahma://operations/${operation}/output?offset=${offset}&limit=${PAGE_BYTES}`;
    const response: Response = await client.request("resources/read", { uri });
    const page = response.result?.contents?.[0];
    length += page?.text?.length ?? 0;
    const facts = page?._meta?.["ahma/output"];
    offset = facts?.next === undefined ? undefined : facts.next_offset;
  }
  return length === FLOOD_BYTES ? undefined : `${length} of ${FLOOD_BYTES} bytes came`;
}

/** How long an `echo` takes while another command floods. */
async function neighbour(client: StdioClient): Promise<Row> {
  const { operation } = await client.call("sandboxed_shell", {
    command: "yes | head -c 2000000000",
    execution_mode: "AsyncResultPush",
  });
  const samples = await timesOf(50, () => client.shell("echo hi", "hi"));
  await client.call("cancel", { operation_id: operation });
  return {
    measure: "sandboxed echo during a flood",
    unit: "ms",
    ours: samples,
    target: { text: "N4: p99 <= 20 ms", met: ({ p99 }) => p99 <= 20 },
  };
}
