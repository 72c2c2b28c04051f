/**
 * Which addresses the public internet reaches: the only list of private and special networks of this program. It decides
 * for OAuth, for web tools, and for addresses that servers ask a person to open. Pure.
 */

interface Address {
  readonly version: 4 | 6;
  readonly value: bigint;
}

type Networks = readonly (readonly [first: string, bits: number])[];

/** IANA's special-purpose IPv4 addresses, multicast, what is reserved, and the host of Azure below each machine. */
const SPECIAL_IPV4: Networks = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];
/** All of IPv6 that is given out for the internet; what is private, local or multicast lies outside. */
const GLOBAL_IPV6: Networks = [["2000::", 3]];
/** In it: protocols of the IETF (Teredo, ORCHID, benchmarks), documentation, and 6to4. */
const SPECIAL_IPV6: Networks = [["2001::", 23], ["2001:db8::", 32], ["2002::", 16], ["3fff::", 20]];
/** They hold an IPv4 address, to which a connection really goes: mapped ones, and those of NAT64. */
const HOLDING_IPV4: Networks = [["::ffff:0:0", 96], ["64:ff9b::", 96]];

/** Names that no public host has, or that lead to the metadata of a cloud. */
const PRIVATE_NAME =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|metadata\.goog)$/;

/**
 * Whether a connection to an IP address goes over the public internet. It takes every spelling of a URL, a resolver or a
 * person: `127.1`, `0x7f000001`, `[::ffff:7f00:1]`, `fe80::1%eth0`. False for a name.
 */
export function isPublicAddress(text: string): boolean {
  const address = addressOf(text);
  return address !== undefined && isPublic(address);
}

/** Whether a host, as a URL has it, is an IP address in any spelling. */
export function isAddress(host: string): boolean {
  return addressOf(host) !== undefined;
}

/** Whether a host is an address that is not public, or has a name of this machine or a private network.. */
export function isPrivateHost(host: string): boolean {
  const address = addressOf(host);
  if (address !== undefined) return !isPublic(address);
  const name = nameOf(host);
  return PRIVATE_NAME.test(name) || !name.includes(".");
}

/** Whether a request to this host stays on this machine.. */
export function isLoopbackHost(host: string): boolean {
  const address = addressOf(host);
  if (address !== undefined) return isIn(address, [["127.0.0.0", 8], ["::1", 128]]);
  return /(?:^|\.)localhost$/.test(nameOf(host));
}

function isPublic(address: Address): boolean {
  const held = isIn(address, HOLDING_IPV4) ? ipv4(address.value) : address;
  return held.version === 4 ? !isIn(held, SPECIAL_IPV4) : isIn(held, GLOBAL_IPV6) && !isIn(held, SPECIAL_IPV6);
}

function isIn({ version, value }: Address, networks: Networks): boolean {
  return networks.some(([first, bits]) => {
    const network = addressOf(first);
    const rest = BigInt((version === 4 ? 32 : 128) - bits);
    return network?.version === version && network.value >> rest === value >> rest;
  });
}

/** The last 32 bits as an address. */
function ipv4(value: bigint): Address {
  return { version: 4, value: BigInt.asUintN(32, value) };
}

/** A name as names are compared: in small letters, and without the dot of the root. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

/** Undefined: it is a name, or not a host. */
function addressOf(text: string): Address | undefined {
  const plain = text.replaceAll(/^\[|\]$/g, "");
  const host = plain.includes(":") ? `[${plain.replace(/%.*/s, "")}]` : plain;
  if (/[/?#@\\]/.test(host) || !URL.canParse(`http://${host}/`)) return undefined;
  // The URL parser writes each address in one way only.
  const { hostname } = new URL(`http://${host}/`);
  if (hostname.startsWith("[")) return { version: 6, value: BigInt(`0x${groupsOf(hostname.slice(1, -1))}`) };
  if (!/^\d+(?:\.\d+){3}$/.test(hostname)) return undefined;
  return ipv4(hostname.split(".").reduce((value, part) => value * 256n + BigInt(part), 0n));
}

/** The 32 hexadecimal digits of an IPv6 address as the URL parser writes it. */
function groupsOf(text: string): string {
  const [before = [], after = []] = text.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].map((group) => group.padStart(4, "0")).join("");
}
