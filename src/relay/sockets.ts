/** Kernel sockets (socket(7), tcp(7)): the runtime cannot take over sockets of another process. */
import { words } from "../base/text.ts";
import { errnoAt, LazyLibrary, LITTLE_ENDIAN } from "../system/c_library.ts";
import { AF_INET, O_CLOEXEC, SOCK_STREAM } from "../system/syscalls.ts";

const LIBRARY = words(
  "__errno_location socket bind listen connect accept4 getsockname getsockopt setsockopt recvfrom",
  "sendto recv send shutdown close fcntl",
);

const AF_INET6 = 10;
const SOCK_NONBLOCK = 0x800;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const F_SETFL = 4;
const O_NONBLOCK = 0x800;
const SOL_SOCKET = 1;
const SO_REUSEADDR = 2;
const SO_ERROR = 4;
const SO_KEEPALIVE = 9;
const SO_LINGER = 13;
const IPPROTO_TCP = 6;
const TCP_NODELAY = 1;
const SHUT_WR = 1;
const EAGAIN = 11;
const EINTR = 4;
const EINPROGRESS = 115;
/** ENFILE, EMFILE */
const WITHOUT_DESCRIPTOR: readonly number[] = [23, 24];
const BACKLOG = 4096;
/** `struct sockaddr_in6`, the longer one. */
const ADDRESS_BYTES = 28;

/** An address and a port of TCP or UDP. */
export interface Endpoint {
  /** Four bytes, or sixteen; an address of IPv4 is never written as one of IPv6. */
  readonly address: Uint8Array;
  readonly port: number;
}

/** A command's end of something. */
export type CommandSide = Endpoint & { readonly protocol: "udp" | "tcp" };

/** What a call transferred: bytes, `blocked` if the kernel has or accepts nothing now, or an error number. */
export type Transfer = { readonly bytes: number } | "blocked" | { readonly errno: number };

/** A descriptor, or the number of an error. */
export type Opened = { readonly socket: number } | { readonly errno: number };

export class Sockets implements Disposable {
  readonly #library = new LazyLibrary(LIBRARY);
  readonly #name = new Uint8Array(ADDRESS_BYTES);
  readonly #length = new Uint32Array(1);
  /** A spare descriptor, closed to accept a connection that must be cut off. */
  #spare = this.#newSpare();

  /** Makes a descriptor that was taken over non-blocking and without delay; accepted connections inherit this. */
  adopt(descriptor: number): void {
    this.#library.symbols.fcntl(descriptor, F_SETFL, BigInt(O_NONBLOCK));
    this.#set(descriptor, IPPROTO_TCP, TCP_NODELAY, [1]);
  }

