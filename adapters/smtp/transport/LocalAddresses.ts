/**
 * Addresses to which mail is never sent: those of this machine, and those that do not belong to a single host. Otherwise the DNS
 * records of a recipient's domain could make the service connect to servers that listen on this machine only.
 *
 * @module
 */
import { BlockList, isIP } from "node:net"
import { networkInterfaces } from "node:os"

/** This host, loopback, link-local (including the metadata services of clouds), multicast, reserved (RFC 6890). */
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

/** IPv6 prefixes with an IPv4 address in the last 32 bits: mapped, compatible, NAT64 (RFC 4291, RFC 6052). */
const embeddingPrefixes: ReadonlyArray<readonly [network: string, prefix: number]> = [
  ["::ffff:0:0", 96],
  ["::", 96],
  ["64:ff9b::", 96]
]

const embedding = new BlockList()
for (const [network, prefix] of embeddingPrefixes) embedding.addSubnet(network, prefix, "ipv6")

/** An address without the zone that a link-local address may have (RFC 4007, 11). */
const withoutZone = (address: string): string => address.split("%", 1)[0]!

/** The last 32 bits of an IPv6 address as an IPv4 address. */
const embeddedIn = (address: string): string => {
  const last = address.slice(address.lastIndexOf(":") + 1)
  if (last.includes(".")) return last
  const groups = address.replace(/::$/, "::0").split(":")
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || "0", 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join(".")
}

/**
 * The addresses to which mail is never sent. They do not include private networks, because an operator may have mail servers
 * there.
 */
export class LocalAddresses {
  readonly #local = new BlockList()

  constructor() {
    for (const [network, prefix, family] of subnets) this.#local.addSubnet(network, prefix, family)
    for (const { address, family } of Object.values(networkInterfaces()).flatMap((of) => of ?? [])) {
      this.#local.addAddress(withoutZone(address), family === "IPv6" ? "ipv6" : "ipv4")
    }
  }

  /** Whether an address belongs to this machine, or not to a single host. True for a string that is not an address. */
  has(text: string): boolean {
    const address = withoutZone(text)
    switch (isIP(address)) {
      case 4:
        return this.#local.check(address, "ipv4")
      case 6:
        return (
          this.#local.check(address, "ipv6") ||
          (embedding.check(address, "ipv6") && this.#local.check(embeddedIn(address), "ipv4"))
        )
      default:
        return true
    }
  }
}
