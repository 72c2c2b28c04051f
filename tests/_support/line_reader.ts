/** Calls `onLine` for each line of `stream`, without its line break; ends with the stream, a last unfinished line included. */
export async function readLines(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  for await (const chunk of stream) {
    const pieces = decoder.decode(chunk, { stream: true }).split("\n");
    const last = pieces.pop() ?? "";
    for (const piece of pieces) {
      parts.push(piece);
      onLine(parts.length === 1 ? piece : parts.join(""));
      parts = [];
    }
    if (last !== "") parts.push(last);
  }
  if (parts.length > 0) onLine(parts.join(""));
}
