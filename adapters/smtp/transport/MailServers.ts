/**
 * Finds the servers that accept a domain's mail (RFC 5321, 5.1; RFC 7505).
 *
 * @module
 */
import { Cache, Effect, Exit, Random } from "effect"
import type { Dns, DnsMissing, DnsUnavailable } from "../../../core/ports/Dns.ts"

/** The destination of a domain's mail. */
export type Destination =
  /** These hosts, to be tried in this order. `best` are those with the best preference. */
  | { readonly _tag: "Hosts"; readonly hosts: ReadonlyArray<string>; readonly best: ReadonlySet<string> }
  /** None: the domain declares that it accepts no mail (a null MX), or does not exist. */
  | { readonly _tag: "Nowhere"; readonly error: "null_mx" | "no_such_domain" }
  /** This service, according to the domain's records. Mail would loop. */
  | { readonly _tag: "Ourselves" }
  /** Not known now, because the look-up failed. */
  | { readonly _tag: "Unknown"; readonly error: string }

/** An address of a server. */
export interface ServerAddress {
  readonly host: string
  readonly address: string
}

/** The part of the Dns port with which servers are found. */
export type ServerDns = Pick<Dns["Service"], "addresses" | "mx">

/** How long results are kept, and for how many names. */
const keptFor = "5 minutes"
const maxKept = 10_000

/** Keeps results for five minutes, so that a long queue rarely queries name servers. Failed look-ups are repeated. */
export const keptDns = ({ addresses, mx }: ServerDns): Effect.Effect<ServerDns> => {
  const kept = <A>(ask: (name: string) => Effect.Effect<A, DnsMissing | DnsUnavailable>) =>
    Effect.map(
      Cache.makeWith(ask, {
        capacity: maxKept,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? keptFor : 0)
      }),
      (cache) => (name: string) => Cache.get(cache, name)
    )
  return Effect.all({ addresses: kept(addresses), mx: kept(mx) })
}

const maxHosts = 10
const maxAddresses = 20

const unknown = ({ reason }: DnsUnavailable): Effect.Effect<Destination> =>
  Effect.succeed({ _tag: "Unknown", error: `dns_${reason}` })

/** Looks up the destination of a domain's mail. `self` is the name of this host. */
export const destinationOf = (dns: ServerDns, domain: string, self: string): Effect.Effect<Destination> =>
  Effect.gen(function* () {
    const records = yield* Effect.catchTag(dns.mx(domain), "DnsMissing", () => Effect.succeed(null))
    if (records === null) return yield* withoutMx(dns, domain, self)
    const named = records.filter((record) => record.exchange !== "")
    if (named.length === 0) return { _tag: "Nowhere", error: "null_mx" } as const
    // Hosts that are not preferred to this one would send the mail back to it.
    const own = Math.min(
      ...named.filter((record) => record.exchange === self).map((record) => record.preference)
    )
    const usable = named.filter((record) => record.preference < own)
    if (usable.length === 0) return { _tag: "Ourselves" } as const
    const ordered: Array<string> = []
    for (const equals of Map.groupBy(usable, (record) => record.preference).values()) {
      ordered.push(...(yield* Random.shuffle(equals.map((record) => record.exchange))))
    }
    const hosts = [...new Set(ordered)].slice(0, maxHosts)
    const [first] = usable
    const best = usable.filter(({ preference }) => preference === first!.preference)
    return { _tag: "Hosts", hosts, best: new Set(best.map(({ exchange }) => exchange)) } as const
  }).pipe(Effect.catchTag("DnsUnavailable", unknown))

/** The destination of a domain without MX records: the domain itself, if it has an address. */
const withoutMx = (
  dns: ServerDns,
  domain: string,
  self: string
): Effect.Effect<Destination, DnsUnavailable> =>
  dns.addresses(domain).pipe(
    Effect.map((): Destination =>
      domain === self ? { _tag: "Ourselves" } : { _tag: "Hosts", hosts: [domain], best: new Set([domain]) }
    ),
    Effect.catchTag("DnsMissing", () => Effect.succeed({ _tag: "Nowhere", error: "no_such_domain" } as const))
  )

/** The addresses of hosts, in their order. If no host has any, fails with one of the errors, preferably DnsUnavailable. */
export const addressesOf = (
  dns: ServerDns,
  hosts: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<ServerAddress>, DnsMissing | DnsUnavailable> =>
  Effect.gen(function* () {
    const lookUps = yield* Effect.forEach(hosts, (host) => Effect.result(dns.addresses(host)), {
      concurrency: "unbounded"
    })
    const found: Array<ServerAddress> = []
    for (const [index, lookUp] of lookUps.entries()) {
      if (lookUp._tag === "Failure") continue
      const host = hosts[index]!
      for (const address of yield* Random.shuffle(lookUp.success)) found.push({ host, address })
    }
    if (found.length > 0) return found.slice(0, maxAddresses)
    const failures = lookUps.flatMap((lookUp) => (lookUp._tag === "Failure" ? [lookUp.failure] : []))
    return yield* Effect.fail(failures.find((failure) => failure._tag === "DnsUnavailable") ?? failures[0]!)
  })
