/** What a call costs as the work around it grows: each curve has a point for each size. */
import { CodexClient, codexShell } from "../beside/codex_shell.ts";
import { atOnce, CODEX, OURS } from "../beside/contenders.ts";
import type { Programs } from "../programs.ts";
import { summarize, timeOf, timesOf } from "../samples.ts";
import { StdioClient } from "../stdio_client.ts";

/** Values of a measure by size; `sizes` and each `values` have the same length. */
export interface Curve {
  readonly title: string;
  /** What the sizes count. */
  readonly axis: string;
  readonly unit: string;
  readonly sizes: readonly number[];
  readonly lines: readonly { readonly name: string; readonly values: readonly number[] }[];
}

const WIDTHS = [1, 2, 4, 8, 16, 32, 64];
const TOOLS = [1, 10, 100, 500, 2_000];
const REPOSITORIES = [1, 4, 16, 64, 128];
const KEPT = [0, 100, 1_000, 10_000, 100_000];

/** Calls a second by how many are in flight. */
export async function byWidth(programs: Programs, calls: number): Promise<Curve> {
  await using ours = new StdioClient(programs.packed());
  await using codex = new CodexClient(await codexShell(programs));
  const values: { readonly name: string; readonly values: number[] }[] = [];
  for (const [name, client] of [[OURS, ours], [CODEX, codex]] as const) {
    await client.initialize();
    await atOnce(50, 4, () => client.shell("echo hi", "hi"));
    values.push({ name, values: [] });
  }
  for (const width of WIDTHS) {
    for (const [index, client] of [ours, codex].entries()) {
      const count = Math.max(calls, width * 4);
      const begin = performance.now();
      await atOnce(count, width, () => client.shell("echo hi", "hi"));
      values[index]?.values.push(count / (performance.now() - begin) * 1000);
    }
  }
  return { title: "Calls a second", axis: "calls in flight", unit: "calls/s", sizes: WIDTHS, lines: values };
}

/** Times of a server, milliseconds: medians of the given number of rounds for each size. */
interface Times {
  readonly prepare: (programs: Programs, size: number) => Promise<readonly string[]>;
  readonly measure: readonly string[];
  readonly times: (programs: Programs, flags: readonly string[], size: number) => Promise<readonly number[]>;
}

/** Start, list and call by the number of tools. */
export function byTools(programs: Programs, rounds: number): Promise<Curve> {
  return grow(programs, { title: "With tool files", axis: "tools", sizes: TOOLS, rounds }, {
    prepare: async (_, size) => ["--tools-dir", await writeTools(programs, size)],
    measure: ["start to the list of tools", "call"],
    async times(_, flags) {
      const begin = performance.now();
      await using client = new StdioClient(programs.packed(...flags));
      await client.initialize();
      await client.request("tools/list", {});
      const listed = performance.now() - begin;
      return [listed, await warmCall(client)];
    },
  });
}

/** The first call, and further ones, by the number of repositories below the scope. */
export function byRepositories(programs: Programs, rounds: number): Promise<Curve> {
  return grow(programs, { title: "With git repositories below", axis: "repositories", sizes: REPOSITORIES, rounds }, {
    async prepare(_, size) {
      const scope = programs.directory(`../repositories-${size}`);
      for (let index = 0; index < size; index++) {
        const args = ["init", "--quiet", `${scope}/${index}`];
        await new Deno.Command("git", { args, stdout: "null", stderr: "null" }).output();
      }
      return ["--sandbox-scope", scope];
    },
    measure: ["first call", "call"],
    async times(_, flags) {
      await using client = new StdioClient(programs.packed(...flags));
      await client.initialize();
      return [await timeOf(() => client.shell("echo hi", "hi")), await warmCall(client)];
    },
  });
}

/** A call, and `status`, by the number of operations that are kept. */
export function byKept(programs: Programs): Promise<Curve> {
  const title = "With operations kept";
  return grow(programs, { title, axis: "ended operations", sizes: KEPT, rounds: 1 }, {
    prepare: () => Promise.resolve(["--keep-results", "100000"]),
    measure: ["status", "call"],
    async times(_, flags, size) {
      await using client = new StdioClient(programs.packed(...flags));
      await client.initialize();
      await atOnce(size, 16, () => client.shell("echo hi", "hi"));
      const status = await median(50, () => client.call("status", {}));
      return [status, await warmCall(client)];
    },
  });
}

interface Growth extends Pick<Curve, "title" | "axis" | "sizes"> {
  readonly rounds: number;
}

async function grow(programs: Programs, { rounds, ...rest }: Growth, times: Times): Promise<Curve> {
  const lines = times.measure.map((name) => ({ name, values: [] as number[] }));
  for (const size of rest.sizes) {
    const flags = await times.prepare(programs, size);
    const seen: (readonly number[])[] = [];
    for (let round = 0; round < rounds; round++) seen.push(await times.times(programs, flags, size));
    for (const [index, { values }] of lines.entries()) values.push(summarize(seen.map((one) => one[index] ?? 0)).p50);
  }
  return { ...rest, unit: "ms", lines };
}

async function warmCall(client: StdioClient): Promise<number> {
  await atOnce(20, 1, () => client.shell("echo hi", "hi"));
  return await median(50, () => client.shell("echo hi", "hi"));
}

async function median(count: number, once: () => Promise<unknown>): Promise<number> {
  return summarize(await timesOf(count, once)).p50;
}

/** Ten tools a file. */
async function writeTools(programs: Programs, tools: number): Promise<string> {
  const directory = programs.directory(`../tools-${tools}`);
  for (let file = 0; file * 10 < tools; file++) {
    const leaves = Array.from({ length: Math.min(10, tools - file * 10) }, (_, leaf) => ({
      name: `leaf${leaf}`,
      description: "Says it.",
      options: [{ name: "text", type: "string", description: "What to say" }],
    }));
    const tool = { name: `tool${file}`, command: "echo", description: "Says something.", subcommand: leaves };
    await Deno.writeTextFile(`${directory}/tool${file}.json`, JSON.stringify(tool));
  }
  return directory;
}
