/** Unix stream sockets without the runtime's network permission (docs/security.md); waits block a thread. */
import { words } from "../../base/text.ts";
import { nameBytes } from "../../base/bytes.ts";
import { errnoAt, LazyLibrary, LITTLE_ENDIAN } from "../c_library.ts";
import { parentOf } from "../paths.ts";
import {
  AF_UNIX,
  EAGAIN,
  ENOENT,
  O_CLOEXEC,
  O_NONBLOCK,
  O_PATH,
  OWN_OPEN_FLAGS,
  POLLIN,
  POLLOUT,
  SOCK_STREAM,
} from "../syscalls.ts";

const LIBRARY = words(
  "__errno_location socket bind listen connect accept4 getsockopt shutdown recv send open close",
  "pollLater",
);

/** SOCK_NONBLOCK and SOCK_CLOEXEC are the same numbers. */
const FLAGS = O_NONBLOCK | O_CLOEXEC;
const BACKLOG = 16;
const SHUT_RDWR = 2;
const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
/** `struct ucred`: process, user, group. */
const CREDENTIALS_BYTES = 12;
const MSG_NOSIGNAL = 0x4000;
/** Errors of `accept` that pass: a client that is gone (ECONNABORTED), a signal (EINTR). */
const PASSING: readonly number[] = [103, 4];
/** Bytes of a name in `struct sockaddr_un`, without the zero at its end. */
const LONGEST_NAME = 107;
const ECONNREFUSED = 111;

/** Makes sockets; disposal unloads the functions once every socket is closed. */
export class UnixStreams implements Disposable {
  readonly #library = new LazyLibrary(LIBRARY);

  /** Listens at a path that must not exist. @throws {Error} When the system refuses. */
  listen(path: string): UnixListener {
    const { bind, listen, __errno_location } = this.#library.symbols;
    const descriptor = this.#socket();
    const made = this.#withAddress(path, (address) => bind(descriptor, address, address.length));
    if (made === 0 && listen(descriptor, BACKLOG) === 0) return new UnixListener(this.#library, descriptor);
    throw this.#refusal(descriptor, errnoAt(__errno_location()), `listen at "${path}"`);
  }

  /** Undefined: no program listens there. @throws {Error} When the system refuses, as with too many clients. */
  connect(path: string): UnixStream | undefined {
    const { connect, close, __errno_location } = this.#library.symbols;
    const descriptor = this.#socket();
    const made = this.#withAddress(path, (address) => connect(descriptor, address, address.length));
    if (made === 0) return new UnixStream(this.#library, descriptor);
    const errno = errnoAt(__errno_location());
    if (errno !== ENOENT && errno !== ECONNREFUSED) throw this.#refusal(descriptor, errno, `connect to "${path}"`);
    close(descriptor);
    return undefined;
  }

  [Symbol.dispose](): void {
    this.#library[Symbol.dispose]();
  }

  #socket(): number {
    const { socket, __errno_location } = this.#library.symbols;
    const descriptor = socket(AF_UNIX, SOCK_STREAM | FLAGS, 0);
    if (descriptor >= 0) return descriptor;
    throw new Error(`The system gives no socket (errno ${errnoAt(__errno_location())})`);
  }

  #refusal(descriptor: number, errno: number, what: string): Error {
    this.#library.symbols.close(descriptor);
    return new Error(`The system refuses to ${what} (errno ${errno})`);
  }

  /** A path that is too long for an address is expressed through its open directory. */
  #withAddress(path: string, use: (address: Uint8Array<ArrayBuffer>) => number): number {
    const name = nameBytes(path);
    if (name.length <= LONGEST_NAME) return use(addressOf(name));
    const { open, close } = this.#library.symbols;
    const directory = open(nameBytes(`${parentOf(path)}\0`), O_PATH | O_CLOEXEC | OWN_OPEN_FLAGS.directory);
    const result = use(addressOf(nameBytes(`/proc/self/fd/${directory}${path.slice(path.lastIndexOf("/"))}`)));
    close(directory);
    return result;
  }
}

function addressOf(name: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array([AF_UNIX, 0, ...name, 0]);
}

type Library = LazyLibrary<typeof LIBRARY[number]>;

class Socket {
  protected readonly library: Library;
  protected readonly descriptor: number;
  /** Whether it is closing: waiting calls notice it, and the last of them closes the descriptor. */
  protected isOver = false;
  #waiting = 0;
  #isClosed = false;

  constructor(library: Library, descriptor: number) {
    this.library = library;
    this.descriptor = descriptor;
  }

  /** Closes the socket; waiting calls return. */
  close(): void {
    if (!this.isOver) this.library.symbols.shutdown(this.descriptor, SHUT_RDWR);
    this.isOver = true;
    this.#closeIfUnused();
  }

  protected errno(): number {
    return errnoAt(this.library.symbols.__errno_location());
  }

  protected async wait(events: number): Promise<void> {
    this.#waiting++;
    await this.library.symbols.pollLater(new Int32Array([this.descriptor, events]), 1n, -1);
    this.#waiting--;
    if (this.isOver) this.#closeIfUnused();
  }

  #closeIfUnused(): void {
    if (this.#waiting > 0 || this.#isClosed) return;
    this.#isClosed = true;
    this.library.symbols.close(this.descriptor);
  }
}

/** A socket that accepts connections. */
export class UnixListener extends Socket {
  /** The next connection; undefined: the socket is closed, or the system refuses. */
  async accept(): Promise<UnixStream | undefined> {
    while (!this.isOver) {
      const descriptor = this.library.symbols.accept4(this.descriptor, null, null, FLAGS);
      if (descriptor >= 0) return new UnixStream(this.library, descriptor);
      const errno = this.errno();
      if (errno === EAGAIN) await this.wait(POLLIN);
      else if (!PASSING.includes(errno)) return undefined;
    }
    return undefined;
  }
}

/** One connection. */
export class UnixStream extends Socket {
  /** The user at the other end, as the kernel knows it; undefined: unknown. */
  get peerUser(): number | undefined {
    return this.#peer(4);
  }

  /** The process that connected, or listens, at the other end; undefined or 0: unknown. */
  get peerProcess(): number | undefined {
    return this.#peer(0);
  }

  /** Reads the next bytes into a buffer and returns their number; 0: either end is closed. */
  async read(into: Uint8Array<ArrayBuffer>): Promise<number> {
    while (!this.isOver) {
      const length = Number(this.library.symbols.recv(this.descriptor, into, BigInt(into.length), 0));
      if (length >= 0) return length;
      if (this.errno() !== EAGAIN) return 0;
      await this.wait(POLLIN);
    }
    return 0;
  }

  /** Writes all bytes; false: either end is closed. */
  async write(bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
    for (let rest = bytes; rest.length > 0;) {
      if (this.isOver) return false;
      const length = Number(this.library.symbols.send(this.descriptor, rest, BigInt(rest.length), MSG_NOSIGNAL));
      if (length >= 0) rest = rest.subarray(length);
      else if (this.errno() !== EAGAIN) return false;
      else await this.wait(POLLOUT);
    }
    return true;
  }

  #peer(at: number): number | undefined {
    const credentials = new Uint8Array(CREDENTIALS_BYTES);
    const length = new Uint32Array([CREDENTIALS_BYTES]);
    const { getsockopt } = this.library.symbols;
    if (getsockopt(this.descriptor, SOL_SOCKET, SO_PEERCRED, credentials, length) !== 0) return undefined;
    return new DataView(credentials.buffer).getUint32(at, LITTLE_ENDIAN);
  }
}
