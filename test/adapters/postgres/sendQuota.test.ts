/**
 * Tests that senders of an account without a daily limit do not wait for each other's transactions, which would delay
 * transactional email during a campaign.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { expect } from "vitest"
import { layerServer } from "../../../adapters/postgres/index.ts"
import { SendQuota } from "../../../core/ports/SendQuota.ts"
import { Transaction } from "../../../core/ports/Transaction.ts"
import { freshAccountId, times } from "../../contract/fixtures.ts"
import { freshDatabase } from "../../support/postgres.ts"

const server = Layer.unwrap(
  Effect.map(Effect.promise(freshDatabase), (url) => layerServer(Redacted.make(url), "store.url", false))
)

layer(server, { excludeTestServices: true })("the daily counts of emails", (it) => {
  it.effect("of an account without a limit are taken while another transaction has taken some", () =>
    Effect.gen(function* () {
      const { take, taken } = yield* SendQuota
      const { run } = yield* Transaction
      const accountId = yield* freshAccountId
      const day = "2031-05-06"
      const wish = { accountId, day, wanted: 2, limit: null }
      yield* take([wish])
      const [begun, ending] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const first = yield* Effect.forkChild(
        run(
          Effect.gen(function* () {
            yield* take([wish])
            yield* Deferred.succeed(begun, undefined)
            yield* Deferred.await(ending)
          })
        )
      )
      yield* Deferred.await(begun)
      // Two connections may share a row, but not all of them do.
      const others = times(4, () => run(take([wish])))
      const all = yield* Effect.forkChild(Effect.all(others, { concurrency: "unbounded" }))
      expect(yield* Effect.raceAllFirst(times(2, () => run(take([wish]))))).toEqual([2])
      yield* Deferred.succeed(ending, undefined)
      yield* Fiber.join(first)
      yield* Fiber.join(all)
      // A limit also counts what was taken without one.
      const before = yield* taken(accountId, day)
      expect(before).toBeGreaterThanOrEqual(14)
      expect(yield* take([{ ...wish, wanted: 5, limit: before + 3 }])).toEqual([3])
      expect(yield* taken(accountId, day)).toBe(before + 3)
    })
  )
})
