/**
 * A network in which every name has an address of ours (S30): each address of two ranges is local to it, so that every
 * connection there ends at a listener, and nothing else leads out. The server takes the listeners over.
 */
import { LITTLE_ENDIAN } from "../../../system/c_library.ts";
import { AF_INET, O_CLOEXEC, SOCK_STREAM } from "../../../system/syscalls.ts";
import type { Draft } from "./identity_steps.ts";
import { raiseLoopback } from "./network_steps.ts";

const STEP = "make a network by name";
const SOCK_DGRAM = 2;
const SOCK_RAW = 3;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
const SOL_IPV6 = 41;
const IPV6_V6ONLY = 26;
const BACKLOG = 4096;
const DNS_PORT = 53;
const NETLINK_FD = 99;
/** The first descriptor that the server takes over: DNS over UDP, DNS over TCP, then a listener for each port. */
export const FIRST_LISTENER_FD = 100;

/** Addresses that are local to the network: all of them end at its listeners. */
export interface LocalRange {
  /** Four bytes, or sixteen. */
  readonly address: Uint8Array;
  /** Bits of the address that all of the range have. */
  readonly bits: number;
}

/** What the network has. */
export interface NamedNetworkPlan {
  readonly ports: readonly number[];
  readonly ranges: readonly LocalRange[];
  /** The kernel knows IPv6. False: ranges of it are left out. */
  readonly ipv6: boolean;
}

/** Adds the steps, which want the capabilities of a new network; the listeners stay open. */
export function makeNamedNetwork(draft: Draft, { ports, ranges, ipv6 }: NamedNetworkPlan): void {
  const { table, sys } = draft;
  raiseLoopback(draft);
  const netlink = table.call(STEP, sys.socket, [AF_NETLINK, SOCK_RAW | O_CLOEXEC, NETLINK_ROUTE]);
  table.passOn(netlink, table.call(STEP, sys.dup3, [0, NETLINK_FD, O_CLOEXEC]));
  for (const range of ranges) if (ipv6 || range.address.length === 4) addRange(draft, range);
  const resolver = inet(LOOPBACK, DNS_PORT);
  listenAt(draft, FIRST_LISTENER_FD, { family: AF_INET, kind: SOCK_DGRAM, address: resolver });
  listenAt(draft, FIRST_LISTENER_FD + 1, { family: AF_INET, kind: SOCK_STREAM, address: resolver });
  ports.forEach((port, index) => {
    const place = ipv6
      ? { family: AF_INET6, kind: SOCK_STREAM, address: inet6(port) }
      : { family: AF_INET, kind: SOCK_STREAM, address: inet(ANY, port) };
    listenAt(draft, FIRST_LISTENER_FD + 2 + index, place);
  });
}

interface ListeningPlace {
  readonly family: number;
  readonly kind: number;
  readonly address: Uint8Array;
}

function listenAt({ table, sys }: Draft, descriptor: number, { family, kind, address }: ListeningPlace): void {
  const socket = table.call(STEP, sys.socket, [family, kind | O_CLOEXEC, 0]);
  table.passOn(socket, table.call(STEP, sys.dup3, [0, descriptor, O_CLOEXEC]));
  // Connections to addresses of IPv4 come to it too.
  if (family === AF_INET6) {
    table.call(STEP, sys.setsockopt, [descriptor, SOL_IPV6, IPV6_V6ONLY, table.words(0), 4]);
  }
  table.call(STEP, sys.bind, [descriptor, table.bytes(address), address.length]);
  if (kind === SOCK_STREAM) table.call(STEP, sys.listen, [descriptor, BACKLOG]);
}

const LOOPBACK = [127, 0, 0, 1] as const;
const ANY = [0, 0, 0, 0] as const;

/** `struct sockaddr_in` */
function inet(address: readonly number[], port: number): Uint8Array {
  return new Uint8Array([AF_INET, 0, port >> 8, port & 255, ...address, 0, 0, 0, 0, 0, 0, 0, 0]);
}

/** `struct sockaddr_in6` for every address. */
function inet6(port: number): Uint8Array {
  const bytes = new Uint8Array(28);
  bytes.set([AF_INET6, 0, port >> 8, port & 255]);
  return bytes;
}

const RTM_NEWROUTE = 24;
/** NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE */
const CREATE_AND_ANSWER = 0x405;
const RT_TABLE_LOCAL = 255;
const RTPROT_STATIC = 4;
const RT_SCOPE_HOST = 254;
const RTN_LOCAL = 2;
const RTA_DST = 1;
const RTA_OIF = 4;
/** That of the loopback in every network. */
const LOOPBACK_INDEX = 1;
/** `struct nlmsghdr`, `struct rtmsg`, `struct rtattr`. */
const [HEADER_BYTES, ROUTE_BYTES, ATTRIBUTE_BYTES] = [16, 12, 4];
/** An answer that says "done": a header, a number, and the header that it answers. One that says more is longer. */
const ACKNOWLEDGED_BYTES = 36;

function addRange({ table, sys }: Draft, range: LocalRange): void {
  const message = routeMessage(range);
  const step = `${STEP}: addresses of ${range.address.length === 4 ? "IPv4" : "IPv6"}`;
  // A kernel may have IPv6 and refuse its addresses; programs then use the others.
  const soft = range.address.length === 4 ? {} : { mode: "soft" } as const;
  table.call(step, sys.write, [NETLINK_FD, table.bytes(message), message.length], soft);
  const answer = table.bytes(new Uint8Array(256));
  const expected = range.address.length === 4 ? { mode: "equals", expect: ACKNOWLEDGED_BYTES } as const : soft;
  table.call(step, sys.read, [NETLINK_FD, answer, 256], expected);
}

/** A message of rtnetlink(7): the range is local, by way of the loopback. */
export function routeMessage({ address, bits }: LocalRange): Uint8Array {
  const isIpv4 = address.length === 4;
  const bytes = new Uint8Array(HEADER_BYTES + ROUTE_BYTES + ATTRIBUTE_BYTES + address.length + ATTRIBUTE_BYTES + 4);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.length, LITTLE_ENDIAN);
  view.setUint16(4, RTM_NEWROUTE, LITTLE_ENDIAN);
  view.setUint16(6, CREATE_AND_ANSWER, LITTLE_ENDIAN);
  view.setUint32(8, 1, LITTLE_ENDIAN);
  const scope = isIpv4 ? RT_SCOPE_HOST : 0;
  bytes.set([isIpv4 ? AF_INET : AF_INET6, bits, 0, 0, RT_TABLE_LOCAL, RTPROT_STATIC, scope, RTN_LOCAL], HEADER_BYTES);
  let at = HEADER_BYTES + ROUTE_BYTES;
  view.setUint16(at, ATTRIBUTE_BYTES + address.length, LITTLE_ENDIAN);
  view.setUint16(at + 2, RTA_DST, LITTLE_ENDIAN);
  bytes.set(address, at + ATTRIBUTE_BYTES);
  at += ATTRIBUTE_BYTES + address.length;
  view.setUint16(at, ATTRIBUTE_BYTES + 4, LITTLE_ENDIAN);
  view.setUint16(at + 2, RTA_OIF, LITTLE_ENDIAN);
  view.setUint32(at + ATTRIBUTE_BYTES, LOOPBACK_INDEX, LITTLE_ENDIAN);
  return bytes;
}
