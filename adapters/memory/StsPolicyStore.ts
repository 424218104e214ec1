/**
 * Stores the MTA-STS policies of recipients' domains in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { StsPolicy } from "../../core/model/StsPolicy.ts"
import { StsPolicyStore } from "../../core/ports/StsPolicyStore.ts"
import { Database } from "./engine/Database.ts"
import { all, compareText, firstRows, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const expiring = new SortedIndex<StsPolicy>(
    () => all,
    (one, other) => one.expiresAt - other.expiresAt || compareText(one.domain, other.domain)
  )
  const policies = new Table<StsPolicy>(database, { key: ({ domain }) => domain, indexes: [expiring] })

  return StsPolicyStore.of({
    find: (domain) => database.read(() => policies.get(domain) ?? null),
    save: (policy) =>
      database.write(() => {
        const stored = policies.get(policy.domain)
        if (stored === undefined) policies.insert(frozen(policy))
        else if (stored.fetchedAt <= policy.fetchedAt) policies.replace(frozen(policy))
      }),
    prune: (before, limit) =>
      database.write(() => {
        const gone = firstRows(expiring.rows(all), limit, ({ expiresAt }) => expiresAt < before)
        policies.removeMany(gone.map(({ domain }) => domain))
        return gone.length
      })
  })
}).pipe(Layer.effect(StsPolicyStore))
