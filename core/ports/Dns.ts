/**
 * Looks up names and addresses in the DNS.
 *
 * @module
 */
import { Context, Data, type Effect } from "effect"

/** The name has no record of the type, or does not exist. */
export class DnsMissing extends Data.TaggedError("DnsMissing")<{ readonly name: string }> {}

/** No server replied, or the reply was a failure. A later look-up may succeed. */
export class DnsUnavailable extends Data.TaggedError("DnsUnavailable")<{
  readonly name: string
  /** A word such as `timeout` or `servfail`. */
  readonly reason: string
}> {}

/** A mail exchanger (RFC 5321, 5.1; RFC 7505 for the null one, whose exchange is empty). */
export interface MxRecord {
  readonly preference: number
  /** Lower case, without a trailing dot; empty for a null MX. */
  readonly exchange: string
}

/** The port of DNS look-ups. Every look-up ends within 10 seconds. */
export class Dns extends Context.Service<
  Dns,
  {
    /** A name's TXT records, with the strings of each record joined. */
    readonly txt: (name: string) => Effect.Effect<ReadonlyArray<string>, DnsMissing | DnsUnavailable>
    /** A name's mail exchangers, most preferred first. */
    readonly mx: (name: string) => Effect.Effect<ReadonlyArray<MxRecord>, DnsMissing | DnsUnavailable>
    /** A name's addresses, IPv4 and IPv6; never empty. */
    readonly addresses: (name: string) => Effect.Effect<ReadonlyArray<string>, DnsMissing | DnsUnavailable>
    /**
     * The names to which an IP address resolves (PTR). If absent, addresses are not looked up, and what needs them is skipped.
     */
    readonly names?: (address: string) => Effect.Effect<ReadonlyArray<string>, DnsMissing | DnsUnavailable>
  }
>()("svc/ports/Dns") {}
