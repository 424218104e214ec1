/**
 * Model-based test with random histories of senders that send, hang, fail, freeze and die, while addresses are suppressed, emails
 * cancelled and people erased. Deliveries make only the documented transitions, and a message that may have been sent is never
 * sent again.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { layer as memory } from "../../../../adapters/memory/index.ts"
import { JobQueue } from "../../../../core/ports/JobQueue.ts"
import { type DeliveryMove, SubmissionStore } from "../../../../core/ports/SubmissionStore.ts"
import { SuppressionStore } from "../../../../core/ports/SuppressionStore.ts"
import { canMove, isPending } from "../../../../core/model/DeliveryStatus.ts"
import type { Outcome } from "../../../../core/model/Message.ts"
import type { Submission } from "../../../../core/model/Submission.ts"
import type { Script } from "../../../support/fakeTransport.ts"
import {
  deliveriesOf,
  draftMail,
  makeSender,
  queueMail,
  type Sender,
  sendingAccount
} from "../../../support/senders.ts"

const tags = [
  "Delivered",
  "Accepted",
  "Sent",
  "Deferred",
  "Bounced",
  "MailboxFull",
  "Refused",
  "Unknown",
  "Busy"
] as const
const ways = ["reply", "reject", "hang", "unanswered", "wait", "dieBefore", "dieAfter"] as const

const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("mail" as const), to: fc.nat({ max: 5 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("script" as const),
      sender: fc.nat({ max: 1 }),
      way: fc.constantFrom(...ways),
      tag: fc.constantFrom(...tags)
    })
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("work" as const), sender: fc.nat({ max: 1 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("freeze" as const), sender: fc.nat({ max: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("wake" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("later" as const),
      seconds: fc.constantFrom(1, 31, 70, 400, 4_000, 90_000)
    })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("suppress" as const), to: fc.nat({ max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancel" as const), index: fc.nat({ max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("erase" as const), to: fc.nat({ max: 5 }) }) }
)

type Action = typeof action extends fc.Arbitrary<infer A> ? A : never

/**
 * Lets fibers progress for some iterations of the event loop. Waiting by time would not suffice, because a busy machine may do
 * nothing for milliseconds.
 */
const progress = Effect.promise(async () => {
  await new Promise((resolve) => setTimeout(resolve, 2))
  for (let iteration = 0; iteration < 20; iteration++) await new Promise((resolve) => setImmediate(resolve))
})

const addressOf = (number: number): string => `person${number}@one.example`

