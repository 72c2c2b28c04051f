/** Bounds what a parser may unpack in its thread: a short file may stand for gigabytes (K2, K3, K5). */

/** Bytes of the longest part. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Packed bytes, which are at most a thousand times as many. */
const PIECE_BYTES = 16 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;

/** From now on, in this thread, arrays of bytes and streams that unpack have at most 64 MiB. */
export function boundBytes(): void {
  const bounded: Uint8ArrayConstructor = new Proxy(Uint8Array, {
    construct(target, [first, ...rest]: readonly unknown[], made): Uint8Array {
      if (typeof first === "number" && first > MOST_BYTES) throw tooLong();
      return Reflect.construct(target, [first, ...rest], made === bounded ? target : made) as Uint8Array;
    },
  });
  const boundedStreams = new Proxy(DecompressionStream, {
    construct: (Target, [format]: [CompressionFormat]) => boundedStream(new Target(format)),
  });
  Object.assign(globalThis, { Uint8Array: bounded, DecompressionStream: boundedStreams });
}

/** It unpacks what it gets in one step, so it gets little at once. */
function boundedStream(stream: DecompressionStream): DecompressionStream {
  let length = 0;
  const pieces = new TransformStream<Bytes, Bytes>({
    transform(chunk, controller) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) controller.enqueue(chunk.subarray(at, at + PIECE_BYTES));
    },
  });
  const counted = new TransformStream<Bytes, Bytes>({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > MOST_BYTES) controller.error(tooLong());
      else controller.enqueue(chunk);
    },
  });
  return { readable: pieces.readable.pipeThrough(stream).pipeThrough(counted), writable: pieces.writable };
}

function tooLong(): RangeError {
  return new RangeError(`A part of it is longer than ${MOST_BYTES / 1024 / 1024} MiB when it is unpacked`);
}
