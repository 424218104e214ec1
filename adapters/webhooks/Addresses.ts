/**
 * Determines which IP addresses are public, and so may receive webhooks (docs/contributing/decisions.md 7).
 *
 * @module
 */
import ipaddr from "ipaddr.js"

/**
 * Prefixes that are not public: those that embed an IPv4 address, through which a gateway could reach a private address, and
 * those that the ranges of ipaddr.js omit.
 */
const rejectedPrefixes: ReadonlyArray<readonly [string, number]> = [
  // IPv4: this network, CGNAT, IETF assignments, documentation, 6to4 relays, benchmarking, reserved.
  ["0.0.0.0", 8],
  ["100.64.0.0", 10],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["240.0.0.0", 4],
  // Services of hosting providers that only their customers' machines can reach, at addresses that look public: Azure's host
  // (metadata, DNS), IBM Cloud's infrastructure and its private service endpoints, Google's private API addresses,
  // Tencent Cloud's resolvers, Equinix Metal's metadata. Those of other providers are link-local, CGNAT or ULA.
  ["168.63.129.16", 32],
  ["161.26.0.0", 16],
  ["166.8.0.0", 14],
  ["199.36.153.4", 30],
  ["199.36.153.8", 30],
  ["183.60.82.98", 32],
  ["183.60.83.19", 32],
  ["192.80.8.124", 32],
  // IPv6: IPv4-compatible and -mapped, translated (RFC 2765), NAT64 (RFC 6052, 8215), discard-only, IETF assignments
  // with Teredo, ORCHID and benchmarking, documentation, 6to4, segment routing, site-local.
  ["::", 96],
  ["::ffff:0:0", 96],
  ["::ffff:0:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["100:0:0:1::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fec0::", 10]
]

const rejected = rejectedPrefixes.map(([address, bits]) => [ipaddr.parse(address), bits] as const)

/** The only range of IPv6 addresses that are allocated to networks (RFC 4291, 2.4; IANA). */
const globalUnicast = [ipaddr.IPv6.parse("2000::"), 3] as const

/** Whether a router of the prefix would forward the packets to an IPv4 address (RFC 5214, 6.1). */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean =>
  ((parts[4] ?? 0) & 0xfd_ff) === 0 && parts[5] === 0x5e_fe

/** Whether an address, in the form that a resolver returns or that a URL contains (without brackets), is public. */
export const isPublic = (text: string): boolean => {
  // A zone identifies an interface of this machine.
  if (text.includes("%") || !ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== "unicast") return false
  if (address.kind() === "ipv6" && !address.match(globalUnicast[0], globalUnicast[1])) return false
  if (address instanceof ipaddr.IPv6 && isIsatap(address)) return false
  return rejected.every(
    ([prefix, bits]) => prefix.kind() !== address.kind() || !address.match([prefix, bits] as never)
  )
}

/** The address that is the host of a URL, without brackets; null if the host is a name. */
export const addressOfHost = (hostname: string): string | null => {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname
  return ipaddr.isValid(bare) ? bare : null
}

const privateNames =
  /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|localdomain|home\.arpa|onion)\.?$/i

/** Whether a name belongs to a private network: it has no dot, or is under a reserved name (RFC 6761, 6762, 8375). */
export const isPrivateName = (name: string): boolean =>
  !name.replace(/\.$/, "").includes(".") || privateNames.test(name)
