/**
 * Tests of a sender over the memory adapter: mail that a provider rejects is held, and sent once the provider accepts it.
 *
 * @module
 */
import { PublicEndpoint } from "../../../../core/kernel/PublicEndpoint.ts"
import { SourceStore } from "../../../../core/ports/SourceStore.ts"
import { draftCampaign } from "../../../contract/CampaignStore.ts"
import { newId } from "../../../contract/fixtures.ts"
import { expect } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layer as crypto } from "../../../../adapters/crypto/Crypto.ts"
import { AuditTrail } from "../../../../core/accounts/AuditTrail.ts"
import { Ids } from "../../../../core/kernel/Ids.ts"
import { systemActor } from "../../../../core/model/Actor.ts"
import { type Feedback, learned, newLane } from "../../../../core/model/Lane.ts"
import type { OutboundMessage } from "../../../../core/model/Message.ts"
import { notDueReasons } from "../../../../core/model/DeliveryStatus.ts"
import { newDomain } from "../../../../core/model/Domain.ts"
import { campaignJob } from "../../../../core/jobs/definitions/CampaignJobs.ts"
import { laneReleaseJob } from "../../../../core/jobs/definitions/DomainJobs.ts"
import { CampaignStore } from "../../../../core/ports/CampaignStore.ts"
import { JobQueue } from "../../../../core/ports/JobQueue.ts"
import { DomainStore } from "../../../../core/ports/DomainStore.ts"
import { AttemptStore } from "../../../../core/ports/AttemptStore.ts"
import { Dns, DnsMissing } from "../../../../core/ports/Dns.ts"
import { LaneShares, wholeShare } from "../../../../core/kernel/LaneShares.ts"
import { LaneMemories } from "../../../../core/sending/shaping/LaneMemories.ts"
import { Sites } from "../../../../core/sending/shaping/Sites.ts"
import { ShapingControl } from "../../../../core/sending/shaping/ShapingControl.ts"
import { ShapingStore } from "../../../../core/ports/ShapingStore.ts"
import { SubmissionStore } from "../../../../core/ports/SubmissionStore.ts"
import { SuppressionStore } from "../../../../core/ports/SuppressionStore.ts"
import { lane, serverOf } from "../../../support/lanes.ts"
import { deliveriesOf, makeSender, queueMail, type Sender, sendingAccount } from "../../../support/senders.ts"
import {
  marketingTo,
  minute,
  pendingJobs,
  senderTest,
  start,
  states,
  to
} from "../../../support/senderTests.ts"

const hour = 60 * minute
const day = 24 * hour
const blocked = "554 5.7.1 Client host [192.0.2.9] blocked using zen.example; ask ada@one.example"

const mailsTo = (id: string, count: number) =>
  Array.from({ length: count }, (_, index) => to(id, `p${index}@one.example`))

/** Advances the clock, and sends what is due. */
const pass = (millis: number, ...senders: ReadonlyArray<Sender>) =>
  Effect.andThen(
    TestClock.adjust(millis),
    Effect.forEach(senders, ({ worker }) => worker.drain, { discard: true })
  )

const suppressed = (id: string) =>
  Effect.gen(function* () {
    return (yield* (yield* SuppressionStore).list(id, { page: 1, pageSize: 10 })).items
  })

const open = Effect.gen(function* () {
  return (yield* (yield* ShapingStore).page({ page: 1, pageSize: 10 }, { open: { is: true, at: start } }))
    .items
})

senderTest(
  "mail to a server that blocks this service is held without an attempt, and sent slowly once it takes mail",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const senders = [yield* makeSender, yield* makeSender] as const
    const seen: Array<OutboundMessage> = []
    let says: string | null = blocked
    for (const { transport } of senders) transport.script = serverOf(() => says, seen)
    const mails = mailsTo(id, 40)
    yield* queueMail(mails)
    yield* pass(0, ...senders)
    expect(yield* states(mails)).toEqual(mails.map(() => ["Queued", "sending.provider_held", 0]))
    const before = seen.length
    const [first] = yield* open
    expect(first).toMatchObject({ lane, accountId: null, action: "PauseSource", until: start + 2 * hour })
    expect(first?.words).toBe("554 5.7.1 Client host [192.0.2.9] blocked using zen.example; ask <address>")
    const attempts = yield* (yield* AttemptStore).of(mails.flatMap(({ deliveries }) => deliveries))
    expect(new Set(attempts.map(({ outcome }) => outcome))).toEqual(new Set(["Held"]))

    // Mail that is queued later is not offered to the server.
    yield* queueMail([to(id, "later@one.example")])
    yield* pass(hour, ...senders)
    expect(seen).toHaveLength(before)

    // A single message tests whether the server still rejects, whatever the number of processes.
    yield* pass(hour, ...senders)
    expect(seen).toHaveLength(before + 1)
    expect(yield* open).toMatchObject([{ id: first?.id, minutes: 240, until: start + 6 * hour }])

    says = null
    yield* pass(4 * hour, ...senders)
    expect(seen).toHaveLength(before + 2)
    expect(yield* open).toEqual([])
    yield* pass(minute, ...senders)
    expect(seen.length).toBeLessThan(before + 10)
    for (let step = 0; step < 60 && (yield* pendingJobs) > 0; step++) yield* pass(15_000, ...senders)
    expect((yield* states(mails)).filter(([status]) => status !== "Delivered")).toEqual([])
    expect(yield* suppressed(id)).toEqual([])
  })
)

