/** Listening Unix sockets of this network namespace (sock_diag(7)); whether one at a path lives in any. */
import { encodeText, words } from "../base/text.ts";
import { concatenate, sameBytes } from "../base/bytes.ts";
import { errnoAt, LazyLibrary, LITTLE_ENDIAN } from "./c_library.ts";
import { AF_NETLINK, AF_UNIX, EPROTOTYPE, O_CLOEXEC } from "./syscalls.ts";

const SYMBOLS = words("__errno_location socket connect send recv close");

const SOCK_DGRAM = 2;
const SOCK_RAW = 3;
const NETLINK_SOCK_DIAG = 4;
const SOCK_DIAG_BY_FAMILY = 20;
/** NLM_F_REQUEST | NLM_F_DUMP */
const DUMP = 0x301;
const NLMSG_ERROR = 2;
const NLMSG_DONE = 3;
const LISTENING = 1 << 10;
/** UDIAG_SHOW_NAME | UDIAG_SHOW_VFS */
const SHOW = 3;
/** `struct nlmsghdr`, `struct unix_diag_req`, `struct unix_diag_msg`, `struct rtattr`. */
const [HEADER, REQUEST, MESSAGE, ATTRIBUTE] = [16, 24, 16, 4];
const UNIX_DIAG_NAME = 0;
const UNIX_DIAG_VFS = 1;
const MINOR_BITS = 20;
const LONGEST_PATH = 107;
const DECODER = new TextDecoder();

/** A socket that listens at a path. */
export interface ListeningSocket {
  /** The socket's inode number, as `/proc/PID/fd` shows it. */
  readonly socket: string;
  /** Device of the file system of its file: `MAJOR:MINOR`, as in `/proc/self/mountinfo`. */
  readonly device: string;
  /** The lower 32 bits of the file's inode. */
  readonly file: number;
  /** The path as the program named it, which may be relative or refer to another root. */
  readonly name: string;
}

export class UnixSockets implements Disposable {
  readonly #library = new LazyLibrary(SYMBOLS);
  readonly #buffer = new Uint8Array(65_536);
  #netlink: number | undefined;
  #last: { readonly bytes: Uint8Array; readonly listed: readonly ListeningSocket[] } | undefined;

  /** Listening sockets with a path, the same object while unchanged. Undefined: the kernel lists none. */
  list(): readonly ListeningSocket[] | undefined {
    const bytes = this.#dump();
    if (bytes === undefined) return undefined;
    if (this.#last === undefined || !sameBytes(this.#last.bytes, bytes)) {
      this.#last = { bytes, listed: listeningSockets(bytes) };
    }
    return this.#last.listed;
  }

  /** Whether a program listens at the path. The program does not notice the test, which uses a wrong socket type. */
  isAlive(path: string): boolean {
    const name = encodeText(path);
    if (name.length > LONGEST_PATH) return true; // it cannot be asked, and a command could name it shorter
    const { socket, connect, close, __errno_location } = this.#library.symbols;
    const fd = socket(AF_UNIX, SOCK_DGRAM | O_CLOEXEC, 0);
    if (fd < 0) return true;
    const address = new Uint8Array([AF_UNIX, 0, ...name, 0]);
    const isConnected = connect(fd, address, address.length) === 0 || errnoAt(__errno_location()) === EPROTOTYPE;
    close(fd);
    return isConnected;
  }

  [Symbol.dispose](): void {
    if (this.#netlink !== undefined) this.#library.symbols.close(this.#netlink);
    this.#netlink = undefined;
    this.#library[Symbol.dispose]();
  }

  /** All messages of one answer. */
  #dump(): Uint8Array | undefined {
    const { socket, send, recv } = this.#library.symbols;
    this.#netlink ??= socket(AF_NETLINK, SOCK_RAW | O_CLOEXEC, NETLINK_SOCK_DIAG);
    if (Number(send(this.#netlink, QUESTION, BigInt(QUESTION.length), 0)) !== QUESTION.length) return undefined;
    const parts: Uint8Array[] = [];
    for (;;) {
      const length = Number(recv(this.#netlink, this.#buffer, BigInt(this.#buffer.length), 0));
      if (length <= 0) return undefined;
      const part = this.#buffer.slice(0, length);
      const last = lastKind(part);
      if (last === NLMSG_ERROR) return undefined;
      parts.push(part);
      if (last === NLMSG_DONE) return concatenate(parts);
    }
  }
}

const QUESTION = question();

function question(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEADER + REQUEST);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.length, LITTLE_ENDIAN);
  view.setUint16(4, SOCK_DIAG_BY_FAMILY, LITTLE_ENDIAN);
  view.setUint16(6, DUMP, LITTLE_ENDIAN);
  view.setUint8(HEADER, AF_UNIX);
  view.setUint32(HEADER + 4, LISTENING, LITTLE_ENDIAN);
  view.setUint32(HEADER + 12, SHOW, LITTLE_ENDIAN);
  return bytes;
}

interface Part {
  readonly kind: number;
  readonly at: number;
  readonly end: number;
}

/** Splits messages, or the attributes of one. Each begins with length and kind, at a multiple of four. */
function* partsOf(view: DataView, from: number, end: number, { wide }: { readonly wide: boolean }): Generator<Part> {
  for (let at = from; at + (wide ? HEADER : ATTRIBUTE) <= end;) {
    const length = wide ? view.getUint32(at, LITTLE_ENDIAN) : view.getUint16(at, LITTLE_ENDIAN);
    if (length < ATTRIBUTE || at + length > end) return;
    yield { kind: view.getUint16(at + (wide ? 4 : 2), LITTLE_ENDIAN), at, end: at + length };
    at += (length + 3) & ~3;
  }
}

function lastKind(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let kind: number | undefined;
  for (const part of partsOf(view, 0, bytes.length, { wide: true })) kind = part.kind;
  return kind;
}

/** The sockets in the kernel's answer that have a path. */
export function listeningSockets(bytes: Uint8Array): readonly ListeningSocket[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const found: ListeningSocket[] = [];
  for (const { kind, at, end } of partsOf(view, 0, bytes.length, { wide: true })) {
    if (kind !== SOCK_DIAG_BY_FAMILY || at + HEADER + MESSAGE > end) continue;
    let name = "";
    let file: Pick<ListeningSocket, "device" | "file"> | undefined;
    for (const one of partsOf(view, at + HEADER + MESSAGE, end, { wide: false })) {
      const value = bytes.subarray(one.at + ATTRIBUTE, one.end);
      if (one.kind === UNIX_DIAG_NAME) name = DECODER.decode(value).replace(/\0+$/, "");
      if (one.kind === UNIX_DIAG_VFS && value.length >= 8) file = fileAt(view, one.at + ATTRIBUTE);
    }
    const socket = String(view.getUint32(at + HEADER + 4, LITTLE_ENDIAN));
    if (file !== undefined) found.push({ socket, name, ...file });
  }
  return found;
}

/** `struct unix_diag_vfs`: the inode, then the device as the kernel has it. */
function fileAt(view: DataView, at: number): Pick<ListeningSocket, "device" | "file"> {
  const device = view.getUint32(at + 4, LITTLE_ENDIAN);
  const minor = device & ((1 << MINOR_BITS) - 1);
  return { file: view.getUint32(at, LITTLE_ENDIAN), device: `${device >>> MINOR_BITS}:${minor}` };
}
