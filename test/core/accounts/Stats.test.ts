/**
 * Tests of statistics. Daily counts: the counts of each port are returned, one port after another. Email counts by key: which
 * hours and days are read.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Stats } from "../../../core/accounts/Stats.ts"
import { runStatuses } from "../../../core/model/Run.ts"
import { ContactStore } from "../../../core/ports/ContactStore.ts"
import { EmailCountStore, type EmailCountQuery } from "../../../core/ports/EmailCountStore.ts"
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

/** Ports whose counts identify the day, and the most counts that ran at the same time. */
const makeEnvironment = () => {
  const seen = { running: 0, mostRunning: 0 }
  const queries: Array<EmailCountQuery> = []
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
        })),
        // Among the keys of the counts: only emails to one of the two domains were tried at a provider.
        providersOf: (_accountId, domains) =>
          Effect.succeed(new Map(domains.includes("Flow") ? [["Flow", "google"]] : []))
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
      Layer.mock(RunStore, { countByDay: perDay((day) => counts(runStatuses, day + 500_000)) }),
      Layer.mock(EmailCountStore, {
        count: (_accountId, query) => {
          queries.push(query)
          const at = query.since
          return Effect.succeed([
            { at, key: "Api", counter: "Delivered", count: 2 },
            { at, key: "Flow", counter: "Delivered", count: 3 },
            { at, key: "Flow", counter: "OpenedUnknown", count: 4 }
          ])
        }
      })
    ])
  )
  return { seen, queries, layer }
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

const hour = 3_600_000
const day = 24 * hour
const none = { unit: "Day", since: null, until: null } as const
const today = Math.floor(now / day) * day

it.effect("reads whole hours and days, of which the last has the end", () => {
  const { layer, queries } = makeEnvironment()
  return Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const stats = yield* Stats
    yield* stats.by("a", { ...none, by: "Tag" })
    yield* stats.by("a", { ...none, by: "Flow", unit: "Hour" })
    yield* stats.by("a", { by: "Domain", unit: "Day", since: today - 1, until: today })
    yield* stats.by("a", { by: "Domain", unit: "Day", since: today, until: today + 1 })
    const nextHour = (Math.floor(now / hour) + 1) * hour
    expect(queries).toEqual([
      { by: "Tag", unit: "Day", since: today - 29 * day, until: today + day },
      { by: "Flow", unit: "Hour", since: nextHour - 24 * hour, until: nextHour },
      { by: "Domain", unit: "Day", since: today - day, until: today },
      { by: "Domain", unit: "Day", since: today, until: today + day }
    ])
  }).pipe(Effect.provide(layer))
})

it.effect("counts emails for the providers of their domains", () => {
  const { layer, queries } = makeEnvironment()
  return Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const stats = yield* Stats
    expect(yield* stats.by("a", { ...none, by: "Provider" })).toMatchObject([
      { key: "google", delivered: 3, opened: { human: 0, unknown: 4, machine: 0 } },
      { key: "other", delivered: 2 }
    ])
    expect(queries.map(({ by }) => by)).toEqual(["Domain"])
    expect(yield* stats.by("a", { ...none, by: "Source" })).toMatchObject([
      { key: "Api", delivered: 2 },
      { key: "Flow", delivered: 3, opened: { human: 0, unknown: 4, machine: 0 }, complained: 0 }
    ])
  }).pipe(Effect.provide(layer))
})

it.effect.each([
  ["Day", 366, "since"],
  ["Hour", 168, "since"],
  ["Day", 0, "until"]
] as const)(
  "rejects a time in %s that is empty or has more than the maximum of %i",
  ([unit, count, field]) => {
    const { layer } = makeEnvironment()
    return Effect.gen(function* () {
      const stats = yield* Stats
      const length = unit === "Day" ? day : hour
      const read = (units: number) =>
        stats.by("a", { by: "Tag", unit, since: today - units * length, until: today })
      if (count > 0) yield* read(count)
      const problem = yield* Effect.flip(read(count === 0 ? 0 : count + 1))
      expect(problem).toMatchObject({ issues: [{ code: "validation.format", field }] })
    }).pipe(Effect.provide(layer))
  }
)