senderTest(
  "mail that is held for too long fails, and its address is not suppressed",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const sender = yield* makeSender
    sender.transport.script = serverOf(() => blocked)
    const mails = mailsTo(id, 3)
    yield* queueMail(mails)
    for (let half = 0; half < 9; half++) yield* pass(half === 0 ? 0 : 12 * hour + minute, sender)
    expect(yield* states(mails)).toEqual(mails.map(() => ["Queued", "sending.provider_held", 0]))
    for (let half = 0; half < 3; half++) yield* pass(12 * hour + 10 * minute, sender)
    yield* pass(10 * minute, sender)
    expect((yield* states(mails)).map(([status, reason]) => [status, reason])).toContainEqual([
      "Failed",
      "sending.held_too_long"
    ])
    expect(yield* suppressed(id)).toEqual([])
  })
)

senderTest(
  "mail that waited longer than it may be held, for a person or for another day, is held as long as other mail",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const sender = yield* makeSender
    sender.transport.script = serverOf(() => blocked)
    const mails = notDueReasons.map((reason) => {
      const mail = to(id, "p@one.example", { createdAt: start, acceptedReason: reason })
      return { ...mail, deliveries: mail.deliveries.map((one) => ({ ...one, updatedAt: start })) }
    })
    const later = start + 6 * day
    yield* queueMail(mails, later)
    yield* pass(6 * day, sender)
    const held = mails.map(() => ["Queued", "sending.provider_held", 0])
    expect(yield* states(mails)).toEqual(held)
    for (let half = 1; half < 10; half++) yield* pass(12 * hour, sender)
    expect(yield* states(mails)).toEqual(held)
    // The message that was tried last is held for another half day.
    for (let half = 0; half < 2; half++) yield* pass(12 * hour + minute, sender)
    expect(yield* states(mails)).toEqual(mails.map(() => ["Failed", "sending.held_too_long", 0]))
  })
)

senderTest(
  "a refusal that does not say whom it concerns holds its sender's mail until other mail shows whom it concerns",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const other = yield* sendingAccount()
    const sender = yield* makeSender
    const seen: Array<OutboundMessage> = []
    sender.transport.script = serverOf(
      ({ recipient }) => (recipient.startsWith("refused") ? "550 5.7.1 denied" : null),
      seen
    )
    const refused = to(id, "refused@one.example")
    yield* queueMail([refused])
    yield* pass(0, sender)
    expect(yield* states([refused])).toEqual([["Queued", "sending.sender_held", 0]])

    const mail = to(id, "welcome@one.example")
    const others = to(other.id, "welcome@one.example")
    yield* queueMail([mail, others])
    yield* pass(minute, sender)
    expect(yield* states([mail, others])).toEqual([
      ["Queued", "sending.sender_held", 0],
      ["Delivered", null, 1]
    ])

    yield* pass(10 * minute, sender)
    expect(yield* states([mail])).toEqual([["Delivered", null, 1]])
    for (let step = 0; step < 8; step++) yield* pass(minute, sender)
    expect(yield* states([refused])).toEqual([["Failed", "sending.refused", 0]])
    expect(seen.filter(({ recipient }) => recipient.startsWith("refused"))).toHaveLength(2)
    expect(yield* suppressed(id)).toEqual([])
  })
)

senderTest(
  "a server that asks for less is sent less, and no attempt is used",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const sender = yield* makeSender
    const seen: Array<OutboundMessage> = []
    let says: string | null = "421 4.7.28 unusual rate of mail, try again in 5 minutes"
    sender.transport.script = serverOf(() => says, seen)
    const mails = mailsTo(id, 30)
    yield* queueMail(mails)
    yield* pass(0, sender)
    says = null
    const before = seen.length
    yield* pass(4 * minute, sender)
    expect(seen).toHaveLength(before)
    expect((yield* states(mails)).every(([, , attempts]) => attempts === 0)).toBe(true)
    for (let step = 0; step < 4; step++) yield* pass(15_000 + (step === 0 ? minute : 0), sender)
    expect(seen.length - before).toBeGreaterThan(0)
    expect(seen.length - before).toBeLessThan(40)
    for (let step = 0; step < 60 && (yield* pendingJobs) > 0; step++) yield* pass(15_000, sender)
    expect((yield* states(mails)).filter(([status]) => status !== "Delivered")).toEqual([])
    expect((yield* deliveriesOf(mails)).every(({ attempts }) => attempts === 1)).toBe(true)
  })
)

/** A DNS in which the given domains have these mail servers and nothing else exists. */
const dnsWith = (exchanges: Readonly<Record<string, string>>) =>
  Layer.succeed(
    Dns,
    Dns.of({
      txt: (name) => Effect.fail(new DnsMissing({ name })),
      mx: (name) => {
        const exchange = exchanges[name]
        return exchange === undefined
          ? Effect.fail(new DnsMissing({ name }))
          : Effect.succeed([{ preference: 10, exchange }])
      },
      addresses: (name) => Effect.fail(new DnsMissing({ name }))
    })
  )

