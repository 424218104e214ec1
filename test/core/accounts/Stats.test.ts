/**
 * Daily counts: each port's counts are returned, one after another.
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
import { VisitStore } from "../../../core/ports/VisitStore.ts"
import { deliveryStatuses } from "../../../core/model/DeliveryStatus.ts"
import type { UtcDay } from "../../../core/shared/UtcDays.ts"
import { now, pause } from "../../contract/fixtures.ts"

/** A different count for each status. */
const counts = <Status extends string>(statuses: ReadonlyArray<Status>, first: number) =>
  Object.fromEntries(statuses.map((status, index) => [status, first + index])) as Record<Status, number>

/** Ports whose counts identify the day, with the most counts that ran at the same time. */
const makeEnvironment = () => {
  const seen = { running: 0, mostRunning: 0 }
  const perDay =
    <A>(of: (day: number) => A) =>
    (_accountId: string, days: ReadonlyArray<UtcDay>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          seen.mostRunning = Math.max(seen.mostRunning, ++seen.running)
        }),
        () =>
          Effect.as(
            pause(2),
            days.map(({ from }) => of(from / 86_400_000))
          ),
        () => Effect.sync(() => seen.running--)
      )
  const layer = Stats.layer.pipe(
    Layer.provide([
      Layer.mock(SubmissionStore, {
        countByDay: perDay((day) => ({
          statuses: counts(deliveryStatuses, day),
          softBounced: day + 800_000
        }))
      }),
      Layer.mock(VisitStore, {
        countByDay: perDay((day) => ({
          opened: day + 100_000,
          clicked: day + 200_000,
          openedUnknown: day + 900_000,
          clickedUnknown: day + 950_000,
          openedByMachines: day + 600_000,
          clickedByMachines: day + 700_000
        }))
      }),
      Layer.mock(EventStore, { countByDay: perDay((day) => day + 300_000) }),
      Layer.mock(ContactStore, { countByDay: perDay((day) => day + 400_000) }),
      Layer.mock(RunStore, { countByDay: perDay((day) => counts(runStatuses, day + 500_000)) })
    ])
  )
  return { seen, layer }
}

it.effect("returns the counts of each port for each day, today first, and takes one after another", () => {
  const { layer, seen } = makeEnvironment()
  return Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const today = Math.floor(now / 86_400_000)
    expect(yield* (yield* Stats).daily("a", 3)).toEqual(
      ["2031-05-06", "2031-05-05", "2031-05-04"].map((date, age) => ({
        date,
        emails: counts(deliveryStatuses, today - age),
        softBounces: today - age + 800_000,
        opens: today - age + 100_000,
        clicks: today - age + 200_000,
        opensUnknown: today - age + 900_000,
        clicksUnknown: today - age + 950_000,
        opensByMachines: today - age + 600_000,
        clicksByMachines: today - age + 700_000,
        events: today - age + 300_000,
        contacts: today - age + 400_000,
        runs: counts(runStatuses, today - age + 500_000)
      }))
    )
    expect(seen).toEqual({ running: 0, mostRunning: 1 })
  }).pipe(Effect.provide(layer))
})
