/** Which addresses the web tools reach: public ones, so that no page leads into this machine or its network (K5). */

/** IANA's registries of special-purpose addresses. */
const SPECIAL_IPV4: readonly (readonly [network: string, bits: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
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
/** Networks that hold IPv4 addresses are all left out: what is public has an address of its own. */
const SPECIAL_IPV6: readonly (readonly [network: string, bits: number])[] = [
  ["::", 96],
  ["::ffff:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 9],
  ["ff00::", 8],
];

/** Whether an address, as the resolver writes it, is reached over the public internet. */
export async function publicAddresses(): Promise<(address: string) => boolean> {
  const { BlockList, isIP } = await import("node:net");
  const special4 = new BlockList();
  const special6 = new BlockList();
  for (const [network, bits] of SPECIAL_IPV4) special4.addSubnet(network, bits, "ipv4");
  for (const [network, bits] of SPECIAL_IPV6) special6.addSubnet(network, bits, "ipv6");
  return (address) => {
    const plain = address.split("%")[0] ?? "";
    const version = isIP(plain);
    if (version === 4) return !special4.check(plain, "ipv4");
    return version === 6 && !special6.check(plain, "ipv6");
  };
}
