/**
 * Looks up names in the DNS, authenticated with DNSSEC by a validating resolver.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { DnsUnavailable } from "./Dns.ts"

/** A TLSA record as it is published (RFC 6698, 2.1). */
export interface PublishedTlsa {
  readonly usage: number
  readonly selector: number
  readonly matching: number
  /** Lower case hexadecimal digits. */
  readonly data: string
}

/** The result of a query. */
export interface SecureAnswer {
  /** Whether the resolver validated all of it, including aliases and a denial of existence. */
  readonly isAuthentic: boolean
  /** The name to which aliases led, lower case; null without aliases. */
  readonly alias: string | null
  /** Whether there are records of the queried type. */
  readonly exists: boolean
  /** The TLSA records, if the query asked for them. */
  readonly tlsa: ReadonlyArray<PublishedTlsa>
}

/** The port of authenticated DNS look-ups. */
export class SecureDns extends Context.Service<
  SecureDns,
  {
    /** Whether there is a validating resolver. Without one, nothing may be concluded from results. */
    readonly validates: Effect.Effect<boolean>
    /** Queries records. If the name has none, that is a result too. A bogus response fails, within 10 seconds. */
    readonly query: (
      name: string,
      type: "MX" | "A" | "AAAA" | "CNAME" | "TLSA"
    ) => Effect.Effect<SecureAnswer, DnsUnavailable>
  }
>()("svc/ports/SecureDns") {}
