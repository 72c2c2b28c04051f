/** Files behind an executable's text: bytes, a JSON list, its length, a mark (scripts/executable/embedded.ts). */
import { concatenate } from "../../base/bytes.ts";
import { encodeText } from "../../base/text.ts";

/** A file by the name that it has in its directory. */
export interface AttachedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const MARK = encodeText("ahma-attachment1");
const LENGTH_BYTES = 4;
const TAIL_BYTES = LENGTH_BYTES + MARK.length;
/** A longer list was not written by this program. */
const LONGEST_LIST = 65_536;

/** The parts that follow the program. */
export function attachmentOf(files: readonly AttachedFile[]): Uint8Array<ArrayBuffer> {
  const list = encodeText(JSON.stringify(files.map(({ name, bytes }) => [name, bytes.length])));
  const tail = new Uint8Array(TAIL_BYTES);
  new DataView(tail.buffer).setUint32(0, list.length);
  tail.set(MARK, LENGTH_BYTES);
  return concatenate([...files.map(({ bytes }) => bytes), list, tail]);
}

/** Files behind an executable that are `wanted`; undefined: it has none. @throws {Error} When it cannot be read. */
export function readAttachment(
  path: string,
  wanted: (name: string) => boolean,
): readonly AttachedFile[] | undefined {
  using file = Deno.openSync(path);
  const { size } = file.statSync();
  const tail = read(file, size - TAIL_BYTES, TAIL_BYTES);
  const length = new DataView(tail.buffer).getUint32(0);
  if (MARK.some((byte, index) => tail[LENGTH_BYTES + index] !== byte) || length > LONGEST_LIST) return undefined;
  const listed = size - TAIL_BYTES - length;
  // Our own build has written it.
  const list = JSON.parse(new TextDecoder().decode(read(file, listed, length))) as [name: string, size: number][];
  let at = listed - list.reduce((sum, [, bytes]) => sum + bytes, 0);
  return list.flatMap(([name, bytes]) => {
    at += bytes;
    return wanted(name) ? [{ name, bytes: read(file, at - bytes, bytes) }] : [];
  });
}

function read(file: Deno.FsFile, position: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  file.seekSync(position, Deno.SeekMode.Start);
  let done = 0;
  while (done < length) {
    const got = file.readSync(bytes.subarray(done));
    if (got === null) throw new Error("The executable is shorter than it was");
    done += got;
  }
  return bytes;
}
