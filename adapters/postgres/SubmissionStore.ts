/**
 * Stores submissions and deliveries in the database. `limit 1` makes each a look-up by key, whatever the planner's
 * statistics.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { Statistics } from "./engine/Statistics.ts"
import { makeDeliveryChanges } from "./submissions/deliveries.ts"
import { makeSubmissionErasure } from "./submissions/erasure.ts"
import { makeInsertion } from "./submissions/insertion.ts"
import { makeReading } from "./submissions/reading.ts"

/** The port over a `SqlClient` and `JobNotifier`. */
export const layer = Effect.gen(function* () {
  const reading = yield* makeReading
  const insert = yield* makeInsertion(reading.ofKeys)
  const changes = yield* makeDeliveryChanges
  const erasure = yield* makeSubmissionErasure
  return SubmissionStore.of({
    ...reading,
    ...changes,
    ...erasure,
    insert: (accountId, submissions, jobs, objects) =>
      submissions.length === 0 ? Effect.succeed([]) : insert(accountId, submissions, jobs, objects)
  })
}).pipe(Layer.effect(SubmissionStore), Layer.provide(Statistics.layer))
