/**
 * Tests that pruning deletes old rows and keeps the others.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/index.ts"
import { SegmentSizes } from "../../../core/audience/segments/SegmentSizes.ts"
import {
  countSegments,
  keepPartitions,
  pruneRateWindows,
  pruneSendCounts,
  pruneStoreEvents
} from "../../../core/app/maintenance.ts"
import { pruneEvery } from "../../../core/jobs/Pruning.ts"
import { Partitions } from "../../../core/ports/Partitions.ts"
import { RateLimits } from "../../../core/ports/RateLimits.ts"
import { SendQuota } from "../../../core/ports/SendQuota.ts"
import { SyncStore } from "../../../core/ports/SyncStore.ts"
import { Unavailable } from "../../../core/shared/Problem.ts"

describe("pruning", () => {
  it.effect("deletes rate windows an hour after they began", () =>
    Effect.gen(function* () {
      const limits = yield* RateLimits
      const windowStart = yield* Clock.currentTimeMillis
      const hit = { accountId: "account", subject: "api:key", windowStart, amount: 1 }
      yield* limits.count([hit])
      yield* Effect.forkChild(pruneRateWindows)
      yield* TestClock.adjust("59 minutes")
      expect(yield* limits.count([{ ...hit, amount: 0 }])).toEqual([1])
      yield* TestClock.adjust("3 minutes")
      expect(yield* limits.count([{ ...hit, amount: 0 }])).toEqual([0])
    }).pipe(Effect.provide(Memory.layer))
  )

  it.effect("deletes the ids of store events after 30 days", () =>
    Effect.gen(function* () {
      const sync = yield* SyncStore
      yield* sync.remember(
        "account",
        "store",
        [{ id: "event", name: "order.placed" }],
        yield* Clock.currentTimeMillis
      )
      const seen = sync.seen("account", "store", ["event"])
      yield* Effect.forkChild(pruneStoreEvents)
      yield* TestClock.adjust("30 days")
      expect(yield* seen).toEqual(["event"])
      yield* TestClock.adjust("1 hour")
      expect(yield* seen).toEqual([])
    }).pipe(Effect.provide(Memory.layer))
  )

  it.effect("deletes a day's count of emails once the next day has ended", () =>
    Effect.gen(function* () {
      const quota = yield* SendQuota
      yield* TestClock.setTime(Date.UTC(2031, 3, 6, 12))
      const wish = { accountId: "account", day: "2031-04-06", wanted: 1, limit: 1 }
      expect(yield* quota.take([wish])).toEqual([1])
      yield* Effect.forkChild(pruneSendCounts)
      yield* TestClock.adjust("35 hours")
      expect(yield* quota.take([wish])).toEqual([0])
      yield* TestClock.adjust("3 hours")
      expect(yield* quota.take([wish])).toEqual([1])
    }).pipe(Effect.provide(Memory.layer))
  )

  it.effect("continues until nothing old is left, and again after the database was unavailable", () =>
    Effect.gen(function* () {
      let old = 25
      let calls = 0
      const prune = (_before: number, limit: number) =>
        Effect.suspend(() => {
          if (++calls === 1) return Effect.fail(new Unavailable({ cause: "unreachable" }))
          const gone = Math.min(limit, old)
          old -= gone
          return Effect.succeed(gone)
        })
      yield* Effect.forkChild(
        pruneEvery({ name: "things", every: "1 minute", keptMillis: 0, perRound: 10, prune })
      )
      yield* TestClock.adjust("1 minute")
      expect([calls, old]).toEqual([1, 25])
      yield* TestClock.adjust("1 minute")
      expect([calls, old]).toEqual([4, 0])
    })
  )
})

describe("segments", () => {
  it.effect("are counted hourly, also after they could not be", () =>
    Effect.gen(function* () {
      let rounds = 0
      const begin = Effect.suspend(() =>
        ++rounds === 1 ? Effect.fail(new Unavailable({ cause: "unreachable" })) : Effect.void
      )
      const sizes = SegmentSizes.of({ begin, run: () => Effect.void, list: () => Effect.succeed([]) })
      yield* Effect.forkChild(Effect.provideService(countSegments, SegmentSizes, sizes))
      yield* TestClock.adjust("59 minutes")
      expect(rounds).toBe(0)
      yield* TestClock.adjust("2 hours")
      expect(rounds).toBe(2)
    })
  )
})

describe("partitions", () => {
  it.effect(
    "are made and dropped seconds after the start and then hourly, also after they could not be made",
    () =>
      Effect.gen(function* () {
        const made: Array<string> = []
        let isFull = true
        const partitions = Partitions.of({
          extend: () =>
            Effect.suspend(() => {
              made.push("made")
              return isFull ? Effect.die(new Error("the disk is full")) : Effect.succeed(2)
            }),
          drop: () => Effect.sync(() => made.push("dropped")),
          tables: Effect.succeed([])
        })
        yield* Effect.forkChild(Effect.provideService(keepPartitions, Partitions, partitions))
        yield* TestClock.adjust("4 seconds")
        expect(made).toEqual([])
        yield* TestClock.adjust("1 second")
        expect(made).toEqual(["made", "dropped"])
        isFull = false
        yield* TestClock.adjust("1 hour")
        expect(made).toEqual(["made", "dropped", "made", "dropped"])
      })
  )
})
