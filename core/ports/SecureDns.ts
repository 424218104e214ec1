/**
 * Looks up names in the DNS with the proof of DNSSEC, by a resolver that validates.
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

/** An answer. */
export interface SecureAnswer {
  /** Whether the resolver validated all of it, aliases and a denial included. */
  readonly isAuthentic: boolean
  /** The name that aliases led to, lower case; null without aliases. */
  readonly alias: string | null
  /** Whether there are records of the type. */
  readonly exists: boolean
  /** The TLSA records, where those were asked for. */
  readonly tlsa: ReadonlyArray<PublishedTlsa>
}

/** The port of proven look-ups. */
export class SecureDns extends Context.Service<
  SecureDns,
  {
    /** Whether there is a validating resolver; without one nothing may be concluded from answers. */
    readonly validates: Effect.Effect<boolean>
    /** An answer. A name without such records is an answer too; a bogus one fails, within 10 seconds. */
    readonly query: (
      name: string,
      type: "MX" | "A" | "AAAA" | "CNAME" | "TLSA"
    ) => Effect.Effect<SecureAnswer, DnsUnavailable>
  }
>()("svc/ports/SecureDns") {}
