/** The addresses of this machine, which change with networks, VPNs and containers. */
import { words } from "../../base/text.ts";
import { errnoAt, LazyLibrary, LITTLE_ENDIAN } from "../c_library.ts";
import { AF_NETLINK, EAGAIN, O_CLOEXEC } from "../syscalls.ts";
import { reachedAddress } from "./address_class.ts";
import type { IpAddress } from "./ip_address.ts";

const LIBRARY = words("socket bind recv close __errno_location");

const SOCK_RAW = 3;
const SOCK_NONBLOCK = 0x800;
const NETLINK_ROUTE = 0;
/** RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV6_IFADDR */
const GROUPS = 0x1 | 0x10 | 0x100;
const NEWS_BYTES = 4096;

/** Caches the addresses, read (0.1 ms) after the kernel reports a change (netlink(7)), else each time. */
export class OwnAddresses implements Disposable {
  readonly #library = new LazyLibrary(LIBRARY);
  readonly #news = new Uint8Array(NEWS_BYTES);
  readonly #socket: number | undefined;
  #kept: readonly IpAddress[] | undefined;

  constructor() {
    this.#socket = this.#subscribe();
  }

  /** The current addresses of all interfaces. @throws {Deno.errors.NotCapable} without `--allow-sys` */
  now(): readonly IpAddress[] {
    const hasChanged = this.#hasChanged();
    if (this.#kept === undefined || hasChanged) this.#kept = ownAddresses();
    return this.#kept;
  }

  [Symbol.dispose](): void {
    if (this.#socket !== undefined) this.#library.symbols.close(this.#socket);
    this.#library[Symbol.dispose]();
  }

  /** Undefined: the kernel does not report changes. */
  #subscribe(): number | undefined {
    const { socket: open, bind, close } = this.#library.symbols;
    const socket = open(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | O_CLOEXEC, NETLINK_ROUTE);
    if (socket < 0) return undefined;
    const name = new Uint8Array(12);
    const view = new DataView(name.buffer);
    view.setUint16(0, AF_NETLINK, LITTLE_ENDIAN);
    view.setUint32(8, GROUPS, LITTLE_ENDIAN);
    if (bind(socket, name, name.length) === 0) return socket;
    close(socket);
    return undefined;
  }

  /** Everything but EAGAIN counts as a change: a message, a lost message, and any other error. */
  #hasChanged(): boolean {
    const socket = this.#socket;
    if (socket === undefined) return true;
    const read = () => Number(this.#library.symbols.recv(socket, this.#news, BigInt(NEWS_BYTES), 0));
    let hasChanged = false;
    for (let reads = 0; reads < MOST_NEWS; reads++) {
      if (read() < 0 && this.#errno() === EAGAIN) return hasChanged;
      hasChanged = true;
    }
    return true;
  }

  #errno(): number {
    return errnoAt(this.#library.symbols.__errno_location());
  }
}

/** At most this many messages are read at once; the others are read the next time. */
const MOST_NEWS = 64;

/** The addresses of all interfaces of this machine, read now. @throws {Deno.errors.NotCapable} without `--allow-sys` */
export function ownAddresses(): readonly IpAddress[] {
  return Deno.networkInterfaces().flatMap(({ address }) => reachedAddress(address) ?? []);
}
