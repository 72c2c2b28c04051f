/** Zip files whose bytes depend on names and contents only (APPNOTE 6.3.10: local headers, a directory, its end). */
import { crc32, deflateRawSync } from "node:zlib";
import { concatenate } from "../../src/base/bytes.ts";
import { LITTLE_ENDIAN } from "../../src/system/c_library.ts";

/** A file of an archive. */
export interface ZipEntry {
  /** Its path in the archive, of ASCII. */
  readonly path: string;
  readonly content: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
}

type Field = readonly [bytes: 2 | 4, value: number];

const VERSION = 20;
/** Which says that attributes are those of Unix. */
const MADE_BY = 3 << 8 | VERSION;
const DEFLATED = 8;
const REGULAR = 0o100000;

/** The bytes of a zip file with the entries in their order, all of one time in UTC. */
export function zipOf(entries: readonly ZipEntry[], time: Date): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { path, content, mode } of entries) {
    const name = new TextEncoder().encode(path);
    const packed = deflateRawSync(content);
    const facts: readonly Field[] = [
      [2, VERSION],
      [2, 0],
      [2, DEFLATED],
      ...dosTime(time),
      [4, crc32(content)],
      [4, packed.length],
      [4, content.length],
      [2, name.length],
      [2, 0],
    ];
    const local = [fields([[4, 0x04034b50], ...facts]), name, packed];
    const attributes = (REGULAR | mode) << 16 >>> 0;
    const rest: readonly Field[] = [[2, 0], [2, 0], [2, 0], [4, attributes], [4, offset]];
    directory.push(fields([[4, 0x02014b50], [2, MADE_BY], ...facts, ...rest]), name);
    parts.push(...local);
    offset += lengthOf(local);
  }
  const { length } = entries;
  const counts: readonly Field[] = [[2, length], [2, length], [4, lengthOf(directory)], [4, offset]];
  return concatenate([...parts, ...directory, fields([[4, 0x06054b50], [2, 0], [2, 0], ...counts, [2, 0]])]);
}

/** Time and date, to two seconds. */
function dosTime(time: Date): readonly Field[] {
  const clock = time.getUTCHours() << 11 | time.getUTCMinutes() << 5 | time.getUTCSeconds() >> 1;
  return [[2, clock], [2, time.getUTCFullYear() - 1980 << 9 | time.getUTCMonth() + 1 << 5 | time.getUTCDate()]];
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((length, part) => length + part.length, 0);
}

function fields(all: readonly Field[]): Uint8Array {
  const bytes = new Uint8Array(all.reduce((length, [size]) => length + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of all) {
    if (size === 2) view.setUint16(at, value, LITTLE_ENDIAN);
    else view.setUint32(at, value, LITTLE_ENDIAN);
    at += size;
  }
  return bytes;
}
