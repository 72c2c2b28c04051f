/** A network of the command's own (S6): empty, or with a loopback that nothing outside shares. */
import type { Confinement } from "../../policy/confinement.ts";
import type { Draft } from "./identity_steps.ts";
import { AF_INET, CLONE_NEWNET } from "../../../system/syscalls.ts";

const SOCK_DGRAM_CLOEXEC = 0x80002;
const SIOCSIFFLAGS = 0x8914;
const IFF_UP = 1;
/** `struct ifreq`: the name in 16 bytes, then the flags; 40 bytes in all. */
const REQUEST_BYTES = 40;
const NAME_BYTES = 16;

/** The steps by name, for those who go on without a network of their own. */
export const NETWORK_STEP = "enter a network of its own";

/** Wants the capabilities of a new user namespace, or root's. */
export function enterNetwork({ table, sys }: Draft, { network, ownNetwork }: Confinement): void {
  if (!ownNetwork) return;
  table.call(NETWORK_STEP, sys.unshare, [CLONE_NEWNET]);
  if (network !== "localhost") return;
  const request = new Uint8Array(REQUEST_BYTES);
  new TextEncoder().encodeInto("lo", request);
  request[NAME_BYTES] = IFF_UP;
  const socket = table.call(NETWORK_STEP, sys.socket, [AF_INET, SOCK_DGRAM_CLOEXEC, 0]);
  const up = table.call(NETWORK_STEP, sys.ioctl, [0, SIOCSIFFLAGS, table.bytes(request)]);
  table.passOn(socket, up);
}
