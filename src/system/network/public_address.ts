/** Whether a host, by address or name, is on the public internet. Pure. */
import { addressClass } from "./address_class.ts";
import { ipAddressOf, ipNetworkOf, isInNetwork } from "./ip_address.ts";

/** Names that public hosts do not have, and names of cloud metadata services. */
const PRIVATE_NAME =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|metadata\.goog)$/;
/** Addresses that contain an IPv4 address are left out, because a gateway may route them elsewhere. */
const LOOPBACK = ["127.0.0.0/8", "::1/128"];

/**
 * Whether a connection to an IP address goes over the public internet. It takes every spelling of a URL, a resolver or a
 * person: `127.1`, `0x7f000001`, `[::ffff:7f00:1]`, `fe80::1%eth0`. False for a name.
 */
export function isPublicAddress(text: string): boolean {
  return addressClass(text) === "public";
}

/** Whether a host, as a URL has it, is an IP address in any spelling. */
export function isAddress(host: string): boolean {
  return addressClass(host) !== undefined;
}

/** Whether a host is a non-public address, or a name of this machine or a private network. */
export function isPrivateHost(host: string): boolean {
  const found = addressClass(host);
  if (found !== undefined) return found !== "public";
  const name = nameOf(host);
  return PRIVATE_NAME.test(name) || !name.includes(".");
}

/** Whether a request to this host stays on this machine. */
export function isLoopbackHost(host: string): boolean {
  const address = ipAddressOf(host);
  if (address !== undefined) return LOOPBACK.some((network) => isInNetwork(address, ipNetworkOf(network)));
  return /(?:^|\.)localhost$/.test(nameOf(host));
}

/** A name in the form for comparisons: lower case, without the trailing dot. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}