const makeControl = (exchanges: Readonly<Record<string, string>> = {}) =>
  Effect.map(
    Layer.build(
      ShapingControl.layer.pipe(
        Layer.provide(AuditTrail.layer),
        Layer.provide([
          Ids.layer,
          dnsWith(exchanges),
          Layer.succeed(PublicEndpoint, {
            baseUrl: () => "https://svc.example",
            mailHost: "mail.svc.example",
            takesReports: true
          })
        ]),
        Layer.provide(crypto)
      )
    ),
    (built) => Context.get(built, ShapingControl)
  )

senderTest(
  "an operator holds mail, sends it before its time, and ends what is held",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const sender = yield* makeSender
    const control = yield* makeControl()
    sender.transport.script = serverOf(() => null)
    const named = { provider: null, site: null, domain: "one.example", accountId: null }
    const notice = yield* control.suspend(named, null, "They asked us to wait.", systemActor)
    expect(notice).toMatchObject({ lane: "domain:one.example", cause: "Operator", held: 0 })
    const mails = mailsTo(id, 3)
    yield* queueMail(mails)
    yield* pass(6_000, sender)
    const held = mails.map(() => ["Queued", "sending.provider_held", 0])
    expect(yield* states(mails)).toEqual(held)
    expect(yield* control.explain("Ada@One.example", id)).toMatchObject({
      domain: "one.example",
      notices: [{ id: notice.id, held: 3, words: "They asked us to wait." }]
    })

    const wrong = yield* Effect.flip(control.bounce(named, "gone", 2, null, systemActor))
    expect(JSON.stringify(wrong)).toContain("shaping.count_changed")
    const nothing = yield* Effect.flip(control.resume({ ...named, provider: "yahoo" }, systemActor))
    expect(JSON.stringify(nothing)).toContain("shaping.lane_invalid")

    expect(yield* control.resume(named, systemActor)).toBe(3)
    for (let step = 0; step < 8; step++) yield* pass(6_000, sender)
    expect(yield* states(mails)).toEqual(mails.map(() => ["Delivered", null, 1]))

    yield* control.suspend({ ...named, accountId: id }, start + hour, "again", systemActor)
    const others = mailsTo(id, 2)
    yield* queueMail(others)
    yield* pass(6_000, sender)
    expect(yield* states(others)).toEqual(held.slice(1))
    expect(yield* control.bounce(named, "They never answer.", 2, null, systemActor)).toBe(2)
    yield* sender.worker.drain
    expect(yield* states(others)).toEqual(others.map(() => ["Failed", "sending.given_up", 0]))
    expect(yield* suppressed(id)).toEqual([])
    expect(yield* pendingJobs).toBe(0)

    // The suspension ends by itself at its end time.
    yield* pass(hour, sender)
    const last = mailsTo(id, 1)
    yield* queueMail(last)
    yield* pass(6_000, sender)
    expect(yield* states(last)).toEqual([["Delivered", null, 1]])
  })
)

senderTest(
  "a lane begins slowly when a suspension by an operator ends at its time, and not once it is flushed",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const sender = yield* makeSender
    const control = yield* makeControl()
    const store = yield* ShapingStore
    const seen: Array<OutboundMessage> = []
    const site = "mimecast:192.0.2.1"
    sender.transport.script = serverOf(() => null, seen, site)
    const rows = (name: string) =>
      Effect.map(store.lanes({ page: 1, pageSize: 10 }, { lane: [name] }), ({ items }) =>
        items.map((row) => [row.lane, row.width, row.slowStart?.learned ?? null])
      )
    yield* queueMail(mailsTo(id, 1))
    yield* pass(0, sender)
    const named = { provider: null, site: null, domain: null, accountId: null }
    // Also for a lane about which nothing is stored yet.
    yield* control.suspend({ ...named, site: lane }, start + hour, "Wait.", systemActor)
    yield* control.suspend({ ...named, provider: "google" }, start + hour, "Wait.", systemActor)
    expect([...(yield* rows(lane)), ...(yield* rows("google"))]).toEqual([
      [lane, 1, 3],
      ["google", 1, 3]
    ])
    // A provider whose sites have their own limits is suspended as a whole.
    const whole = { ...named, provider: "mimecast" }
    yield* control.suspend(whole, start + hour, "Wait.", systemActor)
    const mails = mailsTo(id, 60)
    yield* queueMail(mails)
    yield* pass(6_000, sender)
    expect(yield* states(mails)).toEqual(mails.map(() => ["Queued", "sending.provider_held", 0]))
    yield* pass(hour - 6_000, sender)
    for (let step = 0; step < 10; step++) yield* pass(5_000, sender)
    const slowly = seen.length
    expect(slowly).toBeGreaterThan(4)
    expect(slowly).toBeLessThan(10)
    yield* control.flush(whole, systemActor)
    for (let step = 0; step < 12; step++) yield* pass(5_000, sender)
    expect(seen.length - slowly).toBeGreaterThan(20)
    for (let step = 0; step < 18; step++) yield* pass(5_000, sender)
    expect(yield* states(mails)).toEqual(mails.map(() => ["Delivered", null, 1]))

    // A suspension of one account's mail slows no other account.
    const other = yield* sendingAccount()
    yield* control.suspend({ ...named, site, accountId: other.id }, null, "Wait.", systemActor)
    yield* pass(6_000, sender)
    yield* control.resume({ ...named, site, accountId: other.id }, systemActor)
    const more = mailsTo(id, 30)
    yield* queueMail(more)
    for (let step = 0; step < 3; step++) yield* pass(5_000, sender)
    expect(yield* states(more)).toEqual(more.map(() => ["Delivered", null, 1]))
  })
)

