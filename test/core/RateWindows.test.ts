/**
 * Rate windows that are over are forgotten, the others are not.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../adapters/memory/index.ts"
import { forgetRateWindows } from "../../core/accounts/RateWindows.ts"
import { RateLimits } from "../../core/ports/RateLimits.ts"

it.effect("windows are forgotten an hour after they began", () =>
  Effect.gen(function* () {
    const limits = yield* RateLimits
    const windowStart = yield* Clock.currentTimeMillis
    const hit = { accountId: "account", subject: "api:key", windowStart, amount: 1 }
    yield* limits.count([hit])
    yield* Effect.forkChild(forgetRateWindows)
    yield* TestClock.adjust("59 minutes")
    expect(yield* limits.count([{ ...hit, amount: 0 }])).toEqual([1])
    yield* TestClock.adjust("3 minutes")
    expect(yield* limits.count([{ ...hit, amount: 0 }])).toEqual([0])
  }).pipe(Effect.provide(Memory.layer))
)
