/**
 * Addresses that no recipient's server has: those of this machine, and those that lead to no single host. An MX that
 * names one would let a stranger's DNS make us speak to what listens on this machine only.
 *
 * @module
 */
import { BlockList, isIP } from "node:net"
import { networkInterfaces } from "node:os"

/** This host, loopback, link-local (with the metadata services of clouds), multicast, reserved (RFC 6890). */
const subnets: ReadonlyArray<readonly [network: string, prefix: number, family: "ipv4" | "ipv6"]> = [
  ["0.0.0.0", 8, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
  ["::", 128, "ipv6"],
  ["::1", 128, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["ff00::", 8, "ipv6"]
]

/** Forms of IPv6 that carry an address of IPv4 in their last 32 bits: mapped, compatible, NAT64 (RFC 4291, RFC 6052). */
const carriers: ReadonlyArray<readonly [network: string, prefix: number]> = [
  ["::ffff:0:0", 96],
  ["::", 96],
  ["64:ff9b::", 96]
]

const carrying = new BlockList()
for (const [network, prefix] of carriers) carrying.addSubnet(network, prefix, "ipv6")

/** An address without the zone of a link-local one (RFC 4007, 11). */
const withoutZone = (address: string): string => address.split("%", 1)[0]!

/** The last 32 bits of an address of IPv6 as one of IPv4. */
const carried = (address: string): string => {
  const last = address.slice(address.lastIndexOf(":") + 1)
  if (last.includes(".")) return last
  const groups = address.replace(/::$/, "::0").split(":")
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || "0", 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join(".")
}

/**
 * A function that says whether an address is one of this machine or none of a single host's. Private networks are not:
 * who hosts this service may well have mail servers of his own there.
 */
export const makeIsLocal = (): ((address: string) => boolean) => {
  const local = new BlockList()
  for (const [network, prefix, family] of subnets) local.addSubnet(network, prefix, family)
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((of) => of ?? [])) {
    local.addAddress(withoutZone(address), family === "IPv6" ? "ipv6" : "ipv4")
  }
  return (text) => {
    const address = withoutZone(text)
    switch (isIP(address)) {
      case 4:
        return local.check(address, "ipv4")
      case 6:
        return (
          local.check(address, "ipv6") ||
          (carrying.check(address, "ipv6") && local.check(carried(address), "ipv4"))
        )
      default:
        return true
    }
  }
}