senderTest(
  "mail that meets a suspension late fails when it was due for five days, not when the suspension ends",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const sender = yield* makeSender
    const control = yield* makeControl()
    sender.transport.script = serverOf(() => blocked)
    const due = { createdAt: start - 5 * day + hour }
    // One message is rejected by its server. The other meets the operator's suspension only once its servers are looked up.
    const named = { provider: "google", site: null, domain: null, accountId: null }
    yield* control.suspend(named, null, "Wait.", systemActor)
    const mails = [to(id, "p@one.example", due), to(id, "p@two.example", due)]
    yield* queueMail(mails.slice(0, 1))
    yield* pass(6_000, sender)
    sender.transport.script = serverOf(() => null, [], "google")
    yield* queueMail(mails.slice(1))
    yield* pass(0, sender)
    expect(yield* states(mails)).toEqual(mails.map(() => ["Queued", "sending.provider_held", 0]))
    yield* pass(hour, sender)
    expect(yield* states(mails)).toEqual(mails.map(() => ["Failed", "sending.held_too_long", 0]))
  })
)

senderTest(
  "an operator who names a domain ends what holds the provider that it leads to, and holds the domain alone",
  Effect.gen(function* () {
    const control = yield* makeControl({ "one.example": "mta5.am0.yahoodns.net" })
    const ofDomain = { provider: null, site: null, domain: "One.example", accountId: null }
    const ofProvider = { ...ofDomain, provider: "yahoo", domain: null }
    for (const act of [control.resume, control.flush]) {
      yield* control.suspend(ofProvider, null, "They asked us to wait.", systemActor)
      expect(yield* control.explain("ada@one.example", null)).toMatchObject({
        lane: "yahoo",
        notices: [{ lane: "yahoo" }],
        next: start + 5 * 24 * hour
      })
      expect(yield* act(ofDomain, systemActor)).toBe(0)
      expect(yield* open).toEqual([])
    }
    yield* control.suspend(ofDomain, null, "They asked us to wait.", systemActor)
    expect((yield* open).map((one) => one.lane)).toEqual(["domain:one.example"])

    // The number of messages that each source may send there.
    const sources = yield* SourceStore
    const source = { name: null, pool: "default", mode: "Active", isForced: true, reverse: null } as const
    const plan = { day: 2, on: "2031-04-06", startedAt: start, movedBackAt: null }
    const [one, other] = [newId(), newId()]
    yield* sources.insert({ ...source, id: one, address: "192.0.2.1", warmUp: plan, createdAt: start })
    yield* sources.insert({ ...source, id: other, address: "192.0.2.2", warmUp: null, createdAt: start + 1 })
    const [row] = yield* sources.lockDays([{ sourceId: one, day: "2031-04-06", bucket: "yahoo" }])
    yield* sources.putDays([{ ...row!, sent: 7 }])
    yield* control.suspend(
      { ...ofProvider, source: "192.0.2.2" },
      null,
      "They asked us to wait.",
      systemActor
    )
    const explained = yield* control.explain("ada@one.example", null)
    expect(explained.sources).toMatchObject([
      { source: { address: "192.0.2.1", warmUp: { day: 2 } }, heldUntil: null, group: { cap: 100, sent: 7 } },
      {
        source: { address: "192.0.2.2", state: "Unready" },
        heldUntil: start + 5 * 24 * hour,
        group: { cap: null, sent: 0 }
      }
    ])
  })
)

senderTest(
  "an operator sees the limits that a server stated, as long as they count",
  Effect.gen(function* () {
    const control = yield* makeControl({ "one.example": "mx1.yahoodns.net" })
    const store = yield* ShapingStore
    const stated: Feedback = {
      _tag: "Stated",
      statement: { connections: 2, messages: 10, encryption: true }
    }
    const bounds = { startLimit: 3, maxLimit: 5 }
    const blank = { lane: "yahoo", leases: [], pace: null, marks: {}, override: null, changedAt: start }
    yield* store.lockLanes([{ ...learned(newLane(bounds), stated, bounds, start), ...blank }])
    const rulesOf = Effect.map(control.explain("one.example", null), ({ rules, tls }) => ({ rules, tls }))
    expect(yield* rulesOf).toMatchObject({
      rules: {
        maxWidth: { value: 2, from: "Learned" },
        messagesPerConnection: { value: 10, from: "Learned" },
        tls: { value: "required", from: "Learned" }
      },
      tls: { isRequired: true }
    })
    yield* TestClock.adjust(hour)
    expect(yield* rulesOf).toMatchObject({
      rules: { maxWidth: { value: 5, from: "Table" }, tls: { value: "required", from: "Learned" } }
    })
  })
)

