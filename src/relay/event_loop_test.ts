import assert from "node:assert/strict";
import { EventLoop } from "./event_loop.ts";
import { Sockets } from "./sockets.ts";

const LOOPBACK = Uint8Array.of(127, 0, 0, 1);

/** A loop, and a listener of it whose connections `accepted` gets. */
async function withListener(
  use: (parts: { loop: EventLoop; sockets: Sockets; port: number; accepted: Promise<number[]> }) => Promise<void>,
  { wanted, patience }: { readonly wanted: number; readonly patience: number },
): Promise<void> {
  const failed = Promise.withResolvers<never>();
  const loop = new EventLoop({ onFailure: failed.reject, patience });
  using sockets = new Sockets();
  const listener = sockets.listen({ address: LOOPBACK, port: 0 });
  assert.ok("socket" in listener);
  const all = Promise.withResolvers<number[]>();
  const taken: number[] = [];
  loop.addListener(listener.socket, () => {
    const accepted = sockets.accept(listener.socket);
    if (accepted !== undefined && taken.push(accepted.socket) === wanted) all.resolve(taken);
  });
  try {
    const { port } = sockets.ownEnd(listener.socket);
    await Promise.race([failed.promise, use({ loop, sockets, port, accepted: all.promise })]);
  } finally {
    loop.remove(listener.socket);
    for (const one of [listener.socket, ...taken]) sockets.close(one);
    await loop.close();
  }
}

function dialled(sockets: Sockets, port: number): number {
  const opened = sockets.dial({ address: LOOPBACK, port });
  assert.ok("socket" in opened);
  return opened.socket;
}

Deno.test("S30 EventLoop tells of a listener as long as connections wait, and of each byte that comes", async () => {
  await withListener(async ({ loop, sockets, port, accepted }) => {
    const clients = Array.from({ length: 50 }, () => dialled(sockets, port));
    const [server = -1] = await accepted;
    const heard = Promise.withResolvers<void>();
    const into = new Uint8Array(8);
    loop.add(server, ({ read }) => {
      if (read && typeof sockets.receive(server, into) === "object") heard.resolve();
    });
    assert.deepEqual(sockets.send(clients[0] ?? -1, Uint8Array.of(7)), { bytes: 1 });
    await heard.promise;
    assert.equal(into[0], 7);
    loop.remove(server);
    for (const client of clients) sockets.close(client);
  }, { wanted: 50, patience: 10_000 });
});

Deno.test("S30 EventLoop does what is due while nothing else happens, and not what was dropped", async () => {
  await withListener(async ({ loop, sockets, port, accepted }) => {
    const client = dialled(sockets, port);
    await accepted;
    const done: string[] = [];
    loop.drop(loop.later(() => done.push("dropped")));
    await new Promise<void>((resolve) => {
      loop.later(() => done.push("first"));
      loop.later(() => resolve());
    });
    // Again, now that the loop waits without an end.
    await new Promise<void>((resolve) => loop.later(resolve));
    assert.deepEqual(done, ["first"]);
    sockets.close(client);
  }, { wanted: 1, patience: 20 });
});

Deno.test("S30 EventLoop leaves the rest of the program its turns while connections always have something to do", async () => {
  await withListener(async ({ loop, sockets, port, accepted }) => {
    const client = dialled(sockets, port);
    await accepted;
    let isDone = false;
    let turns = 0;
    const work = () => {
      turns++;
      if (!isDone) loop.again(work);
    };
    loop.again(work);
    // What wakes the loop.
    sockets.close(client);
    const before = turns;
    for (let count = 0; count < 5 || turns === before; count++) {
      const file = await Deno.open("/dev/null");
      file.close();
      await new Promise((resolve) => setTimeout(resolve));
    }
    isDone = true;
  }, { wanted: 1, patience: 10_000 });
});
