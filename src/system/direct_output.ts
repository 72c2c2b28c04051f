/**
 * Writes without waiting, in the calling thread. The runtime hands each write to another thread, which costs a message
 * some 80 µs of processor time; its own synchronous write would wait for a reader that has stopped.
 */
import { errnoAt, LazyLibrary, LITTLE_ENDIAN } from "./c_library.ts";
import { EINVAL, ENOSYS, EOPNOTSUPP, OWN_CALLS } from "./syscalls.ts";

/** Like `Deno.stdout`. */
interface SlowOutput {
  write(bytes: Uint8Array): Promise<number>;
}

/** Like `SlowOutput`, and what can be written at once is. */
export interface FastOutput extends SlowOutput {
  /** Bytes written; 0: nothing can be written now, or not in this way. Never waits. */
  writeNow(bytes: Uint8Array): number;
}

/** Disposal gives back what it took; the descriptor stays open. */
export interface DirectOutput extends Disposable {
  readonly output: FastOutput;
}

const LIBRARY = {
  __errno_location: { parameters: [], result: "pointer" },
  pwritev2: { name: "syscall", parameters: ["i64", "i64", "buffer", "i64", "i64", "i64", "i64"], result: "i64" },
} as const;
/** At the current position of the file. */
const NO_OFFSET = -1n;
/** It fails where it would wait. Pipes know it since Linux 6.4, sockets longer. */
const RWF_NOWAIT = 8n;
const ONE_VECTOR = 1n;
/** The kernel does not do it here, now or later. */
const NEVER: readonly number[] = [EINVAL, ENOSYS, EOPNOTSUPP];
/** Of one message; longer ones go the slow way. */
const MOST_BYTES = 65_536;

/** The output of a descriptor, whose slow way is `slow`. */
export function directOutput(slow: SlowOutput, descriptor: number): DirectOutput {
  const write = (bytes: Uint8Array) => slow.write(bytes);
  if (Deno.build.os !== "linux") return { output: { write, writeNow: () => 0 }, [Symbol.dispose]() {} };
  const writer = new NowWriter(descriptor);
  return {
    output: { write, writeNow: (bytes) => writer.write(bytes) },
    [Symbol.dispose]: () => writer.close(),
  };
}

class NowWriter {
  readonly #library = new LazyLibrary(LIBRARY);
  readonly #number = BigInt(OWN_CALLS.pwritev2);
  readonly #descriptor: bigint;
  /** One place for all messages, so that its address is asked for once. */
  readonly #bytes = new Uint8Array(MOST_BYTES);
  /** `struct iovec`: address, then length. */
  readonly #vector = new Uint8Array(16);
  readonly #length = new DataView(this.#vector.buffer, 8);
  #works = true;

  constructor(descriptor: number) {
    this.#descriptor = BigInt(descriptor);
    const address = Deno.UnsafePointer.value(Deno.UnsafePointer.of(this.#bytes));
    new DataView(this.#vector.buffer).setBigUint64(0, address, LITTLE_ENDIAN);
  }

  write(bytes: Uint8Array): number {
    if (!this.#works || bytes.length > MOST_BYTES) return 0;
    this.#bytes.set(bytes);
    this.#length.setBigUint64(0, BigInt(bytes.length), LITTLE_ENDIAN);
    const { pwritev2, __errno_location } = this.#library.symbols;
    const written = Number(
      pwritev2(this.#number, this.#descriptor, this.#vector, ONE_VECTOR, NO_OFFSET, NO_OFFSET, RWF_NOWAIT),
    );
    if (written >= 0) return written;
    // Any other failure, such as a reader that is gone, is the slow way's to tell.
    this.#works = !NEVER.includes(errnoAt(__errno_location()));
    return 0;
  }

  close(): void {
    this.#works = false;
    this.#library[Symbol.dispose]();
  }
}
