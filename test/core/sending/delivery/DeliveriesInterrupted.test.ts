/**
 * Tests of a sender over the memory adapter that crashes, freezes, stops or fails with a defect.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect, Fiber, References } from "effect"
import { TestClock } from "effect/testing"
import { AttemptStore } from "../../../../core/ports/AttemptStore.ts"
import { type ClaimRequest, type Job, JobQueue } from "../../../../core/ports/JobQueue.ts"
import { SubmissionStore } from "../../../../core/ports/SubmissionStore.ts"
import { SuppressionStore } from "../../../../core/ports/SuppressionStore.ts"
import type { Submission } from "../../../../core/model/Submission.ts"
import { moveTo } from "../../../../core/sending/delivery/DeliveryRules.ts"
import type { Unavailable } from "../../../../core/shared/Problem.ts"
import { answering, hanging, unanswered } from "../../../support/fakeTransport.ts"
import { makeSender, queueMail, sendingAccount } from "../../../support/senders.ts"
import {
  minute,
  passUntil,
  passUntilEnded,
  pendingJobs,
  senderTest,
  start,
  states,
  to,
  until
} from "../../../support/senderTests.ts"

describe("a dispatch that fails", () => {
  senderTest(
    "ends its delivery after the last attempt, and delays no other",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const [bad, good] = [to(id, "bad@one.example"), to(id, "good@one.example")]
      const store = yield* SubmissionStore
      const sender = yield* Effect.provideService(makeSender, SubmissionStore, {
        ...store,
        unloaded: (refs) =>
          refs.some((ref) => ref.id === bad.id) ? Effect.die(new Error("broken")) : store.unloaded(refs)
      })
      yield* queueMail([bad, good])
      for (let tries = 1; tries <= 12; tries++) {
        yield* sender.worker.drain
        expect((yield* states([good]))[0]?.[0]).toBe("Delivered")
        if (tries < 12) expect(yield* states([bad])).toEqual([["Queued", null, 0]])
        const due = yield* sender.worker.nextDue
        if (due !== null) yield* TestClock.setTime(due)
      }
      expect(yield* states([bad])).toEqual([["Failed", "sending.retries_exhausted", 0]])
      expect(yield* pendingJobs).toBe(0)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
  )
})

describe("a sender whose lease expired", () => {
  senderTest(
    "does not cost an email its job by claiming it during another dispatch and putting it back",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const store = yield* SubmissionStore
      const mails = ["sent", "suppressed"].map((name) => to(id, `${name}@one.example`))
      const refs = mails.flatMap(({ deliveries }) => deliveries)
      /** Moves the emails as the late sender does. */
      const late = (from: "HandingOff" | "Queued", next: "HandingOff" | "Queued") =>
        Effect.flatMap(store.deliveries(refs), (found) =>
          store.move(found.map((delivery) => moveTo(delivery, from, [next, null], 0, start)))
        )
      let isClaimed = false
      const sender = yield* Effect.provideService(makeSender, SubmissionStore, {
        ...store,
        unloaded: (asked) =>
          Effect.tap(store.unloaded(asked), () => {
            if (isClaimed) return Effect.void
            isClaimed = true
            return late("Queued", "HandingOff")
          })
      })
      yield* (yield* SuppressionStore).put([
        {
          accountId: id,
          email: "suppressed@one.example",
          kind: "Protected",
          source: "Report" as const,
          createdAt: start
        }
      ])
      yield* queueMail(mails)
      yield* sender.worker.drain
      expect(sender.transport.asked).toEqual([])
      yield* late("HandingOff", "Queued")
      yield* TestClock.adjust(1_000)
      yield* sender.worker.drain
      expect(yield* states(mails)).toEqual([
        ["Delivered", null, 1],
        ["Suppressed", "sending.gate_protected", 0]
      ])
      expect(yield* pendingJobs).toBe(0)
    })
  )
})

