/**
 * Counts of past days are forgotten, those of today and yesterday are not.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../../adapters/memory/index.ts"
import { SendQuota } from "../../../../core/ports/SendQuota.ts"
import { pruneSendCounts } from "../../../../core/sending/delivery/SendCounts.ts"

it.effect("a day's count is kept until the next day is over", () =>
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