senderTest(
  "of much mail that is held only some is looked at, and all of it leaves once the server takes mail",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const sender = yield* makeSender
    const seen: Array<OutboundMessage> = []
    let says: string | null = blocked
    sender.transport.script = serverOf(() => says, seen)
    const queue = yield* JobQueue
    const count = 400
    const mails = mailsTo(id, count)
    yield* queueMail(mails)
    yield* pass(0, sender)
    expect(new Set((yield* states(mails)).map(([, reason]) => reason))).toEqual(
      new Set(["sending.provider_held"])
    )

    // Only a few messages are due at the end of the suspension, and until it is known whether it has really ended.
    const dueWithin = (millis: number) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const { items } = yield* queue.list({ queue: ["deliveries"] }, { page: 1, pageSize: count })
        return items.filter(({ at }) => at <= now + millis).length
      })
    expect(yield* dueWithin(2 * hour + 10 * minute)).toBeLessThan(count / 4)
    for (let round = 0; round < 3; round++) {
      yield* pass(2 * hour + minute, sender)
      yield* pass(minute, sender)
    }
    expect(yield* dueWithin(5 * minute)).toBeLessThanOrEqual(20)

    says = null
    yield* pass(12 * hour, sender)
    for (let step = 0; step < 240 && (yield* pendingJobs) > 0; step++) yield* pass(5_000, sender)
    expect((yield* states(mails)).filter(([status]) => status !== "Delivered")).toEqual([])
  })
)

senderTest(
  "mail leaves within 15 minutes of a suspension's end though all that asked for it was erased",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const sender = yield* makeSender
    let says: string | null = blocked
    sender.transport.script = serverOf(() => says)
    const mails = [to(id, "first@one.example"), ...mailsTo(id, 60)]
    yield* queueMail(mails.slice(0, 1))
    yield* pass(0, sender)
    yield* queueMail(mails.slice(1))
    yield* pass(0, sender)

    says = null
    const { items } = yield* (yield* ShapingStore).page(
      { page: 1, pageSize: 10 },
      { open: { is: true, at: start } }
    )
    const until = items[0]!.until
    const queue = yield* JobQueue
    const asking = yield* queue.claim({ queue: "deliveries", limit: 60, lease: 1_000, now: until + minute })
    const asked = new Set(asking.map(({ key }) => key))
    const lost = mails.filter((mail) => asked.has(mail.id))
    expect(lost.length).toBeLessThan(40)
    yield* (yield* SubmissionStore).erase(
      id,
      lost.map(({ deliveries }) => deliveries[0]!.email)
    )
    const left = mails.filter((mail) => !asked.has(mail.id))
    yield* pass(until - start, sender)
    yield* queueMail([to(id, "later@one.example")])
    yield* pass(minute, sender)
    expect(yield* open).toEqual([])
    for (let step = 0; step < 60; step++) yield* pass(15_000, sender)
    expect((yield* states(left)).filter(([status]) => status !== "Delivered")).toEqual([])
  })
)

senderTest(
  "the mail of one sender that is held keeps no other's from finding out that a suspension has ended",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const added = { id: newId(), accountId: id, domain: "news.example", createdAt: 0 }
    yield* (yield* DomainStore).insert(newDomain(added, true))
    const from = { email: "from@news.example", name: null }
    const sender = yield* makeSender
    let isBlocked = true
    sender.transport.script = serverOf((message) =>
      message.from.email === from.email ? "550 5.7.1 denied" : isBlocked ? blocked : null
    )
    const denied = Array.from({ length: 60 }, (_, index) => to(id, `d${index}@one.example`, { from }))
    yield* queueMail(denied)
    yield* pass(0, sender)
    const mails = mailsTo(id, 30)
    yield* queueMail(mails)
    yield* pass(0, sender)
    isBlocked = false
    for (let step = 0; step < 10; step++) yield* pass(12 * minute, sender)
    for (let step = 0; step < 80; step++) yield* pass(15_000, sender)
    expect((yield* states(mails)).filter(([status]) => status !== "Delivered")).toEqual([])
  })
)

senderTest(
  "held mail that is being dispatched gets no second job when the others are released",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const sender = yield* makeSender
    sender.transport.script = serverOf(() => blocked)
    yield* queueMail(mailsTo(id, 30))
    yield* pass(0, sender)
    const queue = yield* JobQueue
    const now = yield* Clock.currentTimeMillis
    const claim = { queue: "deliveries", limit: 5, lease: minute, now: now + 3 * hour } as const
    expect(yield* queue.claim(claim)).toHaveLength(5)
    const payload = { kind: "lane", lane, sender: "mail.example" } as const
    yield* queue.enqueue([laneReleaseJob.job({ id: newId(), accountId: id, payload, runAt: now })])
    yield* pass(0, sender)
    expect(yield* pendingJobs).toBe(30)
  })
)

