import assert from "node:assert/strict";
import type { CommandHooks, OpenCommand, OpenGuard, OpenRequest } from "../process/command_runner.ts";
import { WatchedRunner } from "./watched_runner.ts";

const REQUEST: OpenRequest = { run: { argv: ["worker"] }, directory: "/", environment: {} };
const HOOKS: CommandHooks = { signal: new AbortController().signal, onOutput: () => {} };

const PLAIN = { runsPrograms: false };

/** A guard that notes whether its command rests; `ends` settle when they are let go. */
function noted() {
  const seen: string[] = [];
  const held: (() => void)[] = [];
  const guard: OpenGuard = {
    rests: () => void seen.push("rests"),
    begins: () => Promise.resolve(void seen.push("begins")),
    async ends(_, rests) {
      await new Promise<void>((resolve) => held.push(resolve));
      seen.push(`ends${rests() ? " and rests" : ""}`);
    },
  };
  const command: OpenCommand = { stdin: new WritableStream(), end: new Promise(() => {}), guard };
  return { seen, held, runner: { open: () => Promise.resolve(command) } };
}

Deno.test("S24 a worker rests while it has no call, also where one begins before the look after another has ended", async () => {
  const { seen, held, runner } = noted();
  const watched = new WatchedRunner(runner, { isOwn: true });
  await watched.open(REQUEST, HOOKS);
  const first = (await watched.begin(PLAIN))();
  const second = await watched.begin(PLAIN);
  held.shift()?.();
  await first;
  const last = second();
  held.shift()?.();
  await last;
  assert.deepStrictEqual(seen, ["rests", "begins", "begins", "ends", "ends and rests"]);
});

Deno.test("S24 a third-party server never rests", async () => {
  const { seen, held, runner } = noted();
  const watched = new WatchedRunner(runner, { isOwn: false });
  await watched.open(REQUEST, HOOKS);
  const ended = (await watched.begin(PLAIN))();
  held.shift()?.();
  await ended;
  assert.deepStrictEqual(seen, ["ends"]);
});

Deno.test("S24 a worker that ran a program of the project rests no more: the program may have left a process", async () => {
  const { seen, held, runner } = noted();
  const watched = new WatchedRunner(runner, { isOwn: true });
  await watched.open(REQUEST, HOOKS);
  const ended = (await watched.begin({ runsPrograms: true }))();
  held.shift()?.();
  await ended;
  await watched.begin(PLAIN);
  assert.deepStrictEqual(seen, ["rests", "begins", "ends"]);
});