  /**
   * The next connection of a listener, and where it comes from; undefined: none waits. If this process has no
   * descriptor left, the connection is cut off: it would be reported again and again.
   */
  accept(listener: number): { readonly socket: number; readonly from: Endpoint } | undefined {
    const socket = this.#accept(listener);
    if (socket >= 0) return { socket, from: endpointOf(this.#name) };
    if (WITHOUT_DESCRIPTOR.includes(this.#errno())) this.#cutOff(listener);
    return undefined;
  }

  #accept(listener: number): number {
    this.#length[0] = ADDRESS_BYTES;
    return this.#library.symbols.accept4(listener, this.#name, this.#length, SOCK_NONBLOCK | O_CLOEXEC);
  }

  #cutOff(listener: number): void {
    if (this.#spare >= 0) this.close(this.#spare);
    const socket = this.#accept(listener);
    if (socket >= 0) this.reset(socket);
    this.#spare = this.#newSpare();
  }

  #newSpare(): number {
    return this.#library.symbols.socket(AF_INET, SOCK_STREAM | O_CLOEXEC, 0);
  }

  /** Where a connection was meant to go. */
  ownEnd(socket: number): Endpoint {
    this.#length[0] = ADDRESS_BYTES;
    this.#library.symbols.getsockname(socket, this.#name, this.#length);
    return endpointOf(this.#name);
  }

  /** A socket that accepts connections to a place of this machine; an error number if there can be none. */
  listen(at: Endpoint): Opened {
    const { bind, listen } = this.#library.symbols;
    const socket = this.#open(at);
    if (socket < 0) return { errno: this.#errno() };
    this.#set(socket, SOL_SOCKET, SO_REUSEADDR, [1]); // connections of an earlier server may still be on their way out
    this.#set(socket, IPPROTO_TCP, TCP_NODELAY, [1]);
    const name = nameOf(at);
    if (bind(socket, name, name.length) === 0 && listen(socket, BACKLOG) === 0) return { socket };
    const errno = this.#errno();
    this.close(socket);
    return { errno };
  }

  /** Starts a connection, which is made when its descriptor becomes writable; an error number if none can start. */
  dial(to: Endpoint): Opened {
    const socket = this.#open(to);
    return socket < 0 ? { errno: this.#errno() } : this.connect(socket, to);
  }

  /** The same with a socket of the place's family, which stays in the network in which it was made. */
  connect(socket: number, to: Endpoint): Opened {
    const name = nameOf(to);
    const errno = this.#library.symbols.connect(socket, name, name.length) === 0 ? 0 : this.#errno();
    if (errno !== 0 && errno !== EINPROGRESS) {
      this.close(socket);
      return { errno };
    }
    this.#set(socket, IPPROTO_TCP, TCP_NODELAY, [1]);
    this.#set(socket, SOL_SOCKET, SO_KEEPALIVE, [1]);
    return { socket };
  }

  /** The error of a connection since the last call; 0: none. */
  errorOf(socket: number): number {
    const value = new Int32Array(1);
    this.#length[0] = 4;
    this.#library.symbols.getsockopt(socket, SOL_SOCKET, SO_ERROR, value, this.#length);
    return value[0] ?? 0;
  }

  /** Reads what has come; 0 bytes: the other end sends no more. */
  receive(socket: number, into: Uint8Array<ArrayBuffer>): Transfer {
    return this.#transferred(this.#library.symbols.recv(socket, into, BigInt(into.length), MSG_DONTWAIT));
  }

  send(socket: number, bytes: Uint8Array<ArrayBuffer>): Transfer {
    return this.#transferred(
      this.#library.symbols.send(socket, bytes, BigInt(bytes.length), MSG_DONTWAIT | MSG_NOSIGNAL),
    );
  }

  /** The next datagram, and where its answer goes; undefined: none waits. */
  receiveFrom(socket: number, into: Uint8Array<ArrayBuffer>):
    | { readonly bytes: number; readonly from: Endpoint }
    | undefined {
    this.#length[0] = ADDRESS_BYTES;
    const { recvfrom } = this.#library.symbols;
    const bytes = Number(recvfrom(socket, into, BigInt(into.length), MSG_DONTWAIT, this.#name, this.#length));
    return bytes < 0 ? undefined : { bytes, from: endpointOf(this.#name) };
  }

  /** Sends a datagram, or loses it. */
  sendTo(socket: number, bytes: Uint8Array<ArrayBuffer>, to: Endpoint): void {
    const name = nameOf(to);
    this.#library.symbols.sendto(
      socket,
      bytes,
      BigInt(bytes.length),
      MSG_DONTWAIT | MSG_NOSIGNAL,
      name,
      name.length,
    );
  }

  /** Says that nothing more is sent. */
  endSending(socket: number): void {
    this.#library.symbols.shutdown(socket, SHUT_WR);
  }

  close(descriptor: number): void {
    this.#library.symbols.close(descriptor);
  }

  /** Resets a connection, so that the other end sees that it was cut off. */
  reset(socket: number): void {
    this.#set(socket, SOL_SOCKET, SO_LINGER, [1, 0]);
    this.close(socket);
  }

  [Symbol.dispose](): void {
    if (this.#spare >= 0) this.close(this.#spare);
    this.#library[Symbol.dispose]();
  }

  /** A socket for a place of its family; below zero: the system gives none. */
  #open({ address }: Endpoint): number {
    const family = address.length === 4 ? AF_INET : AF_INET6;
    return this.#library.symbols.socket(family, SOCK_STREAM | SOCK_NONBLOCK | O_CLOEXEC, 0);
  }

  #set(socket: number, level: number, option: number, words: readonly number[]): void {
    const value = new Int32Array(words);
    this.#library.symbols.setsockopt(socket, level, option, value, value.byteLength);
  }

  #transferred(result: number | bigint): Transfer {
    if (result >= 0) return { bytes: Number(result) };
    const errno = this.#errno();
    return errno === EAGAIN || errno === EINTR ? "blocked" : { errno };
  }

  #errno(): number {
    return errnoAt(this.#library.symbols.__errno_location());
  }
}

/** `::ffff:0:0/96`, as numbers of 32 bits. */
const MAPPED = [0, 0, 0xffff] as const;

/** What `struct sockaddr_in` or `struct sockaddr_in6` says; an address of IPv4 in the latter is shown as one. */
function endpointOf(name: Uint8Array): Endpoint {
  const view = new DataView(name.buffer, name.byteOffset);
  const port = view.getUint16(2);
  if (view.getUint16(0, LITTLE_ENDIAN) === AF_INET) return { address: name.slice(4, 8), port };
  const isMapped = MAPPED.every((word, at) => view.getUint32(8 + 4 * at) === word);
  return { address: isMapped ? name.slice(20, 24) : name.slice(8, 24), port };
}

function nameOf({ address, port }: Endpoint): Uint8Array<ArrayBuffer> {
  const isIpv4 = address.length === 4;
  const name = new Uint8Array(isIpv4 ? 16 : ADDRESS_BYTES);
  const view = new DataView(name.buffer);
  view.setUint16(0, isIpv4 ? AF_INET : AF_INET6, LITTLE_ENDIAN);
  view.setUint16(2, port);
  name.set(address, isIpv4 ? 4 : 8);
  return name;
}