const history = (actions: ReadonlyArray<Action>) => {
  const made: Array<DeliveryMove> = []
  /** The messages sent, in order, and whether the server rejected each one temporarily; only then may it be sent again. */
  const left: Array<{ readonly id: string; readonly again: boolean }> = []
  let gate = Promise.withResolvers<void>()

  const scriptOf =
    (way: (typeof ways)[number], tag: (typeof tags)[number], now: () => number): Script =>
    (message, pointOfNoReturn) => {
      const outcome = { _tag: tag, at: now() + 1_000 } as Outcome
      const point = Effect.tap(pointOfNoReturn, (granted) =>
        Effect.sync(() => {
          const replied = way === "reply" || way === "wait"
          if (granted) left.push({ id: message.deliveryId, again: replied && tag === "Deferred" })
        })
      )
      const reply = Effect.map(point, (granted): Outcome => (granted ? outcome : { _tag: "Withdrawn" }))
      switch (way) {
        case "reply":
          return reply
        case "reject":
          // Before the last byte, this is the only possible outcome.
          return Effect.succeed<Outcome>({ _tag: "Deferred" })
        case "hang":
          return Effect.never
        case "unanswered":
          return Effect.andThen(point, Effect.never)
        case "wait":
          return Effect.andThen(
            Effect.promise(() => gate.promise),
            reply
          )
        case "dieBefore":
          return Effect.die(new Error("broken"))
        case "dieAfter":
          return Effect.andThen(point, Effect.die(new Error("broken")))
      }
    }

  const spied = Layer.effect(
    SubmissionStore,
    Effect.map(SubmissionStore, (store) =>
      SubmissionStore.of({
        ...store,
        move: (moves) =>
          Effect.tap(store.move(moves), (moved) =>
            Effect.sync(() => {
              const ids = new Set(moved.map(({ id }) => id))
              made.push(...moves.filter(({ id }) => ids.has(id)))
            })
          )
      })
    )
  ).pipe(Layer.provideMerge(memory))

  return Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2031, 3, 6))
    const { id: accountId } = yield* sendingAccount()
    const store = yield* SubmissionStore
    const senders: Array<Sender> = [yield* makeSender, yield* makeSender]
    const mails: Array<Submission> = []
    let now = Date.UTC(2031, 3, 6)

    const later = (millis: number) =>
      Effect.suspend(() => {
        now += millis
        return TestClock.adjust(millis)
      })

    const act = Effect.fnUntraced(function* (one: Action) {
      switch (one.kind) {
        case "mail": {
          const mail = draftMail(accountId, [
            [addressOf(one.to), "To"],
            [addressOf((one.to + 1) % 6), "Bcc"]
          ])
          mails.push(mail)
          return yield* queueMail([mail], now)
        }
        case "script":
          senders[one.sender]!.transport.script = scriptOf(one.way, one.tag, () => now)
          return
        case "work":
          yield* Effect.forkScoped(senders[one.sender]!.worker.drain)
          return yield* progress
        case "freeze":
          // The sender continues, but its leases expire, and another sender takes over.
          senders[one.sender]!.frozen = true
          senders[one.sender] = yield* makeSender
          return
        case "wake":
          gate.resolve()
          gate = Promise.withResolvers()
          return yield* progress
        case "later":
          yield* later(one.seconds * 1_000)
          return yield* progress
        case "suppress":
          return yield* (yield* SuppressionStore).put([
            {
              accountId,
              email: addressOf(one.to),
              kind: "Protected",
              source: "Report" as const,
              createdAt: now
            }
          ])
        case "cancel": {
          const deliveries = yield* deliveriesOf(mails.slice(one.index, one.index + 1))
          const move = (from: "Queued" | "PendingReview", to: "PendingReview" | "Failed") =>
            store.move(
              deliveries
                .filter(({ status }) => status === "Queued")
                .map(({ attempts, id }) => ({
                  accountId,
                  id,
                  from,
                  to,
                  reason: null,
                  attempts,
                  claim: null,
                  at: now
                }))
            )
          yield* move("Queued", "PendingReview")
          yield* move("PendingReview", "Failed")
          return
        }
        case "erase":
          yield* (yield* JobQueue).erase(
            accountId,
            "deliveries",
            yield* store.erase(accountId, [addressOf(one.to)])
          )
      }
    })

    for (const one of actions) yield* act(one)

    // From here on nothing fails, so every delivery must reach a final state.
    for (const sender of senders) {
      sender.frozen = true
    }
    const last = yield* makeSender
    last.transport.script = scriptOf("reply", "Delivered", () => now)
    // First leases expire, then the longest wait for another attempt ends.
    for (const wait of [31_000, 31_000, 27 * 3_600_000, 31_000]) {
      yield* later(wait)
      yield* Effect.forkScoped(last.worker.drain)
      yield* progress
    }
    let ended = yield* deliveriesOf(mails)
    for (let tries = 0; tries < 500 && ended.some(({ status }) => isPending(status)); tries++) {
      yield* progress
      ended = yield* deliveriesOf(mails)
    }
    expect(ended.filter(({ status }) => isPending(status))).toEqual([])
    for (const { attempts } of ended) expect(attempts).toBeLessThanOrEqual(11)

    const status = new Map<string, string>()
    const attempts = new Map<string, number>()
    for (const move of made) {
      expect(move.from).toBe(status.get(move.id) ?? "Queued")
      if (move.from === move.to) expect(["Queued", "HandingOff"]).toContain(move.from)
      else expect(canMove(move.from, move.to)).toBe(true)
      expect(move.attempts).toBeGreaterThanOrEqual(attempts.get(move.id) ?? 0)
      expect(move.attempts).toBeLessThanOrEqual(11)
      status.set(move.id, move.to)
      attempts.set(move.id, move.attempts)
    }
    for (const times of Map.groupBy(left, ({ id }) => id).values()) {
      for (const { again } of times.slice(0, -1)) expect(again).toBe(true)
    }
  }).pipe(
    Effect.scoped,
    Effect.provide(Layer.provideMerge(Layer.fresh(spied), TestClock.layer())),
    Effect.provideService(References.MinimumLogLevel, "None")
  )
}

it(
  "deliveries make only listed moves, all end, and none is sent twice, in any history",
  { timeout: 240_000 },
  () =>
    fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), (actions) =>
        Effect.runPromise(history(actions))
      ),
      { numRuns: 40 }
    )
)
