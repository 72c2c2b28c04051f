import assert from "node:assert/strict";
import { SocketStock } from "./publication.ts";

function stockOf(size: number) {
  const closed: number[] = [];
  const adopted: number[] = [];
  const made: PromiseWithResolvers<readonly number[]>[] = [];
  const make = () => {
    const one = Promise.withResolvers<readonly number[]>();
    made.push(one);
    return one.promise;
  };
  const stock = new SocketStock(make, { adopt: (one) => adopted.push(one), close: (one) => closed.push(one) });
  const finish = (at: number) => made[at]?.resolve(Array.from({ length: size }, (_, index) => at * size + index));
  return { stock, closed, adopted, made, finish };
}

Deno.test("S34 SocketStock makes sockets once for all who wait, and more only when none is left", async () => {
  const { stock, adopted, made, finish } = stockOf(2);
  const taken = Promise.all([stock.take(), stock.take(), stock.take()]);
  assert.equal(made.length, 1);
  finish(0);
  await made[0]?.promise;
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(made.length, 2);
  finish(1);
  assert.deepStrictEqual((await taken).toSorted(), [0, 1, 3]);
  assert.equal(await stock.take(), 2);
  assert.equal(made.length, 2);
  assert.deepStrictEqual(adopted, [0, 1, 2, 3]);
});

Deno.test("S34 SocketStock tells who waits that nothing could be made, and tries again for the next", async () => {
  const { stock, made, finish } = stockOf(1);
  const failed = assert.rejects(stock.take(), /no process/);
  made[0]?.reject(new Error("no process"));
  await failed;
  const next = stock.take();
  finish(1);
  assert.equal(await next, 1);
});

Deno.test("S34 a closed SocketStock closes what was not taken, and what is made too late", async () => {
  const { stock, closed, finish } = stockOf(2);
  const first = stock.take();
  finish(0);
  await first;
  const late = Promise.all([stock.take(), stock.take()]);
  late.catch(() => {});
  stock.close();
  finish(1);
  await assert.rejects(late, /The network of commands has ended/);
  assert.deepStrictEqual(closed, [2, 3]);
});
