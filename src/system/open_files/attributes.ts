/** Extended attributes of open files: ACLs, capabilities, and attributes that users set. */
import { sameBytes } from "../../base/bytes.ts";
import { type FileLibrary, text } from "./library.ts";

const MOST_ATTRIBUTE_BYTES = 65_536;
/** The system sets this label from the directory of the file. */
const LABEL = "security.selinux";

const DECODER = new TextDecoder();

type Attribute = readonly [name: string, value: Uint8Array<ArrayBuffer>];

/** Whether both files have the same attributes; false if one cannot be read. */
export function haveSameAttributes(library: FileLibrary, one: number, other: number): boolean {
  const [first, second] = [attributesOf(library, one), attributesOf(library, other)];
  return first !== undefined && second !== undefined && first.length === second.length &&
    first.every(([name, value]) => second.some(([its, own]) => its === name && sameBytes(own, value)));
}

/** Copies the attributes of a file to another; false: not all were copied. */
export function copyAttributes(library: FileLibrary, source: number, copy: number): boolean {
  const { fsetxattr } = library.symbols;
  return attributesOf(library, source)?.every(([name, value]) =>
    fsetxattr(copy, text(name), value, BigInt(value.length), 0) === 0
  ) === true;
}

/** All attributes but the label; empty if the file system has none. Undefined: one cannot be read. */
function attributesOf(
  { symbols: { flistxattr, fgetxattr } }: FileLibrary,
  fd: number,
): readonly Attribute[] | undefined {
  const list = new Uint8Array(MOST_ATTRIBUTE_BYTES);
  const length = Number(flistxattr(fd, list, BigInt(list.length)));
  // A file system without attributes refuses to list them.
  const names = DECODER.decode(list.subarray(0, Math.max(0, length))).split("\0").filter((name) => name !== "");
  const found: Attribute[] = [];
  for (const name of names.filter((one) => one !== LABEL)) {
    const value = new Uint8Array(MOST_ATTRIBUTE_BYTES);
    const size = Number(fgetxattr(fd, text(name), value, BigInt(value.length)));
    if (size < 0) return undefined;
    found.push([name, value.slice(0, size)]);
  }
  return found;
}
