/**
 * Stores attempts to transmit deliveries in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { AttemptStore } from "../../core/ports/AttemptStore.ts"
import { maxReplies } from "../../core/model/Message.ts"
import { Database } from "./engine/Database.ts"
import { frozen } from "./engine/Table.ts"
import { AttemptTables, keyOf } from "./tables/AttemptTables.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: attemptsOf } = yield* AttemptTables
  return AttemptStore.of({
    put: (added) =>
      database.write(() => {
        for (const attempt of added) {
          const { attempts } = attemptsOf(attempt.accountId)
          if (attempts.get(keyOf(attempt)) === undefined) attempts.insert(frozen(attempt))
        }
      }),
    addReplies: (replies) =>
      database.write(() => {
        for (const { accountId, claim, deliveryId, words } of replies) {
          const { attempts } = attemptsOf(accountId)
          const found = attempts.get(keyOf({ claim, deliveryId }))
          if (found === undefined || found.replies.includes(words)) continue
          attempts.replace(frozen({ ...found, replies: [...found.replies, words].slice(-maxReplies) }))
        }
      }),
    of: (refs) =>
      database.read(() => refs.flatMap(({ accountId, id }) => attemptsOf(accountId).ofDelivery.rows(id))),
    erase: (refs) =>
      database.write(() => {
        for (const { accountId, id } of refs) {
          const { attempts, ofDelivery } = attemptsOf(accountId)
          attempts.removeMany(ofDelivery.rows(id).map(keyOf))
        }
      })
  })
}).pipe(Layer.effect(AttemptStore))
