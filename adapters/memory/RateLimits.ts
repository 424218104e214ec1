/**
 * Stores rate-limit windows in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { RateLimits } from "../../core/ports/RateLimits.ts"
import { Database } from "./engine/Database.ts"
import { SharedTables } from "./tables/SharedTables.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { windows } = yield* SharedTables
  return RateLimits.of({
    count: (hits) =>
      database.write(() =>
        hits.map((hit) => windows.add(hit.accountId, hit.subject, hit.windowStart, hit.amount))
      ),
    windows: (accountId, subject, since) => database.read(() => windows.since(accountId, subject, since)),
    prune: (before, limit) => database.write(() => windows.prune(before, limit))
  })
}).pipe(Layer.effect(RateLimits))