senderTest(
  "mail that an operator releases gets no second job while it is dispatched, and leaves though a process reads of it late",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const senders = [yield* makeSender, yield* makeSender] as const
    const control = yield* makeControl()
    const seen: Array<OutboundMessage> = []
    for (const { transport } of senders) transport.script = serverOf(() => null, seen)
    const named = { provider: null, site: null, domain: "one.example", accountId: null }
    const queue = yield* JobQueue
    for (const [index, act] of [control.resume, control.flush].entries()) {
      yield* control.suspend(named, null, "They asked us to wait.", systemActor)
      const mails = Array.from({ length: 40 }, (_, at) => to(id, `r${index}p${at}@one.example`))
      yield* queueMail(mails)
      yield* pass(6_000, ...senders)
      expect(new Set((yield* states(mails)).map(([, reason]) => reason))).toEqual(
        new Set(["sending.provider_held"])
      )
      const now = yield* Clock.currentTimeMillis
      const claim = { queue: "deliveries", limit: 5, lease: minute, now: now + 6 * 24 * hour } as const
      const claimed = yield* queue.claim(claim)
      expect(claimed).toHaveLength(5)
      expect(yield* act(named, systemActor)).toBe(40)
      expect(yield* pendingJobs).toBe(40)
      // This sender has not yet read that the suspension has ended.
      yield* pass(0, senders[1])
      yield* queue.release(claimed, now)
      for (let step = 0; step < 70; step++) yield* pass(4_000, ...senders)
      expect(yield* states(mails)).toEqual(mails.map(() => ["Delivered", null, 1]))
      expect(yield* pendingJobs).toBe(0)
    }
    expect(seen).toHaveLength(80)
  })
)

senderTest(
  "released emails have their campaign look at its queue, at each release and once",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const sender = yield* makeSender
    const control = yield* makeControl()
    sender.transport.script = serverOf(() => null)
    const addresses = Array.from({ length: 3 }, (_, index) => `p${index}@one.example`)
    const marketingOf = yield* marketingTo(id, addresses)
    const campaign = draftCampaign(id)
    yield* (yield* CampaignStore).insert(campaign)
    const origin = { id: campaign.id, version: 1 }
    const named = { provider: null, site: null, domain: "one.example", accountId: null }
    yield* control.suspend(named, null, "They asked us to wait.", systemActor)
    yield* queueMail(
      addresses.map((email) =>
        to(id, email, { marketing: { ...marketingOf(email).marketing, campaign: origin } })
      )
    )
    yield* pass(6_000, sender)
    const queue = yield* JobQueue
    const now = yield* Clock.currentTimeMillis
    const release = { kind: "lane", lane: "domain:one.example", sender: "mail.example" } as const
    const look = (runAt: number) =>
      campaignJob.job({ id: newId(), accountId: id, payload: { campaignId: campaign.id }, runAt })
    const releasing = laneReleaseJob.job({ id: newId(), accountId: id, payload: release, runAt: now })
    yield* queue.enqueue([releasing, look(now)])
    // The campaign's job is running, and may have found no room.
    const looking = yield* queue.claim({ queue: "campaigns", limit: 1, lease: hour, now })
    expect(looking).toHaveLength(1)
    yield* pass(0, sender)
    const pending = Effect.map(
      queue.list({ queue: ["campaigns"], state: ["Pending"] }, { page: 1, pageSize: 10 }),
      ({ items }) => items.map(({ at }) => at - now)
    )
    expect(yield* pending).toEqual([2_000])
    yield* queue.complete(looking)
    // A waiting job of the campaign is moved forward, and not duplicated.
    yield* campaignJob.cancel(queue, id, [{ campaignId: campaign.id }])
    yield* queue.enqueue([releasing, look(now + hour)])
    yield* pass(0, sender)
    expect(yield* pending).toEqual([2_000])
  })
)

senderTest(
  "transactional mail of a lane is released before the marketing that waited longer, whatever another domain holds",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const sender = yield* makeSender
    const control = yield* makeControl()
    const seen: Array<OutboundMessage> = []
    sender.transport.script = serverOf(() => null, seen)
    const added = { id: newId(), accountId: id, domain: "news.example", createdAt: 0 }
    yield* (yield* DomainStore).insert(newDomain(added, true))
    const addressesOf = (name: string) =>
      Array.from({ length: 60 }, (_, index) => `${name}${index}@one.example`)
    const marketingOf = yield* marketingTo(id, [...addressesOf("other"), ...addressesOf("news")])
    const ofDomain = { provider: null, site: null, domain: "one.example", accountId: null }
    yield* control.suspend(ofDomain, null, "They asked us to wait.", systemActor)
    const from = { email: "from@news.example", name: null }
    yield* queueMail([
      ...addressesOf("other").map((email) => to(id, email, { from, ...marketingOf(email) })),
      ...addressesOf("news").map((email) => to(id, email, marketingOf(email)))
    ])
    yield* pass(6_000, sender)
    yield* queueMail(addressesOf("urgent").map((email) => to(id, email)))
    yield* pass(0, sender)
    expect(yield* control.flush(ofDomain, systemActor)).toBe(180)
    const leaving = (name: string) => seen.findIndex(({ recipient }) => recipient.startsWith(name))
    for (let step = 0; step < 30; step++) yield* pass(2_000, sender)
    expect(seen).toHaveLength(180)
    expect(leaving("news")).toBeGreaterThan(59)
    expect(leaving("other")).toBeLessThan(60)
  })
)

