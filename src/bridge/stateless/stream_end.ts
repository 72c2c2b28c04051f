/**
 * `stream` with its parts as `pass` hands them on; absent: unchanged. `end` is called when it has ended or its reader has
 * left, twice where both happen.
 */
export function withEnd(
  stream: ReadableStream<Uint8Array>,
  end: () => void,
  pass = (part: Uint8Array, to: ReadableStreamDefaultController<Uint8Array>) => to.enqueue(part),
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done) return pass(value, controller);
      end();
      controller.close();
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}
