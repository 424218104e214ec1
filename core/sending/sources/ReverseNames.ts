/**
 * Looks up the reverse names of an address (PTR) and confirms them, as receiving servers do.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { ReverseName } from "../../model/Source.ts"
import type { Dns } from "../../ports/Dns.ts"

/** The maximum number of names of an address that are checked. */
const maxNames = 10

/** The reverse names of an address in the DNS. Fails with DnsUnavailable if they cannot be determined now. */
export const lookUpReverse = Effect.fnUntraced(function* (
  dns: Dns["Service"],
  names: NonNullable<Dns["Service"]["names"]>,
  address: string,
  wanted: string
) {
  const missing = { DnsMissing: () => Effect.succeed([] as ReadonlyArray<string>) }
  const found = (yield* Effect.catchTags(names(address), missing)).slice(0, maxNames)
  const leadsTo = found.includes(wanted)
    ? yield* Effect.catchTags(dns.addresses(wanted), missing)
    : ([] as ReadonlyArray<string>)
  const checkedAt = yield* Clock.currentTimeMillis
  return { names: found, isConfirmed: leadsTo.includes(address), checkedAt } satisfies ReverseName
})