senderTest(
  "a recipient who refuses two emails says nothing about others, and the email that shows that is of another kind",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const sender = yield* makeSender
    const seen: Array<OutboundMessage> = []
    sender.transport.script = serverOf(
      ({ recipient }) => (recipient.startsWith("refused") ? "550 5.7.1 denied" : null),
      seen
    )
    const marketing = (yield* marketingTo(id, ["news@one.example"]))("news@one.example")
    const [templateId, otherId] = [newId(), newId()]
    const refused = to(id, "refused@one.example", { templateId })
    yield* queueMail([refused])
    yield* pass(0, sender)
    yield* queueMail([to(id, "refused@one.example", { templateId: otherId })])
    // There is no other mail: the message is tried when the suspension ends, rejected, and the suspension doubles.
    for (let step = 0; step < 13; step++) yield* pass(minute, sender)
    const offered = seen.length
    expect(offered).toBeGreaterThanOrEqual(2)
    expect(yield* open).toMatchObject([{ action: "Probe", minutes: 20 }])
    const others = [
      to(id, "same@one.example", { templateId }),
      to(id, "news@one.example", { templateId: otherId, ...marketing }),
      to(id, "receipt@one.example", { templateId: otherId })
    ]
    yield* queueMail(others)
    for (let step = 0; step < 25; step++) yield* pass(minute, sender)
    expect(seen.slice(offered).map(({ recipient }) => recipient)[0]).toBe("receipt@one.example")
    for (let step = 0; step < 20; step++) yield* pass(minute, sender)
    expect((yield* states(others)).map(([status]) => status)).toEqual(["Delivered", "Delivered", "Delivered"])
    expect(yield* states([refused])).toEqual([["Failed", "sending.refused", 0]])
  })
)

senderTest(
  "messages to two people that were refused at once concern their sender where one is refused again",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const sender = yield* makeSender
    sender.transport.script = serverOf(() => "550 5.7.1 denied")
    yield* queueMail([to(id, "a@one.example"), to(id, "b@one.example"), to(id, "b@one.example")])
    yield* pass(0, sender)
    const [first] = yield* open
    expect([first!.action, first!.refused.length]).toEqual(["Probe", 3])
    for (let step = 0; step < 13; step++) yield* pass(minute, sender)
    expect(yield* open).toMatchObject([{ action: "PauseSender", accountId: id, minutes: 20 }])
    const another = yield* sendingAccount()
    yield* queueMail([to(another.id, "c@one.example"), to(another.id, "c@one.example")])
    yield* pass(0, sender)
    for (let step = 0; step < 13; step++) yield* pass(minute, sender)
    const ofAnother = (yield* open).filter(({ accountId }) => accountId === another.id)
    // Both messages were to one person, who may be the cause. Together with those of the other account, the source is the cause.
    expect(ofAnother).toMatchObject([{ action: "Probe" }])
    expect((yield* open).map(({ action }) => action)).toContain("PauseSource")
  })
)

senderTest(
  "mail that a server refuses of two accounts, of one of them twice, is held of all",
  Effect.gen(function* () {
    const one = yield* sendingAccount()
    const other = yield* sendingAccount()
    const sender = yield* makeSender
    sender.transport.script = serverOf(() => "550 5.7.1 denied")
    yield* queueMail([to(one.id, "a@one.example")])
    yield* pass(0, sender)
    yield* queueMail([to(one.id, "b@one.example")])
    for (let step = 0; step < 12; step++) yield* pass(minute, sender)
    expect(yield* open).toMatchObject([{ action: "PauseSender", accountId: one.id }])
    yield* queueMail([to(other.id, "c@one.example")])
    yield* pass(0, sender)
    expect((yield* open).map(({ accountId, action }) => [accountId, action])).toContainEqual([
      null,
      "PauseSource"
    ])
  })
)

senderTest(
  "however many suspensions are open, the lanes and providers that they hold are shown, and all of a lane's are ended",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const control = yield* makeControl()
    const store = yield* ShapingStore
    const at = (index: number, scope: { lane: string; accountId: string | null; sender: string | null }) => ({
      ...scope,
      id: newId(),
      cause: "Reply" as const,
      action: "PauseSource" as const,
      rule: "block-list",
      words: blocked,
      remedy: "",
      minutes: 10,
      mostMinutes: 240,
      since: start + index,
      until: start + hour,
      resolvedAt: null,
      probeUntil: null,
      refused: [],
      slowly: true,
      changedAt: start
    })
    const none = { leases: [], pace: null, marks: {}, override: null, changedAt: start }
    yield* store.lockLanes([{ ...newLane({ startLimit: 3, maxLimit: 5 }), lane: "google", ...none }])
    yield* store.put([
      at(0, { lane: "google", accountId: null, sender: null }),
      ...Array.from({ length: 250 }, (_, index) =>
        at(index + 1, { lane: `ip:192.0.2.${index}`, accountId: null, sender: null })
      )
    ])
    const { items } = yield* control.providers("", { page: 1, pageSize: 50 }, true)
    expect(items.map(({ provider }) => provider.key)).toEqual(["google"])
    const paused = yield* control.lanes(["google"], true, { page: 1, pageSize: 50 })
    expect(paused.items.map(({ lane: { lane: name } }) => name)).toEqual(["google"])
    const senders = Array.from({ length: 250 }, (_, index) => `s${index}.example`)
    yield* store.put(senders.map((sender, index) => at(index, { lane: "yahoo", accountId: id, sender })))
    const named = { provider: "yahoo", site: null, domain: null, accountId: null }
    yield* control.resume(named, systemActor)
    const left = yield* store.page(
      { page: 1, pageSize: 10 },
      { lane: ["yahoo"], open: { is: true, at: start } }
    )
    expect(left.items).toEqual([])
  })
)