describe("a sender that claims jobs and is slow to dispatch them", () => {
  /** A sender that waits after claiming jobs. */
  const slowSender = Effect.fnUntraced(function* (
    wait: (queue: JobQueue["Service"], request: ClaimRequest) => Effect.Effect<unknown, Unavailable>
  ) {
    const queue = yield* JobQueue
    const seen = { claims: 0 }
    const sender = yield* Effect.provideService(makeSender, JobQueue, {
      ...queue,
      claim: (request) =>
        Effect.tap(queue.claim(request), (jobs) =>
          jobs.length > 0 && ++seen.claims === 1 ? wait(queue, request) : Effect.void
        )
    })
    return { seen, sender }
  })

  senderTest(
    "sends no email whose job another process has claimed since",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const mails = ["one", "two", "three"].map((name) => to(id, `${name}@one.example`))
      const taken: Array<Job> = []
      const { sender } = yield* slowSender((queue, request) =>
        Effect.map(queue.claim({ ...request, limit: 2, now: request.now + request.lease }), (claimed) => {
          taken.push(...claimed)
        })
      )
      yield* queueMail(mails)
      yield* sender.worker.drain
      const isTaken = (mail: Submission) => taken.some(({ key }) => key === mail.deliveries[0]!.id)
      expect(yield* states(mails.filter(isTaken))).toEqual([
        ["Queued", null, 0],
        ["Queued", null, 0]
      ])
      expect(yield* states(mails.filter((mail) => !isTaken(mail)))).toEqual([["Delivered", null, 1]])
      expect(sender.transport.left).toHaveLength(1)
      yield* (yield* JobQueue).release(taken, start)
      const other = yield* makeSender
      yield* other.worker.drain
      expect(yield* states(mails)).toEqual(mails.map(() => ["Delivered", null, 1]))
      expect(other.transport.left).toHaveLength(2)
      expect(yield* pendingJobs).toBe(0)
    })
  )

  senderTest(
    "sends no email under a lease that has expired",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const mails = [to(id, "one@one.example")]
      const { seen, sender } = yield* slowSender((_, { lease }) => TestClock.adjust(lease))
      yield* queueMail(mails)
      yield* sender.worker.drain
      expect(seen.claims).toBe(2)
      expect(yield* states(mails)).toEqual([["Delivered", null, 1]])
      expect(sender.transport.left).toHaveLength(1)
    })
  )
})

describe("a sender that dies", () => {
  senderTest(
    "leaves a message to another before the last byte, and makes it Unknown after it",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const dead = yield* makeSender
      const mails = [to(id, "before@one.example"), to(id, "after@one.example")]
      dead.transport.script = (message, point) =>
        message.recipient.startsWith("before") ? hanging(message, point) : unanswered(message, point)
      yield* queueMail(mails)
      yield* Effect.forkChild(dead.worker.drain)
      yield* until(Effect.sync(() => dead.transport.active === 2 && dead.transport.left.length === 1))
      dead.frozen = true
      const other = yield* makeSender
      yield* other.worker.drain
      expect((yield* states(mails)).map(([status]) => status)).toEqual(["HandingOff", "HandingOff"])
      yield* TestClock.adjust(31_000)
      yield* other.worker.drain
      expect(yield* states(mails)).toEqual([
        ["Delivered", null, 1],
        ["Unknown", "sending.outcome_unknown", 1]
      ])
      expect(other.transport.left.map(({ recipient }) => recipient)).toEqual(["before@one.example"])
      expect(dead.transport.left.map(({ recipient }) => recipient)).toEqual(["after@one.example"])
      const attempts = yield* (yield* AttemptStore).of(mails.flatMap(({ deliveries }) => deliveries))
      expect(attempts.map(({ outcome }) => outcome).sort()).toEqual(["Delivered", "Lost", "Lost"])
      expect(yield* pendingJobs).toBe(0)
    })
  )

  senderTest(
    "withdraws its message when it wakes after its lease, and its result has no effect",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const frozen = yield* makeSender
      const wake = yield* Effect.acquireRelease(
        Effect.sync(() => Promise.withResolvers<void>()),
        () => Effect.void
      )
      const permissions: Array<boolean> = []
      frozen.transport.script = (_, point) =>
        Effect.promise(() => wake.promise).pipe(
          Effect.andThen(point),
          Effect.map((granted) => {
            permissions.push(granted)
            return granted ? { _tag: "Delivered" as const } : { _tag: "Withdrawn" as const }
          })
        )
      const mail = to(id, "a@one.example")
      yield* queueMail([mail])
      const drained = yield* Effect.forkChild(frozen.worker.drain)
      yield* until(Effect.sync(() => frozen.transport.active === 1))
      frozen.frozen = true
      yield* TestClock.adjust(31_000)
      const other = yield* makeSender
      other.transport.script = answering({ _tag: "Sent" })
      yield* other.worker.drain
      wake.resolve()
      yield* Fiber.join(drained)
      expect(permissions).toEqual([false])
      expect(frozen.transport.left).toEqual([])
      expect(yield* states([mail])).toEqual([["Sent", null, 1]])
      expect(yield* pendingJobs).toBe(0)
    })
  )

  senderTest(
    "is interrupted at the next lease extension when its claim was lost",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const sender = yield* makeSender
      sender.transport.script = hanging
      const mail = to(id, "a@one.example")
      yield* queueMail([mail])
      const drained = yield* Effect.forkChild(sender.worker.drain)
      yield* until(Effect.sync(() => sender.transport.active === 1))
      expect(sender.transport.active).toBe(1)
      // Another worker claims the job, as it would after a jump of the clock.
      const queue = yield* JobQueue
      const [taken] = yield* queue.claim({
        queue: "deliveries",
        limit: 1,
        lease: 60 * minute,
        now: start + 31_000
      })
      expect(taken).toBeDefined()
      yield* passUntil(Effect.sync(() => sender.transport.active === 0))
      expect(sender.transport.active).toBe(0)
      yield* Fiber.interrupt(drained)
    })
  )
})

