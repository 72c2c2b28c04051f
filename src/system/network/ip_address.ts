/** IP addresses as numbers, parsed from any spelling that URLs, resolvers or people use. Pure. */

export interface IpAddress {
  readonly version: 4 | 6;
  readonly value: bigint;
}

export interface IpNetwork {
  readonly first: IpAddress;
  /** Length of the prefix in bits. */
  readonly bits: number;
}

/** `127.1`, `0x7f000001`, `[::ffff:7f00:1]`, `fe80::1%eth0` are addresses. Undefined: it is a name, or not a host. */
export function ipAddressOf(text: string): IpAddress | undefined {
  const plain = text.replaceAll(/^\[|\]$/g, "");
  const host = plain.includes(":") ? `[${plain.replace(/%.*/s, "")}]` : plain;
  if (/[/?#@\\]/.test(host) || !URL.canParse(`http://${host}/`)) return undefined;
  // The URL parser brings each address into its canonical form.
  const { hostname } = new URL(`http://${host}/`);
  if (hostname.startsWith("[")) return { version: 6, value: BigInt(`0x${groupsOf(hostname.slice(1, -1))}`) };
  if (!/^\d+(?:\.\d+){3}$/.test(hostname)) return undefined;
  return ipv4(hostname.split(".").reduce((value, part) => value * 256n + BigInt(part), 0n));
}

/** Parses a network such as `10.0.0.0/8`. @throws {TypeError} when it is not one */
export function ipNetworkOf(text: string): IpNetwork {
  const [address = "", bits] = text.split("/");
  const first = ipAddressOf(address);
  if (first === undefined) throw new TypeError(`Not a network: ${text}`);
  return { first, bits: Number(bits) };
}

export function isInNetwork({ version, value }: IpAddress, { first, bits }: IpNetwork): boolean {
  const rest = BigInt((version === 4 ? 32 : 128) - bits);
  return first.version === version && first.value >> rest === value >> rest;
}

/** The last 32 bits as an address. */
export function ipv4(value: bigint): IpAddress {
  return { version: 4, value: BigInt.asUintN(32, value) };
}

/** The 32 hexadecimal digits of an IPv6 address as the URL parser writes it. */
function groupsOf(text: string): string {
  const [before = [], after = []] = text.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].map((group) => group.padStart(4, "0")).join("");
}

/** Four bytes as an address of IPv4, sixteen as one of IPv6, in the spelling of the URL parser. */
export function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const groups = Array.from({ length: 8 }, (_, at) => view.getUint16(2 * at).toString(16));
  return new URL(`http://[${groups.join(":")}]/`).hostname.slice(1, -1);
}

/** The bytes of an address in any spelling; undefined: it is not an address. */
export function bytesOfAddress(text: string): Uint8Array<ArrayBuffer> | undefined {
  const address = ipAddressOf(text);
  if (address === undefined) return undefined;
  const bits = address.version === 4 ? 32 : 128;
  return Uint8Array.from({ length: bits / 8 }, (_, at) => Number(address.value >> BigInt(bits - 8 * (at + 1)) & 255n));
}
