/** What an IP address leads to: this program's only list of private and special networks. Pure. */
import { lazy } from "../../base/lazy.ts";
import { words } from "../../base/text.ts";
import { type IpAddress, ipAddressOf, type IpNetwork, ipNetworkOf, ipv4, isInNetwork } from "./ip_address.ts";

export type AddressClass = "public" | keyof typeof NETWORKS;

/** The class of an address is the first one with a network that holds it. Any other IPv6 address is for special use. */
const NETWORKS = {
  /** Metadata services, which hand out secrets: shared, Alibaba, Azure, Oracle, AWS, Google, Scaleway. */
  metadata: words(
    "169.254.169.254/32 100.100.100.200/32 168.63.129.16/32 192.0.0.192/32",
    "fd00:ec2::/32 fd20:ce::254/128 fd00:42::42/128",
  ),
  /** This machine; the kernel treats 0.0.0.0 and :: as loopback too. */
  loopback: words("127.0.0.0/8 0.0.0.0/8 ::1/128 ::/128"),
  "link-local": words("169.254.0.0/16 fe80::/10"),
  /** Networks of homes, companies and providers. */
  private: words("10.0.0.0/8 100.64.0.0/10 172.16.0.0/12 192.168.0.0/16 fc00::/7"),
  multicast: words("224.0.0.0/4 ff00::/8"),
  /** Addresses that host names get inside a sandbox. */
  synthetic: words("198.18.0.0/15 2001:2::/48"),
  /** Documentation, IETF protocols (Teredo, ORCHID), 6to4 and its relays, and reserved networks. */
  special: words(
    "192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4",
    "2001::/23 2001:db8::/32 2002::/16 3fff::/20",
  ),
} as const;
/** The part of IPv6 that is assigned to the internet. */
const GLOBAL_IPV6 = "2000::/3";
/** Networks whose addresses contain the IPv4 address of the real target: mapped addresses and NAT64. */
const HOLDING_IPV4 = words("::ffff:0:0/96 64:ff9b::/96");
/** The third 32-bit word of an ISATAP address, which contains an IPv4 address; one bit of the word may vary. */
const ISATAP = 0x5efen;
const ISATAP_MASK = 0xfdff_ffffn;

/** Parsed once, so that a look-up takes microseconds. */
const networks = lazy(() => {
  const classes = Object.entries(NETWORKS) as [AddressClass, readonly string[]][]; // keys of the constant
  return {
    holdingIpv4: HOLDING_IPV4.map(ipNetworkOf),
    globalIpv6: ipNetworkOf(GLOBAL_IPV6),
    classes: classes.map(([name, list]) => ({ name, list: list.map(ipNetworkOf) })),
  };
});

/** The class of an address in any spelling; undefined: it is not an address. */
export function addressClass(text: string): AddressClass | undefined {
  const reached = reachedAddress(text);
  if (reached === undefined) return undefined;
  const { globalIpv6, classes } = networks();
  const found = classes.find(({ list }) => isInOne(reached, list))?.name;
  if (found !== undefined || reached.version === 4) return found ?? "public";
  const isIsatap = ((reached.value >> 32n) & ISATAP_MASK) === ISATAP;
  return isInNetwork(reached, globalIpv6) && !isIsatap ? "public" : "special";
}

/** The IPv4 address in an IPv6 address, or else the address itself. Undefined: it is not an address. */
export function reachedAddress(text: string): IpAddress | undefined {
  const address = ipAddressOf(text);
  return address !== undefined && isInOne(address, networks().holdingIpv4) ? ipv4(address.value) : address;
}

function isInOne(address: IpAddress, list: readonly IpNetwork[]): boolean {
  return list.some((network) => isInNetwork(address, network));
}

/** The class of an address in words for a person. */
export const CLASS_IN_WORDS: Readonly<Record<AddressClass, string>> = {
  public: "an address of the internet",
  metadata: "an address where a cloud keeps secrets of its machines",
  loopback: "an address of this machine",
  "link-local": "an address of the local link",
  private: "an address of a private network",
  multicast: "an address of many hosts",
  synthetic: "an address that only sandboxes have",
  special: "an address for special use",
};
