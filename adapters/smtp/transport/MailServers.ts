/**
 * Finds the servers that take a domain's mail (RFC 5321, 5.1; RFC 7505).
 *
 * @module
 */
import { Cache, Effect, Exit, Random } from "effect"
import type { Dns, DnsMissing, DnsUnavailable } from "../../../core/ports/Dns.ts"

/** Where a domain's mail goes. */
export type Destination =
  /** To these hosts, tried in this order; `best` are those of the best preference. */
  | { readonly _tag: "Hosts"; readonly hosts: ReadonlyArray<string>; readonly best: ReadonlySet<string> }
  /** Nowhere: the domain declares that it takes no mail (a null MX), or does not exist. */
  | { readonly _tag: "Nowhere"; readonly error: "null_mx" | "no_such_domain" }
  /** To this service, by the domain's records: mail would loop. */
  | { readonly _tag: "Ourselves" }
  /** Unknown for now: the look-up failed. */
  | { readonly _tag: "Unknown"; readonly error: string }

/** An address of a server. */
export interface ServerAddress {
  readonly host: string
  readonly address: string
}

/** What finds servers. */
export type ServerDns = Pick<Dns["Service"], "addresses" | "mx">

/** How long it is kept where a domain's mail goes, and of how many names. */
const keptFor = "5 minutes"
const maxKept = 10_000

/** Keeps for five minutes what was found, so that a long queue asks name servers rarely; what failed is asked again. */
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

/** Looks up where a domain's mail goes; `self` is the name of this host. */
export const destinationOf = (dns: ServerDns, domain: string, self: string): Effect.Effect<Destination> =>
  Effect.gen(function* () {
    const records = yield* Effect.catchTag(dns.mx(domain), "DnsMissing", () => Effect.succeed(null))
    if (records === null) return yield* withoutMx(dns, domain, self)
    const named = records.filter((record) => record.exchange !== "")
    if (named.length === 0) return { _tag: "Nowhere", error: "null_mx" } as const
    // Hosts no more preferred than this one would send the mail back to it.
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

/** A domain without mail exchangers is its own, if it has an address. */
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

/** The addresses of hosts, in the order of the hosts. When no host has any, fails with one of their failures, DnsUnavailable first. */
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
