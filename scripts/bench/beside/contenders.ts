/** The programs that run the same shell line by turns: ours, ours without a sandbox, another server, and no server. */
import { holdingsOf } from "../../../tests/_support/processes.ts";
import { CSpawner } from "../floors.ts";
import type { Programs } from "../programs.ts";
import { StdioClient } from "../stdio_client.ts";
import { BesideClient, besideLine } from "./beside.ts";
import { CodexClient, codexShell } from "./codex_shell.ts";
import { timeOf } from "../samples.ts";

export interface Contender extends AsyncDisposable {
  readonly name: string;
  /** Process ids that are the server itself; the others are children. */
  readonly servers: readonly number[];
  /** Milliseconds of each of `count` lines, one after the other, each after a pause. */
  one(count: number, pauseMs: number): Promise<readonly number[]>;
  /** Runs `count` lines, this many at once. */
  many(count: number, width: number): Promise<void>;
}

export const OURS = "ours";
export const OPEN = "ours, --no-sandbox";
export const CODEX = "codex-shell, no sandbox";
export const C = "posix_spawn of bash, C";

/** Those that this machine can run, ready; `names` in their order. */
export async function contenders(programs: Programs, names: readonly string[]): Promise<readonly Contender[]> {
  await using stack = new AsyncDisposableStack();
  const made: Contender[] = [];
  for (const name of names) made.push(stack.use(await contender(programs, name)));
  for (const one of made) await one.one(20, 0);
  stack.move();
  return made;
}

async function contender(programs: Programs, name: string): Promise<Contender> {
  if (name === C) return await spawner(programs);
  const client = await clientOf(programs, name);
  await client.initialize().catch(async (thrown: unknown) => {
    await client[Symbol.asyncDispose]();
    throw new Error(`Cannot measure "${name}": it does not answer initialize`, { cause: thrown });
  });
  const wrapped = name === CODEX ? (await holdingsOf(client.pid)).children : [];
  return {
    name,
    servers: [client.pid, ...wrapped],
    one: (count, pauseMs) => each(count, pauseMs, () => client.shell("echo hi", "hi")),
    many: (count, width) => atOnce(count, width, () => client.shell("echo hi", "hi")),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** Another server, or ours by the flag that its name says. */
async function clientOf(programs: Programs, name: string): Promise<StdioClient> {
  const beside = programs.beside.find((one) => one.name === name);
  if (beside !== undefined) return new BesideClient(besideLine(programs, beside), beside);
  if (name === CODEX) return new CodexClient(await codexShell(programs));
  return new StdioClient(programs.packed(...name === OPEN ? ["--no-sandbox"] : []));
}

/** In C, a process for each line that runs at once. */
async function spawner(programs: Programs): Promise<Contender> {
  const line = await programs.spawner();
  if (line === undefined) throw new Error("Cannot spawn from C: gcc is missing");
  const all = Array.from({ length: 16 }, () => new CSpawner(line));
  const [first] = all;
  return {
    name: C,
    servers: all.map(({ pid }) => pid),
    one: async (count, pauseMs) => await first?.spawn(count, pauseMs) ?? [],
    many: async (count, width) => {
      await Promise.all(all.slice(0, width).map((one) => one.spawn(Math.ceil(count / width), 0)));
    },
    async [Symbol.asyncDispose]() {
      for (const one of all) await one[Symbol.asyncDispose]();
    },
  };
}

async function each(count: number, pauseMs: number, once: () => Promise<void>): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let index = 0; index < count; index++) {
    // Idle time is what is measured here: caches and cores cool down between the calls of an agent.
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    samples.push(await timeOf(once));
  }
  return samples;
}

/** Runs `once` `count` times, this many at the same time. */
export async function atOnce(count: number, width: number, once: () => Promise<unknown>): Promise<void> {
  let left = count;
  await Promise.all(Array.from({ length: width }, async () => {
    while (left-- > 0) await once();
  }));
}
