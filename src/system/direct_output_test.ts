import assert from "node:assert/strict";
import { openCLibrary } from "./c_library.ts";
import { directOutput } from "./direct_output.ts";

const SLOW = { write: (bytes: Uint8Array) => Promise.resolve(-bytes.length) };
const linux = { ignore: Deno.build.os !== "linux" };

interface Pipe {
  readonly write: number;
  /** What is in it, up to `most` bytes. */
  read(most: number): Uint8Array;
  closeReader(): void;
}

/** The ends of a pipe, or of a pair of sockets, as clients give them. */
function withPipe(kind: "pipe" | "sockets", use: (pipe: Pipe) => void): void {
  const library = openCLibrary({
    pipe: { parameters: ["buffer"], result: "i32" },
    socketpair: { parameters: ["i32", "i32", "i32", "buffer"], result: "i32" },
    read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
    close: { parameters: ["i32"], result: "i32" },
  });
  const { symbols } = library;
  const ends = new Int32Array(2);
  const bytes = new Uint8Array(ends.buffer);
  assert.equal(kind === "pipe" ? symbols.pipe(bytes) : symbols.socketpair(1, 1, 0, bytes), 0);
  const [reader = -1, write = -1] = ends;
  let isOpen = true;
  const closeReader = () => {
    if (isOpen) symbols.close(reader);
    isOpen = false;
  };
  try {
    use({
      write,
      read(most) {
        const into = new Uint8Array(most);
        return into.subarray(0, Number(symbols.read(reader, into, BigInt(most))));
      },
      closeReader,
    });
  } finally {
    closeReader();
    symbols.close(write);
    library.close();
  }
}

for (const kind of ["pipe", "sockets"] as const) {
  Deno.test(`C2 writeNow() fills ${kind} without a reader and then writes nothing, without waiting`, linux, () => {
    withPipe(kind, (pipe) => {
      using direct = directOutput(SLOW, pipe.write);
      const message = new TextEncoder().encode("0123456789".repeat(1_000));
      const sizes: number[] = [];
      for (let size = direct.output.writeNow(message); size > 0; size = direct.output.writeNow(message)) {
        sizes.push(size);
      }
      assert.ok(sizes.length > 1 && sizes.slice(0, -1).every((size) => size === message.length), `${sizes}`);
      const whole = sizes.reduce((sum, size) => sum + size, 0);
      assert.equal(direct.output.writeNow(message), 0);
      // The reader goes on: so does the writer.
      assert.deepStrictEqual(pipe.read(message.length), message);
      for (let left = whole - message.length; left > 0;) left -= pipe.read(left).length;
      assert.equal(direct.output.writeNow(message), message.length);
      assert.deepStrictEqual(pipe.read(message.length), message);
    });
  });

  Deno.test(
    `C2 writeNow() leaves ${kind} whose reader is gone, and a long message, to the slow way`,
    linux,
    async () => {
      const slow: Promise<number>[] = [];
      withPipe(kind, (pipe) => {
        using direct = directOutput(SLOW, pipe.write);
        assert.equal(direct.output.writeNow(new Uint8Array(65_537)), 0);
        pipe.closeReader();
        // A program that another thread starts has a copy of the reader until it executes.
        while (direct.output.writeNow(new Uint8Array(9)) > 0);
        slow.push(direct.output.write(new Uint8Array(9)));
      });
      assert.deepStrictEqual(await Promise.all(slow), [-9]);
    },
  );
}
