/**
 * Tests of what is counted about live mail when a batch of results is written.
 *
 * @module
 */
import { expect } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layer as crypto } from "../../../../adapters/crypto/Crypto.ts"
import { Ids } from "../../../../core/kernel/Ids.ts"
import { AuditTrail } from "../../../../core/accounts/AuditTrail.ts"
import { judgeJob } from "../../../../core/jobs/definitions/DomainJobs.ts"
import { JobQueue } from "../../../../core/ports/JobQueue.ts"
import { SubmissionStore } from "../../../../core/ports/SubmissionStore.ts"
import { StandingStore } from "../../../../core/ports/StandingStore.ts"
import { answering, refusing } from "../../../support/fakeTransport.ts"
import { makeSender, queueMail, type Sender, sendingAccount } from "../../../support/senders.ts"
import { marketingTo, minute, senderTest, start, states, to } from "../../../support/senderTests.ts"
import { serverOf } from "../../../support/lanes.ts"
import type { OutboundMessage } from "../../../../core/model/Message.ts"
import { noBucketCounts } from "../../../../core/model/Standing.ts"
import { Standings } from "../../../../core/sending/standing/Standings.ts"

/** Advances the clock, and sends what is due. */
const pass = (millis: number, { worker }: Sender) => Effect.andThen(TestClock.adjust(millis), worker.drain)

const conversation = (host: string, reply: string) => ({ host, tls: null, replies: [reply], error: null })

senderTest(
  "results are counted by the provider of the server and the address they left from, and those of a sandbox are not",
  Effect.gen(function* () {
    const live = yield* sendingAccount()
    const sandbox = yield* sendingAccount("Sandbox")
    const sender = yield* makeSender
    sender.transport.script = (message, pointOfNoReturn) => {
      const google = "gmail-smtp-in.l.google.com [192.0.2.1]"
      switch (message.recipient.slice(0, message.recipient.indexOf("@"))) {
        case "gone":
          return refusing({ _tag: "Bounced", conversation: conversation(google, "550 5.1.1 No such user") })(
            message,
            pointOfNoReturn
          )
        case "blocked":
          return refusing({ _tag: "Refused", conversation: conversation(google, "550 5.7.1 Blocked") })(
            message,
            pointOfNoReturn
          )
        default:
          return answering({
            _tag: "Delivered",
            conversation: conversation(google, "250 OK"),
            lane: "google@192.0.2.7"
          })(message, pointOfNoReturn)
      }
    }
    const names = ["a", "b", "gone", "blocked"]
    yield* queueMail([
      ...names.map((name) => to(live.id, `${name}@one.example`)),
      to(sandbox.id, "bounce@one.example")
    ])
    yield* sender.worker.drain
    const { buckets } = yield* StandingStore
    expect(yield* buckets([sandbox.id], "Day", 0)).toEqual([])
    // The standing is assessed once, a minute later.
    const { claim } = yield* JobQueue
    const now = (yield* Clock.currentTimeMillis) + 60_000
    const jobs = yield* claim({ queue: "domains", limit: 10, lease: 1_000, now })
    expect(jobs.filter(judgeJob.owns).map(({ accountId }) => accountId)).toEqual([live.id])
    const key = { stream: "Transactional", domain: "mail.example", provider: "google" }
    const counted = (yield* buckets([live.id], "Day", 0)).toSorted((one, other) => one.policy - other.policy)
    expect(counted).toMatchObject([
      { ...key, source: "192.0.2.7", handed: 2, delivered: 2, bounced: 0, policy: 0 },
      { ...key, source: null, handed: 2, delivered: 0, bounced: 1, policy: 1 }
    ])
    const { list } = yield* SubmissionStore
    const atProvider = (provider: string) =>
      Effect.map(
        list(live.id, { provider: [provider] }, { page: 1, pageSize: 10 }),
        ({ totalCount }) => totalCount
      )
    expect([yield* atProvider("google"), yield* atProvider("yahoo")]).toEqual([4, 0])
  })
)

senderTest(
  "marketing waits at a provider that refuses it by policy, until the rate is lower, and goes to others",
  Effect.gen(function* () {
    const account = yield* sendingAccount()
    const { id } = account
    const sender = yield* makeSender
    const store = yield* StandingStore
    const { judge } = yield* Effect.provide(
      Standings.make,
      AuditTrail.layer.pipe(Layer.provideMerge(Ids.layer), Layer.provideMerge(crypto))
    )
    const seen: Array<OutboundMessage> = []
    const atGoogle = serverOf(() => null, seen, "google")
    const elsewhere = serverOf(() => null, seen)
    sender.transport.script = (message, ...rest) =>
      (message.recipient.endsWith("@one.example") ? atGoogle : elsewhere)(message, ...rest)
    const people = ["first", "second", "third"].map((name) => `${name}@one.example`)
    const marketingOf = yield* marketingTo(id, [...people, "a@two.example"])
    const marketing = (email: string) => to(id, email, marketingOf(email))
    const key = {
      accountId: id,
      stream: "Marketing",
      domain: "mail.example",
      source: null,
      at: start
    } as const
    const refusedAt = (provider: string) =>
      store.add([{ ...key, ...noBucketCounts, provider, handed: 200, delivered: 180, policy: 20 }])
    yield* Effect.forEach(["google", "other"], refusedAt)
    yield* judge
    expect(yield* store.find([id])).toMatchObject([{ state: "Notice", heldUntil: null }])

    const first = marketing("first@one.example")
    yield* queueMail([first, marketing("a@two.example"), to(id, "receipt@one.example")])
    yield* sender.worker.drain
    const second = marketing("second@one.example")
    yield* queueMail([second])
    yield* sender.worker.drain
    expect(seen.map(({ recipient }) => recipient).toSorted()).toEqual([
      "a@two.example",
      "receipt@one.example"
    ])
    const held = ["Queued", "sending.standing_held", 0]
    expect(yield* states([first, second])).toEqual([held, held])

    // Mail is held for at most 72 hours.
    yield* pass(71 * 60 * minute, sender)
    expect(yield* states([first])).toEqual([held])
    const third = {
      ...marketing("third@one.example"),
      createdAt: yield* Clock.currentTimeMillis
    }
    yield* queueMail([third])
    yield* pass(2 * 60 * minute, sender)
    expect(yield* states([first, third])).toEqual([["Failed", "sending.held_too_long", 0], held])

    // By that time, most counts are older than seven days.
    yield* store.add([{ ...key, ...noBucketCounts, provider: "google", handed: 500, delivered: 500 }])
    yield* judge
    yield* pass(minute, sender)
    expect(yield* states([third])).toEqual([["Delivered", null, 1]])
  })
)
