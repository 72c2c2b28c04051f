import type { Programs } from "./programs.ts";
import type { Row, Target } from "./report.ts";
import { StdioClient } from "./stdio_client.ts";
import { timeOf } from "./samples.ts";

/** A server, how its commands are confined, and what it is compared with. */
interface Confined {
  readonly measure: string;
  readonly call: (client: StdioClient) => Promise<void>;
  readonly flags: readonly string[];
  /** Flags of the server it is held against. */
  readonly floor: readonly string[];
}

const TARGET: Target = { text: "<= 1.15 x the plain launcher", met: ({ ratio }) => ratio <= 1.15 };
const WARM = ["--no-sandbox"] as const;
const COLD = ["--no-pool", "--no-sandbox"] as const;
/** Time to prepare for the next call, milliseconds, so that this work does not disturb the other server. */
const PAUSE_MS = 25;

const SERVERS: readonly Confined[] = [
  { measure: "full sandbox, shell line", call: shellLine, flags: [], floor: WARM },
  { measure: "full sandbox, program of a tool", call: program, flags: [], floor: WARM },
  {
    measure: "full sandbox with --network none, shell line",
    call: shellLine,
    flags: ["--network", "none"],
    floor: WARM,
  },
  { measure: "full sandbox, cold shell line", call: shellLine, flags: ["--no-pool"], floor: COLD },
  { measure: "full sandbox, cold program of a tool", call: program, flags: ["--no-pool"], floor: COLD },
];

/** What the sandbox adds to a command: the same launcher with all layers and with none, by turns. */
export async function sandboxCost(programs: Programs, calls: number): Promise<readonly Row[]> {
  await writeTool(programs);
  const rows: Row[] = [];
  for (const { measure, call, flags, floor } of SERVERS) {
    await using ours = new StdioClient(programs.packed(...flags));
    await using plain = new StdioClient(programs.packed(...floor));
    const samples = { ours: [] as number[], plain: [] as number[] };
    await Promise.all([ours.initialize(), plain.initialize()]);
    for (let i = 0; i < 20; i++) await Promise.all([call(ours), call(plain)]);
    for (let turn = 0; turn < calls; turn++) {
      samples.ours.push(await timed(() => call(ours)));
      samples.plain.push(await timed(() => call(plain)));
    }
    const name = `plain launcher (${floor.join(" ")})`;
    rows.push({ measure, unit: "ms", ours: samples.ours, floor: { name, samples: samples.plain }, target: TARGET });
  }
  return rows;
}

async function shellLine(client: StdioClient): Promise<void> {
  await client.shell("echo hi", "hi");
}

async function program(client: StdioClient): Promise<void> {
  const { text } = await client.call("say", { text: "hi", execution_mode: "Synchronous" });
  if (!text.includes("hi")) throw new Error(`Wrong answer of the tool: ${text.slice(0, 200)}`);
}

/** A tool that is one program, without a shell. */
async function writeTool(programs: Programs): Promise<void> {
  const text = { name: "text", type: "string", description: "What to say", required: true };
  const leaf = { name: "default", description: "Says it.", positional_args: [text] };
  const tool = { name: "say", command: "echo", description: "Says something.", subcommand: [leaf] };
  await Deno.writeTextFile(`${programs.directory(".ahma/tools")}/say.json`, JSON.stringify(tool));
}

async function timed(call: () => Promise<void>): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  return await timeOf(call);
}
