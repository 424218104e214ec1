/**
 * Looks up the names that an address leads back to, as receiving servers do.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { ReverseName } from "../../model/Source.ts"
import type { Dns } from "../../ports/Dns.ts"

/** The most names of an address that are looked at. */
const maxNames = 10

/** What the DNS says of an address; fails with DnsUnavailable where that is not known for now. */
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
