/** A network of the command's own (S6): empty, or with a loopback that nothing outside shares. */
import type { Confinement, Network } from "../../policy/confinement.ts";
import type { SandboxPolicy } from "../../policy/policy.ts";
import type { Draft } from "./identity_steps.ts";
import { AF_INET, AT_FDCWD, CLONE_NEWNET, CLONE_NEWUSER, O_CLOEXEC, SOCK_STREAM } from "../../../system/syscalls.ts";

const AF_INET6 = 10;
/** How many are created at a time, and the first of their descriptors. */
export const [SOCKETS, FIRST_SOCKET_FD] = [32, 100] as const;
const SOCK_DGRAM_CLOEXEC = 0x80002;
const SIOCSIFFLAGS = 0x8914;
const IFF_UP = 1;
/** `struct ifreq`: the name in 16 bytes, then the flags; 40 bytes in all. */
const REQUEST_BYTES = 40;
const NAME_BYTES = 16;

/** The steps by name, for callers that continue without a private network. */
export const NETWORK_STEP = "enter a network of its own";

/** A network namespace that the server made once for all commands and holds open. */
export interface SharedNetwork {
  /** Which commands stand in it: nothing is in the network of `none`. */
  readonly kind: Exclude<Network, "full">;
  /** Where the launcher opens the namespace. */
  readonly network: string;
  /** Of an ordinary user: the user namespace that owns it, in which alone it may be entered. */
  readonly user: string | undefined;
}

/**
 * Whether a session's commands share a network: one by name always, an empty one because making it takes longest. In an
 * empty one no interface is up, and the filter lets them make Unix sockets at most, of a file or a name that Landlock
 * keeps from others.
 */
export function canShareNetwork({ namespaces, confinement }: SandboxPolicy): boolean {
  const { network, ownNetwork, filter, unixSockets, sharesLoopback } = confinement;
  if (network === "names" || network === "localhost" && sharesLoopback === true) return namespaces && ownNetwork;
  return namespaces && ownNetwork && filter && network === "none" && unixSockets !== "allow";
}

/** Adds steps that make unconnected sockets of TCP, which the server takes over by their numbers. */
export function makeSockets({ table, sys }: Draft, family: 4 | 6): void {
  for (let at = 0; at < SOCKETS; at++) {
    const kind = [family === 4 ? AF_INET : AF_INET6, SOCK_STREAM | O_CLOEXEC, 0];
    table.passOn(
      table.call("make a socket", sys.socket, kind),
      table.call("make a socket", sys.dup3, [0, FIRST_SOCKET_FD + at, O_CLOEXEC]),
    );
  }
}

/** Before the own user namespace, which would have no rights over it. */
export function joinNetwork({ table, sys }: Draft, { network, user }: SharedNetwork): void {
  // Both are opened first: in the other user namespace the server's descriptors are out of reach.
  const paths = user === undefined ? [network] : [user, network];
  const opened = paths.map((path) => table.call(NETWORK_STEP, sys.openat, [AT_FDCWD, table.text(path), O_CLOEXEC, 0]));
  for (const fd of opened) {
    const kind = user !== undefined && fd === opened[0] ? CLONE_NEWUSER : CLONE_NEWNET;
    table.passOn(fd, table.call(NETWORK_STEP, sys.setns, [0, kind]));
  }
}

/** Wants the capabilities of a new user namespace, or root's. */
export function enterNetwork(draft: Draft, { network, ownNetwork }: Confinement): void {
  if (!ownNetwork) return;
  draft.table.call(NETWORK_STEP, draft.sys.unshare, [CLONE_NEWNET]);
  if (network === "localhost") raiseLoopback(draft);
}

/** The loopback of a new network is down. */
export function raiseLoopback({ table, sys }: Draft): void {
  const request = new Uint8Array(REQUEST_BYTES);
  new TextEncoder().encodeInto("lo", request);
  request[NAME_BYTES] = IFF_UP;
  const socket = table.call(NETWORK_STEP, sys.socket, [AF_INET, SOCK_DGRAM_CLOEXEC, 0]);
  const up = table.call(NETWORK_STEP, sys.ioctl, [0, SIOCSIFFLAGS, table.bytes(request)]);
  table.passOn(socket, up);
}