senderTest(
  "a lane that is resumed has a limit of 1 from each source, one that is flushed the limit it had before",
  Effect.gen(function* () {
    yield* sendingAccount()
    const control = yield* makeControl()
    const store = yield* ShapingStore
    const none = { leases: [], pace: null, marks: {}, override: null, changedAt: start }
    const names = ["google", "google@192.0.2.1", "yahoo"]
    yield* store.lockLanes(
      names.map((name) => ({ ...newLane({ startLimit: 3, maxLimit: 5 }), width: 5, lane: name, ...none }))
    )
    const limits = Effect.map(store.lanes({ page: 1, pageSize: 10 }, {}), ({ items }) =>
      names.map((name) => items.find((one) => one.lane === name)?.width)
    )
    const named = { provider: "google", site: null, domain: null, accountId: null }
    const seen: Array<unknown> = []
    for (const act of [control.resume, control.resume, control.flush]) {
      yield* control.suspend(named, null, "They asked us to wait.", systemActor)
      yield* act(named, systemActor)
      seen.push(yield* limits)
    }
    expect(seen).toEqual([
      [1, 1, 5],
      [1, 1, 5],
      [5, 5, 5]
    ])
  })
)

senderTest(
  "a server that never replies has a notice once that has lasted two hours and email to ten recipients was tried",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const memory = Object.assign(new LaneMemories(() => undefined), {
      refresh: Effect.void,
      sites: new Sites(),
      acceptedAt: () => 0,
      unreached: (_lane: string, now: number) => ({ until: now + minute, isProven: false }),
      reach: () => undefined,
      restore: () => undefined
    })
    const sender = yield* Effect.provideService(makeSender, LaneShares, { memory, share: wholeShare })
    const conversation = { host: "mx", tls: null, replies: [], error: "timeout" }
    let isSilent = true
    const laneTo = ({ recipient }: OutboundMessage) =>
      `ip:${recipient.endsWith("@few.example") ? "192.0.2.2" : "192.0.2.1"}`
    sender.transport.script = (message, point) =>
      isSilent
        ? Effect.succeed({ _tag: "Deferred", lane: laneTo(message), conversation })
        : Effect.as(point, { _tag: "Delivered", lane: laneTo(message), conversation })
    const few = Array.from({ length: 9 }, (_, index) => to(id, `p${index}@few.example`))
    yield* queueMail([...mailsTo(id, 10), ...few])
    yield* pass(0, sender)
    // They are tried repeatedly in the meantime.
    for (const minutes of [10, 30, 79]) yield* pass(minutes * minute, sender)
    expect(yield* open).toEqual([])
    yield* queueMail([...mailsTo(id, 1), to(id, "p0@few.example")])
    yield* pass(minute, sender)
    expect(yield* open).toMatchObject([
      { lane: "ip:192.0.2.1", cause: "Unreachable", words: "timeout", accountId: null }
    ])
    isSilent = false
    yield* queueMail(mailsTo(id, 1))
    yield* pass(1_000, sender)
    expect(yield* open).toEqual([])
    // The count starts again.
    isSilent = true
    yield* queueMail(mailsTo(id, 1))
    yield* pass(2 * hour, sender)
    expect(yield* open).toEqual([])
  })
)

senderTest(
  "a server that took nothing yet has a notice once it refused connections several times, one that is silent has none",
  Effect.gen(function* () {
    const { id } = yield* sendingAccount()
    const until = start + minute
    const memory = Object.assign(new LaneMemories(() => undefined), {
      refresh: Effect.void,
      sites: new Sites(),
      acceptedAt: () => 0,
      unreached: () => ({ until, isProven: false }),
      reach: () => undefined,
      restore: () => undefined
    })
    const sender = yield* Effect.provideService(makeSender, LaneShares, { memory, share: wholeShare })
    const conversation = { host: "mx", tls: null, replies: ["220 mx ready"], error: "timeout" }
    sender.transport.script = () => Effect.succeed({ _tag: "Deferred", lane, conversation })
    yield* queueMail(mailsTo(id, 1))
    yield* pass(0, sender)
    expect(yield* open).toEqual([])
    const refused = { ...conversation, replies: ["421 4.3.2 Ask ada@one.example"], error: null }
    sender.transport.script = () => Effect.succeed({ _tag: "Deferred", lane, conversation: refused })
    yield* queueMail(mailsTo(id, 1))
    yield* pass(0, sender)
    expect(yield* open).toMatchObject([
      { lane, cause: "Unreachable", words: "421 4.3.2 Ask <address>", until, accountId: null }
    ])
  })
)
