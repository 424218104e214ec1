/**
 * What tests of senders over a store in memory share.
 *
 * @module
 */
import { it } from "@effect/vitest"
import { Effect, Fiber, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { layer as memory } from "../../adapters/memory/index.ts"
import { JobQueue } from "../../core/ports/JobQueue.ts"
import type { Submission } from "../../core/model/Submission.ts"
import { pause, type StoragePorts } from "../contract/fixtures.ts"
import { deliveriesOf, draftMail } from "./senders.ts"

/** When the tests begin: a noon. */
export const start = Date.UTC(2031, 3, 6, 12)
export const minute = 60_000

/** A test over a store of its own, from `start` on. */
export const senderTest = (name: string, body: Effect.Effect<void, unknown, StoragePorts | Scope.Scope>) =>
  it.effect(name, () =>
    Effect.andThen(TestClock.setTime(start), body).pipe(
      Effect.scoped,
      Effect.provide(memory, { local: true })
    )
  )

/** A submission to one address. */
export const to = (accountId: string, email: string, values: Partial<Submission> = {}) =>
  draftMail(accountId, [[email, "To"]], values)

/** The status, reason and attempts of each delivery. */
export const states = (submissions: ReadonlyArray<Submission>) =>
  Effect.map(deliveriesOf(submissions), (deliveries) =>
    deliveries.map(({ attempts, reason, status }) => [status, reason, attempts])
  )

/** Deliveries that still have a turn to come. */
export const pendingJobs = Effect.gen(function* () {
  const depths = yield* (yield* JobQueue).depth
  return depths.find(({ queue }) => queue === "deliveries")!.pending
})

/** How long something may take by the real clock, milliseconds; only a failure takes so long. */
const patience = 20_000

/** Waits until something holds while the test's clock stands still; what is expected then tells whether it ever did. */
export const until = <E, R>(holds: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    const from = performance.now()
    while (performance.now() - from < patience && !(yield* holds)) yield* pause(2)
  })

/** Lets the test's time pass, second by second, until something holds. */
export const passUntil = <E, R>(holds: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    const from = performance.now()
    while (performance.now() - from < patience && !(yield* holds)) {
      yield* TestClock.adjust(1_000)
      yield* pause(1)
    }
  })

/** Lets the test's time pass until a fiber ended, and answers as it did. */
export const passUntilEnded = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.andThen(passUntil(Effect.sync(() => fiber.pollUnsafe() !== undefined)), Fiber.join(fiber))
