/** IP addresses as the bytes of a socket. Pure. */
import { ipAddressOf } from "./ip_address.ts";

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
