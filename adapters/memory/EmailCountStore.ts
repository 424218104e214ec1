/**
 * Counts emails in memory, at the time when the counts are read.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import {
  countedFacts,
  countedKeys,
  type EmailCount,
  maxCountKeys,
  sumCounts,
  unitOf
} from "../../core/model/EmailCount.ts"
import { EmailCountStore } from "../../core/ports/EmailCountStore.ts"
import { Database } from "./engine/Database.ts"
import { ConversionTables } from "./tables/ConversionTables.ts"
import { SubmissionTables } from "./tables/SubmissionTables.ts"
import { keyOf, VisitTables } from "./tables/VisitTables.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: submissionsOf } = yield* SubmissionTables
  const { of: conversionsOf } = yield* ConversionTables
  const { table: visits } = yield* VisitTables

  return EmailCountStore.of({
    count: (accountId, { by, since, unit, until }) =>
      database.read(() => {
        const { deliveries, submissions } = submissionsOf(accountId)
        const conversions = Map.groupBy(
          conversionsOf(accountId).conversions.rows(),
          ({ deliveryId }) => deliveryId
        )
        const counts: Array<EmailCount> = []
        for (const { createdAt, delivery, id } of deliveries.rows()) {
          const keys = countedKeys(by, submissions.get(delivery.submissionId)!, delivery)
          const visited = visits.get(keyOf({ accountId, id })) ?? null
          for (const fact of countedFacts(delivery, createdAt, visited, conversions.get(id) ?? [])) {
            const at = unitOf(unit, fact.at)
            if (at < since || at >= until) continue
            for (const key of keys) counts.push({ at, key, counter: fact.counter, count: 1 })
          }
        }
        return sumCounts(counts, maxCountKeys)
      }),
    fold: () => Effect.succeed(0),
    prune: () => Effect.succeed(0)
  })
}).pipe(Layer.effect(EmailCountStore))
