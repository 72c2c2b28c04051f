import assert from "node:assert/strict";
import fc from "fast-check";
import { listeningSockets, UnixSockets } from "./unix_sockets.ts";

const LINUX = Deno.build.os === "linux";

Deno.test({
  name: "S6 UnixSockets lists what listens at a path, with the file it is, and nothing new while nothing changes",
  ignore: !LINUX, // macOS has neither the list nor the sandbox that needs it
  fn: () => {
    const directory = Deno.makeTempDirSync();
    using sockets = new UnixSockets();
    try {
      const path = `${directory}/s`;
      const before = sockets.list();
      assert.deepStrictEqual(before?.filter(({ name }) => name === path), []);
      using _listener = Deno.listen({ transport: "unix", path });
      const [found, ...more] = sockets.list()?.filter(({ name }) => name === path) ?? [];
      const { ino, dev } = Deno.lstatSync(path);
      assert.deepStrictEqual([found?.file, more], [Number(BigInt(ino ?? 0) & 0xffff_ffffn), []]);
      assert.strictEqual(found?.device, `${dev >> 8 & 0xfff}:${dev & 0xff | dev >> 12 & 0xfff00}`);
    } finally {
      Deno.removeSync(directory, { recursive: true });
    }
  },
});

Deno.test({
  name: "S6 UnixSockets.isAlive() asks without being seen, and knows what nothing listens at",
  ignore: !LINUX,
  fn: () => {
    const directory = Deno.makeTempDirSync();
    using sockets = new UnixSockets();
    try {
      const path = `${directory}/s`;
      const listener = Deno.listen({ transport: "unix", path });
      assert.deepStrictEqual([sockets.isAlive(path), sockets.isAlive(directory)], [true, false]);
      listener.close();
      assert.deepStrictEqual([sockets.isAlive(path), sockets.isAlive(`${directory}/none`)], [false, false]);
      assert.ok(sockets.isAlive(`${directory}/${"x".repeat(110)}`), "what cannot be asked counts");
    } finally {
      Deno.removeSync(directory, { recursive: true });
    }
  },
});

Deno.test("S6 listeningSockets() takes any bytes for an answer, and ends", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
    assert.ok(listeningSockets(bytes).length <= bytes.length / 32);
  }));
});
