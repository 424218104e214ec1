/**
 * Looks up the TLSA records of mail servers (RFC 7672, 2.2).
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { HostTerms } from "../../model/TlsTerms.ts"
import { type PublishedTlsa, SecureDns } from "../../ports/SecureDns.ts"
import { daneTerms, withoutAnswer } from "./TermsRules.ts"

/** Looks up the terms that DANE requires for connections. */
export class DaneLookup extends Context.Service<
  DaneLookup,
  {
    /** The terms of hosts that have TLSA records, by host name. Hosts without an entry have no records. */
    readonly of: (
      domain: string,
      hosts: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, HostTerms>>
  }
>()("svc/sending/DaneLookup", {
  make: Effect.gen(function* () {
    const dns = yield* SecureDns

    /**
     * The names at which a host's records may be published: the name to which its aliases lead, then its own. Empty if nothing
     * is authenticated.
     */
    const basesOf = Effect.fnUntraced(function* (host: string) {
      const [v4, v6] = yield* Effect.all([dns.query(host, "A"), dns.query(host, "AAAA")], {
        concurrency: "unbounded"
      })
      const alias = v4.alias ?? v6.alias
      if (v4.isAuthentic && v6.isAuthentic) return alias === null ? [host] : [alias, host]
      if (alias === null) return []
      // The zone to which the alias leads is not signed, but the zone of the host may be.
      return (yield* dns.query(host, "CNAME")).isAuthentic ? [host] : []
    })

    const recordsOf = Effect.fnUntraced(function* (host: string) {
      for (const base of yield* basesOf(host)) {
        const { isAuthentic, tlsa } = yield* dns.query(`_25._tcp.${base}`, "TLSA")
        if (isAuthentic && tlsa.length > 0) return { base, tlsa }
      }
      return null
    })

    const termsOf = (domain: string, host: string): Effect.Effect<HostTerms | null> =>
      recordsOf(host).pipe(
        Effect.map((found: { readonly base: string; readonly tlsa: ReadonlyArray<PublishedTlsa> } | null) =>
          found === null ? null : daneTerms(found.tlsa, [...new Set([found.base, host, domain])])
        ),
        Effect.catchTag("DnsUnavailable", () => Effect.succeed(withoutAnswer))
      )

    return {
      of: Effect.fnUntraced(function* (domain, hosts) {
        const terms = new Map<string, HostTerms>()
        if (!(yield* dns.validates)) return terms
        const exchangers = yield* Effect.result(dns.query(domain, "MX"))
        // Without authenticated MX records, an attacker's hosts could have TLSA records too.
        if (exchangers._tag === "Success" && !exchangers.success.isAuthentic) return terms
        yield* Effect.forEach(
          hosts,
          (host) =>
            Effect.map(
              exchangers._tag === "Failure" ? Effect.succeed(withoutAnswer) : termsOf(domain, host),
              (found) => {
                if (found !== null) terms.set(host, found)
              }
            ),
          { concurrency: "unbounded", discard: true }
        )
        return terms
      })
    }
  })
}) {
  static readonly layer = Layer.effect(DaneLookup, DaneLookup.make)
}
