/**
 * Helpers for tests of senders over storage in memory.
 *
 * @module
 */
import { it } from "@effect/vitest"
import { Effect, Fiber, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { layer as memory } from "../../adapters/memory/index.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { JobQueue } from "../../core/ports/JobQueue.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import type { Submission } from "../../core/model/Submission.ts"
import { changes, draftContact, pause, type StoragePorts } from "../contract/fixtures.ts"
import { deliveriesOf, draftMail } from "./senders.ts"

/** The start time of the tests: noon. */
export const start = Date.UTC(2031, 3, 6, 12)
export const minute = 60_000

/** A test with its own storage, and a clock that starts at `start`. */
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

/** The deliveries that are not final. */
export const pendingJobs = Effect.gen(function* () {
  const depths = yield* (yield* JobQueue).depth
  return depths.find(({ queue }) => queue === "deliveries")!.pending
})

/** The time limit in real time, in milliseconds. Only a failing test reaches it. */
const waitTimeout = 20_000

/** Waits until a condition holds, without advancing the test's clock. If it never holds, the caller's assertion fails. */
export const until = <E, R>(holds: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    const from = performance.now()
    while (performance.now() - from < waitTimeout && !(yield* holds)) yield* pause(2)
  })

/** Advances the test's clock by seconds until a condition holds. */
export const passUntil = <E, R>(holds: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    const from = performance.now()
    while (performance.now() - from < waitTimeout && !(yield* holds)) {
      yield* TestClock.adjust(1_000)
      yield* pause(1)
    }
  })

/** Advances the test's clock until a fiber has ended, and returns its result. */
export const passUntilEnded = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.andThen(passUntil(Effect.sync(() => fiber.pollUnsafe() !== undefined)), Fiber.join(fiber))

/** The fields that make an email a marketing email to these addresses. Each belongs to a contact with consent. */
export const marketingTo = Effect.fnUntraced(function* (accountId: string, emails: ReadonlyArray<string>) {
  const people = emails.map((email) => draftContact({ email, consentStatus: "Subscribed" }))
  yield* (yield* Transaction).run((yield* ContactStore).write(accountId, changes({ inserts: people })))
  const ids = new Map(people.map(({ email, id }) => [email, id]))
  return (email: string) =>
    ({ marketing: { contactId: ids.get(email)!, topicId: null } }) satisfies Partial<Submission>
})
