/**
 * Tests of a sender over the memory adapter: messages that are sent, and deliveries that wait.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AccountStore } from "../../../../core/ports/AccountStore.ts"
import { AttemptStore } from "../../../../core/ports/AttemptStore.ts"
import { CampaignStore } from "../../../../core/ports/CampaignStore.ts"
import { ContactStore } from "../../../../core/ports/ContactStore.ts"
import { DomainStore } from "../../../../core/ports/DomainStore.ts"
import { JobQueue } from "../../../../core/ports/JobQueue.ts"
import { refusalOf } from "../../../../core/ports/MailTransport.ts"
import { Ids } from "../../../../core/kernel/Ids.ts"
import { newDomain } from "../../../../core/model/Domain.ts"
import { Release } from "../../../../core/sending/delivery/Release.ts"
import { layer as crypto } from "../../../../adapters/crypto/Crypto.ts"
import { SuppressionStore } from "../../../../core/ports/SuppressionStore.ts"
import { Transaction } from "../../../../core/ports/Transaction.ts"
import { releaseJob } from "../../../../core/jobs/definitions/DomainJobs.ts"
import { draftCampaign } from "../../../contract/CampaignStore.ts"
import { changes, draftContact, edited, newId } from "../../../contract/fixtures.ts"
import { answering, hanging, refusing } from "../../../support/fakeTransport.ts"
import { deliveriesOf, draftMail, makeSender, queueMail, sendingAccount } from "../../../support/senders.ts"
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

describe("sending", () => {
  senderTest(
    "composes at most four messages in one iteration of the event loop",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const sender = yield* makeSender
      const { transport } = sender
      const perIteration = [0]
      let immediate = setImmediate(function next() {
        perIteration.push(0)
        immediate = setImmediate(next)
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => clearImmediate(immediate)))
      const deliver = transport.script
      transport.script = (...given) => {
        perIteration[perIteration.length - 1]!++
        return deliver(...given)
      }
      yield* queueMail(Array.from({ length: 100 }, (_, index) => to(id, `p${index}@one.example`)))
      yield* sender.worker.drain
      expect(transport.left).toHaveLength(100)
      expect(Math.max(...perIteration)).toBeLessThanOrEqual(4)
    })
  )

  senderTest(
    "follows policies of encryption for all but the service's own reports of it",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const sender = yield* makeSender
      const headers = [{ name: "TLS-Required", value: "No" }]
      yield* queueMail([
        to(id, "report@one.example", { headers, isSystem: true }),
        to(id, "company@one.example", { headers }),
        to(id, "system@one.example", { isSystem: true })
      ])
      yield* sender.worker.drain
      const ignoring = sender.transport.left.filter(({ ignoresTlsPolicy }) => ignoresTlsPolicy === true)
      expect(sender.transport.left).toHaveLength(3)
      expect(ignoring.map(({ recipient }) => recipient)).toEqual(["report@one.example"])
    })
  )

  senderTest(
    "sends every recipient a copy with the same To and Cc and without Bcc",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const sender = yield* makeSender
      const mail = draftMail(id, [
        ["a@one.example", "To"],
        ["b@two.example", "Cc"],
        ["c@three.example", "Bcc"]
      ])
      yield* queueMail([mail])
      yield* sender.worker.drain
      expect(sender.transport.left.map((message) => message.recipient).sort()).toEqual([
        "a@one.example",
        "b@two.example",
        "c@three.example"
      ])
      for (const message of sender.transport.left) {
        expect(message.returnPath).toMatch(/^b[a-z2-7]{63}@bounces\.mail\.example$/)
        expect(message.from).toEqual({ email: "from@mail.example", name: "From" })
      }
      expect(new Set(sender.transport.left.map((message) => message.returnPath)).size).toBe(3)
      expect(yield* states([mail])).toEqual([
        ["Delivered", null, 1],
        ["Delivered", null, 1],
        ["Delivered", null, 1]
      ])
      const attempts = yield* (yield* AttemptStore).of(mail.deliveries)
      expect(attempts.map(({ claim, outcome }) => [claim, outcome])).toEqual([
        [1, "Delivered"],
        [1, "Delivered"],
        [1, "Delivered"]
      ])
      expect(yield* pendingJobs).toBe(0)
    })
  )

  senderTest(
    "asks for encryption where the account does, and tells that its mail waits for it",
    Effect.gen(function* () {
      const { id, settings } = yield* sendingAccount()
      yield* (yield* AccountStore).saveSettings(id, { ...settings, requireTls: true }, edited)
      const sender = yield* makeSender
      const conversation = { host: null, tls: null, replies: [], error: "tls_required" }
      sender.transport.script = (message, point) =>
        answering(message.requireTls === true ? { _tag: "Deferred", conversation } : { _tag: "Sent" })(
          message,
          point
        )
      const mail = to(id, "ada@one.example")
      yield* queueMail([mail])
      yield* sender.worker.drain
      expect(yield* states([mail])).toEqual([["Queued", "sending.tls_required", 1]])
    })
  )

  senderTest(
    "moves each outcome to its state, and suppresses the address only for a bounce",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const sender = yield* makeSender
      const cases = [
        ["Accepted", "Accepted", null, 1],
        ["Sent", "Sent", null, 1],
        ["Bounced", "Bounced", null, 1],
        ["MailboxFull", "Failed", "sending.mailbox_full", 1],
        ["Refused", "Failed", "sending.refused", 1],
        ["Unknown", "Unknown", "sending.outcome_unknown", 1],
        ["Deferred", "Queued", "sending.retrying", 1]
      ] as const
      const mails = cases.map(([tag]) => to(id, `${tag.toLowerCase()}@one.example`))
      sender.transport.script = (message, point) => {
        const [_tag] = cases.find(([tag]) => message.recipient.startsWith(`${tag.toLowerCase()}@`))!
        return answering({ _tag })(message, point)
      }
      yield* queueMail(mails)
      yield* sender.worker.drain
      expect(yield* states(mails)).toEqual(cases.map(([, ...rest]) => rest))
      const { items } = yield* (yield* SuppressionStore).list(id, { page: 1, pageSize: 10 })
      expect(items.map(({ email, kind }) => [email, kind])).toEqual([["bounced@one.example", "Bounced"]])
      expect(yield* pendingJobs).toBe(1)
    })
  )

  senderTest(
    "retries an Unknown message that cannot have been sent, and not a Busy one that may have been",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const sender = yield* makeSender
      const early = to(id, "early@one.example")
      const late = to(id, "late@one.example")
      sender.transport.script = (message, point) =>
        message.recipient.startsWith("early")
          ? refusing({ _tag: "Unknown" })(message, point)
          : answering({ _tag: "Busy", at: start })(message, point)
      yield* queueMail([early, late])
      yield* sender.worker.drain
      expect(yield* states([early, late])).toEqual([
        ["Queued", "sending.retrying", 1],
        ["Unknown", "sending.outcome_unknown", 1]
      ])
    })
  )

  senderTest(
    "retries a temporarily rejected message 10 times over more than 52 hours, then fails it",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const sender = yield* makeSender
      sender.transport.script = answering({ _tag: "Deferred" })
      const mail = to(id, "a@one.example")
      yield* queueMail([mail])
      for (let tries = 1; tries <= 11; tries++) {
        yield* sender.worker.drain
        expect(sender.transport.asked).toHaveLength(tries)
        const due = yield* sender.worker.nextDue
        if (due !== null) yield* TestClock.setTime(due)
      }
      expect(yield* states([mail])).toEqual([["Failed", "sending.retries_exhausted", 11]])
      expect(yield* pendingJobs).toBe(0)
    })
  )

  senderTest(
    "retries a message whose transport fails with a defect, without effect on others",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const sender = yield* makeSender
      const [bad, good] = [to(id, "bad@one.example"), to(id, "good@one.example")]
      sender.transport.script = (message, point) =>
        message.recipient.startsWith("bad")
          ? Effect.die(new Error("broken"))
          : answering({ _tag: "Sent" })(message, point)
      yield* queueMail([bad, good])
      yield* sender.worker.drain
      expect(yield* states([bad, good])).toEqual([
        ["Queued", "sending.retrying", 1],
        ["Sent", null, 1]
      ])
    })
  )
})

describe("waiting", () => {
  senderTest(
    "delivers to other destinations while one hangs, and claims nothing for a busy one",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const sender = yield* makeSender
      sender.transport.script = (message, point) =>
        message.recipient.endsWith("@slow.example")
          ? hanging(message, point)
          : answering({ _tag: "Delivered" })(message, point)
      const slow = Array.from({ length: 60 }, (_, index) => to(id, `p${index}@slow.example`))
      const quick = Array.from({ length: 300 }, (_, index) => to(id, `p${index}@quick.example`))
      sender.transport.busy.set("busy.example", start + minute)
      const busy = to(id, "p@busy.example")
      yield* queueMail([busy, ...slow, ...quick])
      const running = yield* Effect.forkChild(sender.worker.run)
      yield* until(Effect.map(states(quick), (all) => all.every(([status]) => status === "Delivered")))
      expect((yield* states(quick)).every(([status]) => status === "Delivered")).toBe(true)
      expect((yield* states(slow)).every(([status]) => status === "HandingOff")).toBe(true)
      expect(yield* deliveriesOf([busy])).toMatchObject([{ status: "Queued", attempts: 0, claims: 0 }])
      sender.transport.script = answering({ _tag: "Delivered" })
      yield* passUntil(Effect.map(states([busy]), ([now]) => now?.[0] === "Delivered"))
      expect(yield* states([busy])).toEqual([["Delivered", null, 1]])
      // Their leases were extended the whole time.
      expect(yield* deliveriesOf(slow)).toSatisfy((all: ReadonlyArray<{ claims: number }>) =>
        all.every(({ claims }) => claims === 1)
      )
      yield* passUntilEnded(yield* Effect.forkChild(Fiber.interrupt(running)))
    })
  )

  senderTest(
    "reserves places for accounts that have few and for servers that take mail",
    Effect.gen(function* () {
      const accounts = yield* Effect.forEach(Array.from({ length: 5 }), () => sendingAccount())
      const [large, ...others] = accounts.map(({ id }) => id)
      const sender = yield* makeSender
      sender.transport.script = (message, point, admit) =>
        Effect.suspend(() => {
          const domain = message.recipient.slice(message.recipient.indexOf("@") + 1)
          const held = refusalOf(admit?.(`ip:${domain}`))
          if (held !== null) return Effect.succeed(held)
          return domain === "good.example"
            ? answering({ _tag: "Delivered", lane: `ip:${domain}` })(message, point)
            : hanging(message, point)
        })
      const running = yield* Effect.forkChild(sender.worker.run)
      const fill = Effect.fnUntraced(function* (id: string, count: number, domain: string) {
        const before = sender.transport.active
        yield* queueMail(Array.from({ length: count }, (_, index) => to(id, `p${index}@${domain}`)))
        yield* until(Effect.sync(() => sender.transport.active >= before + count))
        expect(sender.transport.active).toBe(before + count)
      })
      const good = to(large!, "p@good.example")
      yield* queueMail([good])
      yield* until(Effect.map(states([good]), ([now]) => now?.[0] === "Delivered"))
      yield* fill(large!, 102, "slow.example")
      for (const [index, id] of others.entries()) yield* fill(id, 75, `slow${index}.example`)
      // 98 places are left, and the account already holds more than 100, its equal share.
      const next = to(large!, "p@slow5.example")
      const next2 = to(large!, "p2@good.example")
      const next3 = to(others[0]!, "p@slow6.example")
      yield* queueMail([next, next2, next3])
      yield* until(
        Effect.map(
          states([next, next2, next3]),
          ([, second, third]) => second?.[0] === "Delivered" && third?.[0] === "HandingOff"
        )
      )
      expect(yield* states([next2, next3])).toEqual([
        ["Delivered", null, 1],
        ["HandingOff", null, 0]
      ])
      yield* until(Effect.map(states([next]), ([now]) => now?.[0] === "Queued"))
      expect(yield* states([next])).toEqual([["Queued", null, 0]])
      expect(sender.transport.asked.map(({ recipient }) => recipient)).toContain("p@slow5.example")
      // It is sent once there are free places again.
      sender.transport.script = answering({ _tag: "Delivered" })
      yield* passUntil(Effect.map(states([next]), ([now]) => now?.[0] === "Delivered"))
      expect(yield* states([next])).toEqual([["Delivered", null, 1]])
      yield* passUntilEnded(yield* Effect.forkChild(Fiber.interrupt(running)))
    })
  )

  senderTest(
    "loads attachments of few messages at a time, and sends messages without any meanwhile",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const sender = yield* makeSender
      const gate = Promise.withResolvers<void>()
      sender.transport.script = (message, point) =>
        message.recipient.startsWith("heavy")
          ? Effect.andThen(
              Effect.promise(() => gate.promise),
              answering({ _tag: "Delivered" })(message, point)
            )
          : answering({ _tag: "Delivered" })(message, point)
      const attachments = [
        { filename: "a", contentType: "image/png", contentId: null, content: new Uint8Array(5_000_000) }
      ]
      const heavy = Array.from({ length: 8 }, (_, index) =>
        to(id, `heavy${index}@one.example`, { attachments })
      )
      const light = to(id, "light@one.example")
      const other = to((yield* sendingAccount()).id, "heavy@other.example", { attachments })
      yield* queueMail([...heavy, light, other])
      const drained = yield* Effect.forkChild(sender.worker.drain)
      yield* until(
        Effect.map(states([light]), ([now]) => now?.[0] === "Delivered" && sender.transport.active === 3)
      )
      expect(yield* states([light])).toEqual([["Delivered", null, 1]])
      // Of 64 MB, each of two accounts has a share of 31 MB, which is room for two messages. Neither account's messages wait for
      // the other's.
      expect(sender.transport.active).toBe(3)
      expect(sender.transport.asked.map(({ recipient }) => recipient)).toContain("heavy@other.example")
      gate.resolve()
      yield* Fiber.join(drained)
      expect((yield* states(heavy)).every(([status]) => status === "Delivered")).toBe(true)
      expect(sender.transport.peak).toBeLessThanOrEqual(5)
    })
  )

  senderTest(
    "sends as many as the daily cap in a UTC day, the others the next day or after a higher cap",
    Effect.gen(function* () {
      const account = yield* sendingAccount("Live", { dailySendLimit: 3 })
      const sender = yield* makeSender
      const mails = Array.from({ length: 10 }, (_, index) => to(account.id, `p${index}@one.example`))
      yield* queueMail(mails)
      const count = (all: ReadonlyArray<ReadonlyArray<unknown>>, status: string) =>
        all.filter(([is]) => is === status).length
      yield* sender.worker.drain
      let now = yield* states(mails)
      expect([count(now, "Delivered"), count(now, "Queued")]).toEqual([3, 7])
      expect(now.filter(([status]) => status === "Queued")).toEqual(
        Array.from({ length: 7 }, () => ["Queued", "sending.daily_cap", 0])
      )
      yield* TestClock.setTime(start + 12 * 60 * minute - 1)
      yield* sender.worker.drain
      expect(count(yield* states(mails), "Delivered")).toBe(3)
      yield* TestClock.setTime(start + 12 * 60 * minute + 10 * minute)
      yield* sender.worker.drain
      expect(count(yield* states(mails), "Delivered")).toBe(6)
      const settings = { ...account.settings, dailySendLimit: null }
      yield* (yield* AccountStore).saveSettings(account.id, settings, account)
      yield* (yield* JobQueue).enqueue([
        releaseJob.job({ id: newId(), accountId: account.id, payload: { kind: "release" }, runAt: start })
      ])
      yield* sender.worker.drain
      now = yield* states(mails)
      expect(count(now, "Delivered")).toBe(10)
      expect(sender.transport.left).toHaveLength(10)
      expect(yield* pendingJobs).toBe(0)
    })
  )

  senderTest(
    "does not count retries against the daily cap",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount("Live", { dailySendLimit: 1 })
      const sender = yield* makeSender
      sender.transport.script = answering({ _tag: "Deferred" })
      const mail = to(id, "a@one.example")
      yield* queueMail([mail])
      yield* sender.worker.drain
      sender.transport.script = answering({ _tag: "Delivered" })
      yield* TestClock.adjust(2 * minute)
      yield* sender.worker.drain
      expect(yield* states([mail])).toEqual([["Delivered", null, 2]])
    })
  )

  senderTest(
    "sends a scheduled email at its time, and not before",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const sender = yield* makeSender
      const mail = to(id, "a@one.example", {
        sendAt: start + 60 * minute,
        acceptedReason: "sending.scheduled"
      })
      yield* queueMail([mail])
      yield* sender.worker.drain
      expect(yield* states([mail])).toEqual([["Queued", "sending.scheduled", 0]])
      expect(yield* sender.worker.nextDue).toBe(start + 60 * minute)
      yield* TestClock.adjust(60 * minute)
      yield* sender.worker.drain
      expect(yield* states([mail])).toEqual([["Delivered", null, 1]])
    })
  )

  senderTest(
    "keeps an email waiting whose domain is not verified when it is dispatched",
    Effect.gen(function* () {
      const { id } = yield* sendingAccount()
      const sender = yield* makeSender
      const mail = to(id, "a@one.example", { from: { email: "x@other.example", name: null } })
      const known = to(id, "a@one.example", { from: { email: "x@mail.example", name: "X" } })
      const person = draftContact({ email: "b@one.example", consentStatus: "Subscribed" })
      const write = (yield* ContactStore).write(id, changes({ inserts: [person] }))
      yield* (yield* Transaction).run(write)
      const campaign = draftCampaign(id)
      yield* (yield* CampaignStore).insert(campaign)
      const marketing = { contactId: person.id, topicId: null, campaign: { id: campaign.id, version: 1 } }
      const news = to(id, "b@one.example", { from: mail.from, marketing })
      yield* queueMail([mail, known, news])
      yield* sender.worker.drain
      expect(yield* states([mail, known, news])).toEqual([
        ["Queued", "sending.no_verified_sender", 0],
        ["Delivered", null, 1],
        ["Queued", "sending.no_verified_sender", 0]
      ])
      expect(sender.transport.left.map(({ from }) => from)).toEqual([{ email: "x@mail.example", name: "X" }])
      expect(yield* pendingJobs).toBe(0)

      // The domain is released again while the job of the first release is being processed. A second job would take the email
      // from its sender.
      const queue = yield* JobQueue
      const added = { id: newId(), accountId: id, domain: "other.example", createdAt: 0 }
      yield* (yield* DomainStore).insert(newDomain(added, true))
      const releases = Release.layer.pipe(Layer.provide(Layer.provide(Ids.layer, crypto)))
      const release = Effect.flatMap(Release, ({ run }) => run(id)).pipe(Effect.provide(releases))
      yield* release
      // The campaign's email is in its own queue, behind which no other email waits.
      const claim = (name: "campaignEmails" | "deliveries") =>
        queue.claim({ queue: name, limit: 10, lease: 30_000, now: start })
      const claimed = [...(yield* claim("deliveries")), ...(yield* claim("campaignEmails"))]
      expect(claimed.map(({ key }) => key)).toEqual([mail, news].map(({ deliveries: [one] }) => one!.id))
      yield* release
      expect(yield* pendingJobs).toBe(1)
      expect(yield* claim("campaignEmails")).toEqual([])
      yield* queue.release(claimed, start)
      yield* sender.worker.drain
      expect(yield* states([mail])).toEqual([["Delivered", null, 1]])
    })
  )
})
