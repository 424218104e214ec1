/**
 * Checks whether public block lists contain the addresses of the mail host. The lists belong to third parties, so they are
 * queried only on request, with DNS (RFC 5782).
 *
 * @module
 */
import { Effect } from "effect"
import ipaddr from "ipaddr.js"
import { Dns } from "../../../core/ports/Dns.ts"
import { type Finding, ok, warn } from "./Finding.ts"

/** A block list, and its page for owners of listed addresses. */
interface BlockList {
  readonly zone: string
  readonly page: string
  /** Whether it lists IPv6 addresses. */
  readonly hasIpv6: boolean
}

/** The lists that large providers are known to use, according to the providers' own pages. */
const blockLists: ReadonlyArray<BlockList> = [
  { zone: "zen.spamhaus.org", page: "https://check.spamhaus.org", hasIpv6: true },
  { zone: "b.barracudacentral.org", page: "https://www.barracudacentral.org/rbl", hasIpv6: false },
  { zone: "bl.spamcop.net", page: "https://www.spamcop.net/bl.shtml", hasIpv6: false }
]

/** The labels of an address in a list: its bytes, or the digits of an IPv6 address, in reverse order. */
export const reversedAddress = (text: string): string => {
  const address = ipaddr.process(text)
  const labels =
    address instanceof ipaddr.IPv6
      ? [...address.parts.map((part) => part.toString(16).padStart(4, "0")).join("")]
      : address.octets.map(String)
  return labels.toReversed().join(".")
}

/** RFC 5782, 2.1: an entry is in 127.0.0.0/8. Lists reject resolvers that many users share with 127.255.255.0/24. */
const isRefusal = (answer: string): boolean => answer.startsWith("127.255.255.")

const ask = Effect.fnUntraced(function* (address: string, { page, zone }: BlockList) {
  const check = `block list ${zone}`
  const found = yield* Effect.catchTags((yield* Dns).addresses(`${reversedAddress(address)}.${zone}`), {
    DnsMissing: () => Effect.succeed([]),
    DnsUnavailable: ({ reason }) => Effect.succeed(reason)
  })
  if (typeof found === "string" || found.some(isRefusal)) {
    const reason = typeof found === "string" ? found : "it refuses queries from the name server"
    const fix = `Use your own name server (SVC_DNS_SERVERS), or look the address up at ${page}`
    return warn(check, `${address} could not be looked up: ${reason}`, fix)
  }
  return found.some((answer) => answer.startsWith("127."))
    ? warn(check, `${address} is listed`, `See the reason, and how to have the address removed, at ${page}`)
    : ok(check, `${address} is not listed`)
})

/** The findings of the lists about addresses. */
export const checkBlockLists = (
  addresses: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Finding>, never, Dns> =>
  Effect.forEach(
    addresses.flatMap((address) =>
      blockLists
        .filter(({ hasIpv6 }) => hasIpv6 || ipaddr.process(address).kind() === "ipv4")
        .map((list) => [address, list] as const)
    ),
    ([address, list]) => ask(address, list),
    { concurrency: 6 }
  )
