import type { CommandEnd } from "../../base/command/command_end.ts";
import { strict as assert } from "node:assert";
import { makeService } from "../_support/connection.ts";
import { watchResources } from "./resource_changes.ts";

const DONE: CommandEnd = { kind: "exited", code: 0 };

/** Hears changes; `next` waits for one that was not asked for before. */
class Heard {
  readonly updates: string[] = [];
  lists = 0;
  #waiting: (() => void)[] = [];

  updated(uri: string): void {
    this.updates.push(uri);
    this.#wake();
  }

  listChanged(): void {
    this.lists++;
    this.#wake();
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

Deno.test("X5 watchResources() tells of the first change at once and gathers those that follow", async () => {
  const { registry, ...rest } = makeService();
  const heard = new Heard();
  const listener = {
    subscribed: { size: 1, has: (uri: string) => uri !== "ahma://operations" },
    updated: (uri: string) => heard.updated(uri),
    listChanged: () => heard.listChanged(),
  };
  const stop = watchResources({ registry, ...rest }, listener, { updatesMs: 30, listMs: 30 });
  const output = Promise.withResolvers<void>();
  const operation = registry.start("make", "make", async ({ write }) => {
    await output.promise;
    for (let count = 0; count < 1000; count++) write(new TextEncoder().encode("x\n"));
    return DONE;
  });
  const facts = `ahma://operations/${operation.id}`;
  await heard.until(() => heard.lists === 1 && heard.updates.length === 1);
  assert.deepStrictEqual(heard.updates, [facts]);
  output.resolve();
  // A thousand chunks and the end are one further round.
  await heard.until(() => heard.updates.length === 3);
  assert.deepStrictEqual(heard.updates.slice(1), [`${facts}/output`, facts]);
  for (let count = 0; count < 20; count++) registry.start("make", "make", () => Promise.resolve(DONE));
  await heard.until(() => heard.lists === 2 && heard.updates.length >= 3 + 2 * 20);
  assert.deepStrictEqual([heard.lists, heard.updates.length], [2, 3 + 2 * 20]);
  stop();
});

Deno.test("X5 watchResources() hears the output of what runs already, and nothing any more when it is stopped", async () => {
  const service = makeService();
  const heard = new Heard();
  const running = Promise.withResolvers<CommandEnd>();
  let say = () => {};
  const operation = service.registry.start("make", "make", ({ write }) => {
    say = () => void write(new TextEncoder().encode("x\n"));
    return running.promise;
  });
  const listener = {
    updated: (uri: string) => heard.updated(uri),
    listChanged: () => heard.listChanged(),
  };
  const stop = watchResources(service, listener, { updatesMs: 10, listMs: 10 });
  say();
  await heard.until(() => heard.updates.length > 0);
  assert.deepStrictEqual(heard.updates, [`ahma://operations/${operation.id}/output`]);
  say();
  stop();
  running.resolve(DONE);
  await operation.ended;
  assert.deepStrictEqual([heard.updates.length, heard.lists], [1, 0]);
});
