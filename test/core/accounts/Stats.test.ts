/**
 * Daily counts: each port's counts are returned, and few calls count at the same time, in transactions.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Stats } from "../../../core/accounts/Stats.ts"
import { runStatuses } from "../../../core/model/Run.ts"
import { ContactStore } from "../../../core/ports/ContactStore.ts"
import { EventStore } from "../../../core/ports/EventStore.ts"
import { RunStore } from "../../../core/ports/RunStore.ts"
import { SubmissionStore } from "../../../core/ports/SubmissionStore.ts"
import { Transaction } from "../../../core/ports/Transaction.ts"
import { deliveryStatuses } from "../../../core/model/DeliveryStatus.ts"
import type { UtcDay } from "../../../core/shared/UtcDays.ts"
import { now, pause, times } from "../../contract/fixtures.ts"

/** A different count for each status. */
const counts = <Status extends string>(statuses: ReadonlyArray<Status>, first: number) =>
  Object.fromEntries(statuses.map((status, index) => [status, first + index])) as Record<Status, number>

/** Ports whose counts identify the day, with the number of transactions, and of those open at the same time. */
const makeEnvironment = () => {
  const seen = { open: 0, mostOpen: 0, transactions: 0, outside: 0 }
  const perDay =
    <A>(of: (day: number) => A) =>
    (_accountId: string, days: ReadonlyArray<UtcDay>) =>
      Effect.sync(() => {
        if (seen.open === 0) seen.outside++
        return days.map(({ from }) => of(from / 86_400_000))
      })
  const layer = Stats.layer.pipe(
    Layer.provide([
      Layer.succeed(Transaction, {
        run: (effect) =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              seen.transactions++
              seen.mostOpen = Math.max(seen.mostOpen, ++seen.open)
            }),
            () => Effect.andThen(pause(20), effect),
            () => Effect.sync(() => seen.open--)
          )
      }),
      Layer.mock(SubmissionStore, {
        countByDay: perDay((day) => ({
          statuses: counts(deliveryStatuses, day),
          opened: day + 100_000,
          clicked: day + 200_000
        }))
      }),
      Layer.mock(EventStore, { countByDay: perDay((day) => day + 300_000) }),
      Layer.mock(ContactStore, { countByDay: perDay((day) => day + 400_000) }),
      Layer.mock(RunStore, { countByDay: perDay((day) => counts(runStatuses, day + 500_000)) })
    ])
  )
  return { seen, layer }
}

it.effect("returns the counts of each port for each day, today first", () => {
  const { layer, seen } = makeEnvironment()
  return Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const today = Math.floor(now / 86_400_000)
    expect(yield* (yield* Stats).daily("a", 3)).toEqual(
      ["2031-05-06", "2031-05-05", "2031-05-04"].map((date, age) => ({
        date,
        emails: counts(deliveryStatuses, today - age),
        opens: today - age + 100_000,
        clicks: today - age + 200_000,
        events: today - age + 300_000,
        contacts: today - age + 400_000,
        runs: counts(runStatuses, today - age + 500_000)
      }))
    )
    expect(seen).toEqual({ open: 0, mostOpen: 1, transactions: 1, outside: 0 })
  }).pipe(Effect.provide(layer))
})

it.effect("counts for two of many concurrent calls at a time", () => {
  const { layer, seen } = makeEnvironment()
  return Effect.gen(function* () {
    const stats = yield* Stats
    const results = yield* Effect.all(
      times(9, (index) => stats.daily("a", index + 1)),
      { concurrency: "unbounded" }
    )
    expect(results.map((days) => days.length)).toEqual(times(9, (index) => index + 1))
    expect(seen).toEqual({ open: 0, mostOpen: 2, transactions: 9, outside: 0 })
  }).pipe(Effect.provide(layer))
})