describe("a concurrent change", () => {
  senderTest(
    "suppresses a delivery whose address was suppressed while its sender died",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const dead = yield* makeSender
      dead.transport.script = hanging
      const mail = to(id, "a@one.example")
      yield* queueMail([mail])
      yield* Effect.forkChild(dead.worker.drain)
      yield* until(Effect.sync(() => dead.transport.active === 1))
      dead.frozen = true
      yield* (yield* SuppressionStore).put([
        {
          accountId: id,
          email: "a@one.example",
          kind: "Protected",
          source: "Report" as const,
          createdAt: start
        }
      ])
      yield* TestClock.adjust(31_000)
      const other = yield* makeSender
      yield* other.worker.drain
      expect(other.transport.asked).toEqual([])
      expect(yield* states([mail])).toEqual([["Suppressed", "sending.gate_protected", 0]])
    })
  )

  senderTest(
    "sends nothing to a person erased before the last byte, and records nothing of one erased after it",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const sender = yield* makeSender
      const store = yield* SubmissionStore
      const erase = (email: string) => Effect.orDie(store.erase(id, [email]))
      sender.transport.script = (message, point) =>
        message.recipient.startsWith("early")
          ? Effect.andThen(erase(message.recipient), answering({ _tag: "Bounced" })(message, point))
          : Effect.gen(function* () {
              yield* point
              yield* erase(message.recipient)
              return { _tag: "Bounced" as const }
            })
      const mails = [to(id, "early@one.example"), to(id, "late@one.example")]
      yield* queueMail(mails)
      yield* sender.worker.drain
      yield* TestClock.adjust(2_000)
      yield* sender.worker.drain
      expect(sender.transport.left.map(({ recipient }) => recipient)).toEqual(["late@one.example"])
      expect(yield* states(mails)).toEqual([])
      expect(yield* (yield* AttemptStore).of(mails.flatMap(({ deliveries }) => deliveries))).toEqual([])
      expect((yield* (yield* SuppressionStore).list(id, { page: 1, pageSize: 5 })).totalCount).toBe(0)
      expect(yield* pendingJobs).toBe(0)
    })
  )
})

describe("a stop", () => {
  senderTest(
    "waits for conversations, then makes Queued what cannot have been sent and Unknown what may have been",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const sender = yield* makeSender
      const mails = ["soon", "before", "after"].map((name) => to(id, `${name}@one.example`))
      sender.transport.script = (message, point) => {
        if (message.recipient.startsWith("before")) return hanging(message, point)
        if (message.recipient.startsWith("after")) return unanswered(message, point)
        return Effect.andThen(Effect.sleep(3_000), answering({ _tag: "Delivered" })(message, point))
      }
      yield* queueMail(mails)
      const running = yield* Effect.forkChild(sender.worker.run)
      yield* until(Effect.sync(() => sender.transport.active === 3 && sender.transport.left.length === 1))
      const stopped = yield* Effect.forkChild(Fiber.interrupt(running))
      // Shorter than the time for which a stop waits for SMTP sessions.
      yield* TestClock.adjust(3_000)
      yield* until(Effect.map(states(mails), ([soon]) => soon?.[0] === "Delivered"))
      expect((yield* states(mails)).map(([status]) => status)).toEqual([
        "Delivered",
        "HandingOff",
        "HandingOff"
      ])
      yield* passUntilEnded(stopped)
      expect(yield* states(mails)).toEqual([
        ["Delivered", null, 1],
        ["Queued", null, 0],
        ["Unknown", "sending.outcome_unknown", 1]
      ])
      expect(sender.transport.active).toBe(0)
      // Immediately, without waiting for a lease to expire.
      const next = yield* makeSender
      yield* next.worker.drain
      expect(yield* states(mails)).toEqual([
        ["Delivered", null, 1],
        ["Delivered", null, 1],
        ["Unknown", "sending.outcome_unknown", 1]
      ])
    })
  )
})
