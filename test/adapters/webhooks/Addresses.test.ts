/** Tests which addresses are public. */
import ipaddr from "ipaddr.js"
import { describe, expect, it } from "vitest"
import { isPublic } from "../../../adapters/webhooks/Addresses.ts"

/** Services of hosting providers that can be reached only from their customers' machines. */
const hostServices = (
  "168.63.129.16 169.254.169.254 169.254.170.2 169.254.42.42 169.254.0.23 100.100.100.200 100.100.2.136 192.0.0.192 " +
  "161.26.0.10 166.9.1.1 166.11.255.255 199.36.153.4 199.36.153.11 183.60.83.19 183.60.82.98 192.80.8.124"
).split(" ")

const hostServices6 =
  "fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fd00:42::42 fd00:a9fe:a9fe::1 fe80::a9fe:a9fe".split(" ")

/** The IPv6 notations of an IPv4 address by which a gateway or the system itself may reach it. */
const embedded = (address: string): ReadonlyArray<string> => {
  const [a, b] = ipaddr.IPv4.parse(address).toIPv4MappedAddress().parts.slice(6) as [number, number]
  const [high, low] = [a.toString(16), b.toString(16)]
  const flipped = `${(a ^ 0xff_ff).toString(16)}:${(b ^ 0xff_ff).toString(16)}`
  return [
    `::ffff:${address}`,
    `::ffff:${high}:${low}`,
    `::${high}:${low}`,
    `::ffff:0:${high}:${low}`,
    `64:ff9b::${high}:${low}`,
    `64:ff9b:1::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `2001:0:4136:e378:8000:63bf:${flipped}`,
    `2a00:1450:4001:81b:0:5efe:${high}:${low}`,
    `2a00:1450:4001:81b:200:5efe:${high}:${low}`
  ]
}

describe("a service of the hosting provider", () => {
  it("is not public, in no form of its address", () => {
    for (const address of [...hostServices, ...hostServices6, ...hostServices.flatMap(embedded)]) {
      expect([address, isPublic(address)]).toEqual([address, false])
    }
  })

  it("does not make its neighbours private", () => {
    for (const address of (
      "168.63.129.15 168.63.129.17 161.25.255.255 161.27.0.1 166.7.255.255 166.12.0.1 199.36.153.3 199.36.153.12 " +
      "192.80.8.123 1.1.1.1 2a00:1450:4001:81b::200e 2606:4700::1111"
    ).split(" ")) {
      expect([address, isPublic(address)]).toEqual([address, true])
    }
  })
})
