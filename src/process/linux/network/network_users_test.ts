import assert from "node:assert/strict";
import { NetworkUsers } from "./network_users.ts";

Deno.test("S30 NetworkUsers tells when the command of a connection has ended, of one accepted later at once", async () => {
  const users = new NetworkUsers();
  const { promise: gone, resolve: end } = Promise.withResolvers<void>();
  users.add({ holdsSocket: () => true, listensAt: () => false, onNetwork: undefined, unlisted: undefined }, gone);
  const told: string[] = [];
  const ask = (name: string) =>
    users.attribute({ protocol: "tcp", port: 1, address: new Uint8Array(4) }).onEnded?.(() => told.push(name));
  const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
  ask("in time");
  ask("over before")?.();
  await turn();
  assert.deepStrictEqual(told, []);
  end();
  await turn();
  assert.deepStrictEqual(told, ["in time"]);
  ask("late");
  ask("late, over before")?.();
  await turn();
  assert.deepStrictEqual(told, ["in time", "late"]);
});
