/**
 * The contract of `core/ports/SubmissionStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { type SubmissionFilter, SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import type { DeliveryReason, DeliveryStatus } from "../../core/model/DeliveryStatus.ts"
import { type Delivery, maxSmallBodies, type Submission } from "../../core/model/Submission.ts"
import { type DeliveryVisits, noVisits } from "../../core/model/Visit.ts"
import { VisitStore } from "../../core/ports/VisitStore.ts"
import { utf8Of } from "../../core/model/LongText.ts"
import { domainOfAddress } from "../../core/shared/EmailAddress.ts"
import type { PageRequest } from "../../core/shared/Page.ts"
import { draftAttachment, draftMove, draftSubmission, draftToMany, deliveryOf } from "./drafts.ts"
import {
  atOnce,
  byId,
  firstPage,
  freshAccountId,
  newEmail,
  newId,
  now,
  oddText,
  pause,
  readPages,
  type StorageTest,
  successes,
  times,
  unique,
  wholeSubmissions
} from "./fixtures.ts"

/** Expected values for methods that return submissions without their bodies. */
const brief = (expected: unknown): unknown => {
  if (Array.isArray(expected)) return expected.map(brief)
  if (typeof expected !== "object" || expected === null) return expected
  const kept = Object.entries(expected).filter(
    ([key]) => key !== "html" && key !== "text" && key !== "attachments"
  )
  return Object.fromEntries(kept.map(([key, value]) => [key, key === "items" ? brief(value) : value]))
}

const none = { status: null, to: null }

const storing = (it: StorageTest): void => {
  it.effect(
    "finds when marketing was submitted to contacts lately, but neither suppressed nor cancelled",
    () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const accountId = yield* freshAccountId
        const [one, other] = [newId(), newId()]
        const mail = (contactId: string, createdAt: number, delivery: Partial<Delivery> = {}) =>
          draftSubmission(
            accountId,
            { createdAt, flowId: newId(), runId: newId(), marketing: { contactId, topicId: null } },
            { email: newEmail(), ...delivery }
          )
        const campaign = { id: newId(), version: 1 }
        const sent = draftSubmission(accountId, {
          createdAt: now - 1,
          marketing: { contactId: one, topicId: null, campaign }
        })
        yield* store.insert(
          accountId,
          [
            mail(one, now - 10),
            sent,
            mail(one, now - 50),
            mail(one, now - 2, { status: "Suppressed", reason: "sending.gate_consent" }),
            mail(one, now - 3, { status: "Failed", reason: "sending.cancelled" }),
            mail(one, now - 4, { status: "Failed", reason: "sending.refused" }),
            mail(other, now - 5),
            draftSubmission(accountId)
          ],
          []
        )
        expect(yield* store.marketingTimes(accountId, [one, other, newId()], now - 50, 9)).toEqual(
          new Map([
            [one, [now - 1, now - 4, now - 10]],
            [other, [now - 5]]
          ])
        )
        const latest = yield* store.marketingTimes(accountId, [one], now - 50, 2)
        expect(latest.get(one)).toEqual([now - 1, now - 4])
        expect(yield* store.marketingTimes(accountId, [], 0, 9)).toEqual(new Map())
        const ofCampaign = yield* store.list(accountId, { ...none, campaignId: [campaign.id] }, firstPage)
        expect(ofCampaign.items.map(({ id }) => id)).toEqual([sent.id])
        const asked = [sent.id, sent.id, newId()]
        expect(yield* store.campaignsOf(accountId, asked)).toEqual([
          { id: sent.id, campaignId: campaign.id, contactId: one }
        ])
        expect(yield* store.campaignsOf(newId(), asked)).toEqual([])
        expect(yield* store.campaignsOf(accountId, [])).toEqual([])
      })
  )

  it.effect("says when templates were used last, of the account alone", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const [accountId, strangers] = [yield* freshAccountId, yield* freshAccountId]
      const [one, other, unused] = [newId(), newId(), newId()]
      const draft = (account: string, templateId: string | null, createdAt: number) =>
        draftSubmission(account, { templateId, createdAt })
      yield* store.insert(
        accountId,
        [draft(accountId, one, now - 5), draft(accountId, one, now - 2), draft(accountId, other, now - 9)],
        []
      )
      yield* store.insert(accountId, [draft(accountId, null, now), draft(accountId, one, now - 4)], [])
      yield* store.insert(strangers, [draft(strangers, one, now)], [])
      expect(yield* store.lastUses(accountId, [one, other, unused, one])).toEqual(
        new Map([
          [one, now - 2],
          [other, now - 9]
        ])
      )
      expect(yield* store.lastUses(accountId, [])).toEqual(new Map())
    })
  )

  it.effect("returns submissions as they were added", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const full = draftSubmission(
        accountId,
        {
          idempotencyKey: "key 1",
          from: { email: "zoë@example.com", name: oddText },
          subject: oddText,
          html: `<p>${oddText}</p>`.repeat(10_000),
          text: oddText,
          tags: { campaign: oddText, "a.b-c_d": "" },
          metadata: { order: "1" },
          trackOpens: true,
          trackClicks: false,
          isSystem: true,
          contentDigest: "abc",
          replyTo: { email: "replies@example.com", name: oddText },
          headers: [
            { name: "X-Order", value: "1" },
            { name: "X-Order", value: oddText }
          ],
          attachments: [
            draftAttachment(),
            draftAttachment({ filename: oddText, contentId: "a@b" }),
            draftAttachment({ content: new Uint8Array(0) })
          ],
          sendAt: now + 5,
          templateId: newId(),
          templateVersion: 7,
          acceptedStatus: "Suppressed",
          acceptedReason: "sending.gate_complained"
        },
        {
          name: oddText,
          email: "zoë@example.com",
          status: "Suppressed",
          reason: "sending.gate_complained",
          attempts: 3,
          claims: 4,
          committedAt: now + 1,
          openedAt: now + 2,
          clickedAt: now + 3
        }
      )
      const plain = draftSubmission(accountId, {
        from: { email: "a@example.com", name: null },
        html: null,
        text: ""
      })
      expect(yield* store.insert(accountId, [full, plain], [])).toEqual(brief([full, plain]))
      expect(byId(yield* store.find(accountId, [full.id, plain.id]))).toEqual(brief(byId([full, plain])))
      expect(byId(yield* wholeSubmissions([deliveryOf(full), deliveryOf(plain)]))).toEqual(
        byId([full, plain])
      )
      expect(byId(yield* store.unloaded([deliveryOf(full), deliveryOf(plain)]))).toEqual(
        byId(
          [full, plain].map(({ attachments, html, text, ...rest }) => ({
            ...rest,
            bodies: html === null ? { html, text } : null,
            bodyBytes: expect.any(Number),
            attachedBytes: attachments.reduce((sum, { content }) => sum + Math.max(content.length, 1), 0)
          }))
        )
      )
    })
  )

  it.effect("reads bodies that are not small on their own, and their size with the submission", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const html = "a".repeat(maxSmallBodies)
      const small = draftSubmission(accountId, { html, text: null })
      const large = draftSubmission(accountId, { html, text: "b" })
      yield* store.insert(accountId, [small, large], [])
      const found = yield* store.unloaded([deliveryOf(small), deliveryOf(large)])
      expect(byId(found)).toMatchObject(
        byId([
          { id: small.id, bodies: { html, text: null }, bodyBytes: maxSmallBodies },
          { id: large.id, bodies: null, bodyBytes: maxSmallBodies + 1 }
        ])
      )
      expect(yield* store.bodies([large, { accountId, id: newId() }])).toEqual([
        { accountId, id: large.id, html, text: "b" }
      ])
      expect(yield* store.bodies([{ accountId: yield* freshAccountId, id: large.id }])).toEqual([])
      expect(yield* store.bodies([])).toEqual([])
      expect(yield* store.contents([])).toEqual([])
    })
  )

  it.effect("stores bodies that are given as UTF-8 as those that are given as text", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      for (const length of [3, 5_000]) {
        const [html, text] = ["ü".repeat(length), "\ufeff\u{1f600}".repeat(length)]
        const plain = draftSubmission(accountId, { html, text })
        const encoded = { ...draftSubmission(accountId), html: utf8Of(html), text: utf8Of(text) }
        yield* store.insert(accountId, [encoded, plain], [])
        expect(byId(yield* store.bodies([encoded, plain]))).toEqual(
          byId([encoded, plain].map(({ id }) => ({ accountId, id, html, text })))
        )
      }
    })
  )

  it.effect("keeps recipients in the order given", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const kinds = ["To", "Cc", "Bcc"] as const
      const drafted = draftToMany(
        accountId,
        times(50, (index) => ({ kind: kinds[index % 3]!, name: `${index}` }))
      )
      const submission = { ...drafted, deliveries: drafted.deliveries.toReversed() }
      expect(yield* store.insert(accountId, [submission], [])).toEqual(brief([submission]))
      expect(yield* store.find(accountId, [submission.id])).toEqual(brief([submission]))
      expect((yield* store.list(accountId, none, firstPage)).items).toEqual(brief([submission]))
    })
  )

  it.effect("finds only submissions of the account, each once", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const other = yield* freshAccountId
      const submission = draftSubmission(accountId)
      yield* store.insert(accountId, [submission], [])
      expect(yield* store.find(accountId, [submission.id, newId(), submission.id])).toEqual(
        brief([submission])
      )
      expect(yield* store.find(other, [submission.id])).toEqual([])
      expect(yield* store.find(accountId, [])).toEqual([])
    })
  )

  it.effect("accepts 1,000 submissions at once, and an empty batch", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const submissions = times(1000, (index) =>
        draftSubmission(accountId, { idempotencyKey: `key-${index}` })
      )
      expect(yield* store.insert(accountId, submissions, [])).toEqual(brief(submissions))
      expect(yield* store.insert(accountId, [], [])).toEqual([])
      expect(
        byId(
          yield* store.find(
            accountId,
            submissions.map(({ id }) => id)
          )
        )
      ).toEqual(brief(byId(submissions)))
    })
  )

  it.effect("copies what it is given", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const tags = { kind: "welcome" }
      const submission = draftSubmission(accountId, { tags })
      yield* store.insert(accountId, [submission], [])
      tags.kind = "changed"
      expect((yield* store.find(accountId, [submission.id]))[0]!.tags).toEqual(brief({ kind: "welcome" }))
    })
  )

  it.effect("finds the submissions of deliveries, each once with all its deliveries, of any account", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const other = yield* freshAccountId
      const many = draftToMany(accountId, [{}, {}, {}])
      const one = draftSubmission(accountId)
      const foreign = draftSubmission(other)
      yield* store.insert(accountId, [many, one, draftSubmission(accountId)], [])
      yield* store.insert(other, [foreign], [])
      const found = yield* wholeSubmissions([
        ...many.deliveries.slice(1),
        deliveryOf(one),
        deliveryOf(foreign),
        { accountId, id: newId() },
        { accountId: other, id: deliveryOf(one).id }
      ])
      expect(byId(found)).toEqual(byId([many, one, foreign]))
      expect(yield* wholeSubmissions([])).toEqual([])
      expect(yield* store.unloaded([])).toEqual([])
    })
  )
}

const repeating = (it: StorageTest): void => {
  it.effect(
    "returns the earlier submission of an idempotency key in its current state, and adds nothing",
    () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const accountId = yield* freshAccountId
        const first = draftSubmission(accountId, { idempotencyKey: "key" })
        yield* store.insert(accountId, [first], [])
        yield* store.move([draftMove(deliveryOf(first), "HandingOff", { attempts: 1 })])
        const [moved] = yield* store.find(accountId, [first.id])
        const repeat = draftSubmission(accountId, { idempotencyKey: "key", subject: "Other" })
        expect(yield* store.insert(accountId, [repeat], [])).toEqual(brief([moved]))
        expect(yield* store.find(accountId, [repeat.id])).toEqual([])
        expect(yield* wholeSubmissions([deliveryOf(repeat)])).toEqual([])
        expect((yield* store.list(accountId, none, firstPage)).totalCount).toBe(1)
      })
  )

  it.effect("compares keys exactly, and by account", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const other = yield* freshAccountId
      const submissions = ["key", "Key", "key ", "", "k%y"].map((idempotencyKey) =>
        draftSubmission(accountId, { idempotencyKey })
      )
      expect(yield* store.insert(accountId, submissions, [])).toEqual(brief(submissions))
      const same = draftSubmission(other, { idempotencyKey: "key" })
      expect(yield* store.insert(other, [same], [])).toEqual(brief([same]))
    })
  )

  it.effect("never takes submissions without a key for repeats", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const submissions = times(3, () => draftSubmission(accountId))
      expect(yield* store.insert(accountId, submissions, [])).toEqual(brief(submissions))
      const more = times(3, () => draftSubmission(accountId))
      expect(yield* store.insert(accountId, more, [])).toEqual(brief(more))
    })
  )

  it.effect("adds the first of one key in a batch", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const [first, second] = [
        draftSubmission(accountId, { idempotencyKey: "key" }),
        draftSubmission(accountId, { idempotencyKey: "key" })
      ]
      const between = draftSubmission(accountId)
      expect(yield* store.insert(accountId, [first, between, second], [])).toEqual(
        brief([first, between, first])
      )
      expect((yield* store.list(accountId, none, firstPage)).totalCount).toBe(2)
    })
  )

  it.effect("returns a batch of 1,000, half of them repeats, in order", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const earlier = times(500, (index) =>
        draftSubmission(accountId, { idempotencyKey: `key-${index * 2}` })
      )
      yield* store.insert(accountId, earlier, [])
      const batch = times(1000, (index) => draftSubmission(accountId, { idempotencyKey: `key-${index}` }))
      const stored = yield* store.insert(accountId, batch, [])
      expect(stored).toEqual(brief(batch.map((one, index) => (index % 2 === 0 ? earlier[index / 2] : one))))
      expect((yield* store.list(accountId, none, firstPage)).totalCount).toBe(1000)
    })
  )

  it.effect("stores one of concurrent submissions with one key, and returns it to all", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const exits = yield* atOnce(
        times(20, () => store.insert(accountId, [draftSubmission(accountId, { idempotencyKey: "key" })], []))
      )
      const stored = successes(exits).flat()
      expect(stored).toHaveLength(20)
      expect(new Set(stored.map(({ id }) => id)).size).toBe(1)
      expect((yield* store.list(accountId, none, firstPage)).items).toEqual(brief([stored[0]]))
    })
  )

  it.effect("stores one submission for each key of batches that overlap in different orders", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const names = times(30, (index) => `key-${index}`)
      const exits = yield* atOnce(
        times(8, (writer) => {
          const order = writer % 2 === 0 ? names : names.toReversed()
          return store.insert(
            accountId,
            order.map((idempotencyKey) => draftSubmission(accountId, { idempotencyKey })),
            []
          )
        })
      )
      const ids = new Map<string, Set<string>>(names.map((name) => [name, new Set()]))
      for (const submission of successes(exits).flat())
        ids.get(submission.idempotencyKey!)!.add(submission.id)
      expect(successes(exits)).toHaveLength(8)
      expect([...ids.values()].map((set) => set.size)).toEqual(brief(names.map(() => 1)))
      expect((yield* store.list(accountId, none, firstPage)).totalCount).toBe(30)
    })
  )

  for (const outcome of ["commits", "rolls back"] as const) {
    it.effect(`makes a repeat wait for the transaction of the first, which ${outcome}`, () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const first = draftSubmission(accountId, { idempotencyKey: "key" })
        const repeat = draftSubmission(accountId, { idempotencyKey: "key" })
        const started = yield* Deferred.make<void>()
        const writer = yield* Effect.forkChild(
          run(
            Effect.gen(function* () {
              yield* store.insert(accountId, [first], [])
              yield* Deferred.succeed(started, undefined)
              yield* pause(30)
              if (outcome === "rolls back") return yield* Effect.fail("rejected" as const)
            })
          )
        )
        yield* Deferred.await(started)
        expect(yield* store.insert(accountId, [repeat], [])).toEqual(
          brief([outcome === "commits" ? first : repeat])
        )
        yield* Effect.exit(Fiber.join(writer))
        expect((yield* store.list(accountId, none, firstPage)).totalCount).toBe(1)
      })
    )
  }
}

const listing = (it: StorageTest): void => {
  it.effect("lists an account's submissions newest first, page by page", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const submissions = times(10, (index) => draftSubmission(accountId, { createdAt: now - index * 1000 }))
      yield* store.insert(accountId, submissions.slice(4), [])
      yield* store.insert(accountId, submissions.slice(0, 4).toReversed(), [])
      yield* store.insert(yield* freshAccountId, [], [])
      const list = (page: PageRequest) => store.list(accountId, none, page)
      expect(yield* readPages(list, 3)).toEqual(brief(submissions))
      expect(yield* list({ page: 9, pageSize: 5 })).toEqual({
        items: [],
        page: 9,
        pageSize: 5,
        totalCount: 10,
        totalIsExact: true,
        next: null
      })
    })
  )

  it.effect("pages submissions with equal times without gap or repetition", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const submissions = times(11, () => draftSubmission(accountId))
      yield* store.insert(accountId, submissions, [])
      const listed = yield* readPages((page) => store.list(accountId, none, page), 4)
      expect(byId(listed)).toEqual(brief(byId(submissions)))
    })
  )

  it.effect("filters by a status that at least one delivery has", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const mixed = draftToMany(accountId, [
        { status: "Delivered" },
        { status: "Delivered" },
        { status: "Bounced" }
      ])
      const bounced = draftSubmission(accountId, { createdAt: now - 1 }, { status: "Bounced" })
      const queued = draftSubmission(accountId, { createdAt: now - 2 })
      yield* store.insert(accountId, [queued, bounced, mixed], [])
      const list = (status: DeliveryStatus) => (page: PageRequest) =>
        store.list(accountId, { status: [status] }, page)
      expect(yield* readPages(list("Bounced"), 1)).toEqual(brief([mixed, bounced]))
      expect(yield* readPages(list("Delivered"), 1)).toEqual(brief([mixed]))
      expect(yield* readPages(list("Failed"), 1)).toEqual([])
      yield* store.move([draftMove(deliveryOf(queued), "HandingOff")])
      expect((yield* list("Queued")(firstPage)).totalCount).toBe(0)
      expect((yield* list("HandingOff")(firstPage)).items.map(({ id }) => id)).toEqual(brief([queued.id]))
    })
  )

  it.effect("filters by a recipient's address", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const other = yield* freshAccountId
      const email = newEmail()
      const both = draftToMany(accountId, [{ email }, {}, { email, kind: "Bcc" }])
      const single = draftSubmission(accountId, { createdAt: now - 1 }, { email })
      yield* store.insert(accountId, [draftSubmission(accountId), single, both], [])
      yield* store.insert(other, [draftSubmission(other, {}, { email })], [])
      const list = (page: PageRequest) => store.list(accountId, { to: [email] }, page)
      expect(yield* readPages(list, 1)).toEqual(brief([both, single]))
      expect((yield* store.list(accountId, { to: ["%"] }, firstPage)).totalCount).toBe(0)
    })
  )

  it.effect("filters by tags, and searches subjects, addresses, ids and idempotency keys", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const other = yield* freshAccountId
      const tagged = draftSubmission(
        accountId,
        { tags: { plan: "gold", "a=b": "c" }, subject: "Ärger 1", idempotencyKey: "Order-17" },
        { email: "ada@lovelace.example" }
      )
      const silver = draftSubmission(accountId, {
        tags: { plan: "silver" },
        subject: "Receipt",
        createdAt: now - 1
      })
      const erased = draftSubmission(accountId, { subject: "", createdAt: now - 2 })
      yield* store.insert(accountId, [erased, silver, tagged], [])
      yield* store.insert(other, [draftSubmission(other, { tags: { plan: "gold" }, subject: "Receipt" })], [])
      const find = (filter: SubmissionFilter) =>
        Effect.map(
          readPages((page) => store.list(accountId, filter, page), 1),
          (found) => found.map(({ id }) => id)
        )
      const gold = { name: "plan", value: "gold" }
      expect(yield* find({ tag: [gold] })).toEqual([tagged.id])
      expect(yield* find({ tag: [gold, { name: "plan", value: "silver" }] })).toEqual([tagged.id, silver.id])
      expect(
        yield* find({
          tag: [
            { name: "a", value: "b=c" },
            { name: "plan", value: "gol" }
          ]
        })
      ).toEqual([])
      for (const [q, id] of [
        ["äRGER", tagged.id],
        ["Order-", tagged.id],
        ["ADA@love", tagged.id],
        [tagged.deliveries[0]!.id, tagged.id],
        [silver.id.toUpperCase(), silver.id],
        ["receipt", silver.id]
      ] as const) {
        expect([q, yield* find({ q })]).toEqual([q, [id]])
      }
      for (const q of ["rger", "order-", "lovelace", "receipts", "%", "_"])
        expect([q, yield* find({ q })]).toEqual([q, []])
      expect(yield* find({ tag: [gold], q: "receipt" })).toEqual([])
      expect(yield* find({ tag: [gold], q: "ä", status: ["Queued"], to: ["ada@lovelace.example"] })).toEqual([
        tagged.id
      ])
    })
  )

  it.effect("filters by who opened and clicked a delivery", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const visits = yield* VisitStore
      const accountId = yield* freshAccountId
      const [human, unknown, machine, unopened] = [0, 1, 2, 3].map((age) =>
        draftSubmission(accountId, { createdAt: now - age })
      ) as [Submission, Submission, Submission, Submission]
      yield* store.insert(accountId, [human, unknown, machine, unopened], [])
      const record = (submission: Submission, more: Partial<DeliveryVisits>) => ({
        ...noVisits(accountId, submission.deliveries[0]!.id),
        firstOpenedAt: now,
        ...more
      })
      yield* visits.put([
        record(human, {
          readerOpenedAt: now,
          opens: { Human: 1, Machine: 1, Unknown: 1 },
          firstClickedAt: now,
          readerClickedAt: now,
          clicks: { Human: 0, Machine: 0, Unknown: 1 }
        }),
        record(unknown, { readerOpenedAt: now, opens: { Human: 0, Machine: 1, Unknown: 1 } }),
        record(machine, { opens: { Human: 0, Machine: 1, Unknown: 0 }, firstClickedAt: now })
      ])
      const find = (filter: SubmissionFilter) =>
        Effect.map(
          readPages((page) => store.list(accountId, filter, page), 1),
          (found) => found.map(({ id }) => id)
        )
      expect(yield* find({ opened: ["Human"] })).toEqual([human.id])
      expect(yield* find({ opened: ["Unknown", "Machine"] })).toEqual([unknown.id, machine.id])
      expect(yield* find({ opened: ["None", "Human"] })).toEqual([human.id, unopened.id])
      expect(yield* find({ clicked: ["Human"] })).toEqual([])
      expect(yield* find({ clicked: ["Unknown"] })).toEqual([human.id])
      expect(yield* find({ clicked: ["Machine"] })).toEqual([machine.id])
      expect(yield* find({ clicked: ["None"], opened: ["Unknown"] })).toEqual([unknown.id])
      expect(yield* find({ opened: ["Human"], status: ["Queued"] })).toEqual([human.id])
      expect(yield* find({ opened: ["Human"], status: ["Sent"] })).toEqual([])
    })
  )

  it.effect("filters by the provider at which a delivery was last tried", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const submissions = [0, 1, 2].map((age) => draftSubmission(accountId, { createdAt: now - age }))
      yield* store.insert(accountId, submissions, [])
      const move = (submission: Submission, from: DeliveryStatus, to: DeliveryStatus, provider?: string) => ({
        accountId,
        id: submission.deliveries[0]!.id,
        from,
        to,
        reason: null,
        attempts: 1,
        claim: null,
        at: now,
        ...(provider === undefined ? {} : { provider })
      })
      const [first, second, third] = submissions as [Submission, Submission, Submission]
      yield* store.move(submissions.map((one) => move(one, "Queued", "HandingOff")))
      const domain = domainOfAddress(first.deliveries[0]!.email)
      const providers = Effect.map(
        store.providersOf(accountId, [domain, "none.example", domain]),
        (found) => [...found]
      )
      expect(yield* providers).toEqual([])
      yield* store.move([
        move(first, "HandingOff", "Queued", "yahoo"),
        move(second, "HandingOff", "Delivered", "google"),
        move(third, "HandingOff", "Delivered")
      ])
      yield* store.move([move(first, "Queued", "HandingOff")])
      const find = (filter: SubmissionFilter) =>
        Effect.map(
          readPages((page) => store.list(accountId, filter, page), 1),
          (found) => found.map(({ id }) => id)
        )
      expect(yield* providers).toEqual([[domain, "yahoo"]])
      expect(yield* find({ provider: ["yahoo"] })).toEqual([first.id])
      expect(yield* find({ provider: ["yahoo", "google"] })).toEqual([first.id, second.id])
      expect(yield* find({ provider: ["google"], status: ["Delivered"] })).toEqual([second.id])
      expect(yield* find({ provider: ["google"], status: ["HandingOff"] })).toEqual([])
      expect(yield* find({ provider: [""] })).toEqual([])
      yield* store.move([move(first, "HandingOff", "Delivered", "google")])
      expect(yield* find({ provider: ["google"] })).toEqual([first.id, second.id])
    })
  )

  it.effect("filters by status and address together", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const email = newEmail()
      const wanted = draftSubmission(accountId, {}, { email, status: "Bounced" })
      yield* store.insert(
        accountId,
        [
          wanted,
          draftSubmission(accountId, {}, { email, status: "Delivered" }),
          draftSubmission(accountId, {}, { status: "Bounced" }),
          draftToMany(accountId, [{ email, status: "Delivered" }, { status: "Bounced" }])
        ],
        []
      )
      const page = yield* store.list(accountId, { status: ["Bounced"], to: [email] }, firstPage)
      expect(page).toEqual(
        brief({ items: [wanted], page: 1, pageSize: 200, totalCount: 1, totalIsExact: true, next: null })
      )
    })
  )
}

const moving = (it: StorageTest): void => {
  it.effect("moves deliveries and returns them as changed", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const submission = draftSubmission(accountId)
      yield* store.insert(accountId, [submission], [])
      const handing = draftMove(deliveryOf(submission), "HandingOff", { attempts: 1 })
      const expected = {
        ...deliveryOf(submission),
        status: "HandingOff",
        attempts: 1,
        claims: 1,
        updatedAt: now + 1000
      } as const
      expect(yield* store.move([handing])).toEqual(brief([expected]))
      const retrying = draftMove(expected, "Queued", { reason: "sending.retrying", at: now + 2000 })
      const queued = {
        ...expected,
        status: "Queued",
        reason: "sending.retrying",
        updatedAt: now + 2000
      } as const
      expect(yield* store.move([retrying])).toEqual(brief([queued]))
      expect(yield* store.find(accountId, [submission.id])).toEqual(
        brief([{ ...submission, deliveries: [queued] }])
      )
      expect(yield* store.move([])).toEqual([])
    })
  )

  it.effect("does not move a delivery that left the state decided on", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const delivered = draftSubmission(accountId, {}, { status: "Delivered" })
      const queued = draftSubmission(accountId)
      yield* store.insert(accountId, [delivered, queued], [])
      const moved = yield* store.move([
        draftMove(deliveryOf(delivered), "HandingOff", { from: "Queued" }),
        draftMove(deliveryOf(queued), "HandingOff"),
        draftMove({ ...deliveryOf(queued), id: newId() }, "HandingOff"),
        draftMove({ ...deliveryOf(delivered), accountId: yield* freshAccountId }, "Bounced")
      ])
      expect(moved.map(({ id }) => id)).toEqual(brief([queued.id]))
      expect(yield* store.find(accountId, [delivered.id])).toEqual(brief([delivered]))
    })
  )

  it.effect("changes only the reason where both states are the same", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const submission = draftSubmission(accountId, {}, { reason: "sending.no_verified_sender" })
      yield* store.insert(accountId, [submission], [])
      const moved = yield* store.move([
        draftMove(deliveryOf(submission), "Queued", { reason: "sending.daily_cap" })
      ])
      expect(moved).toEqual(
        brief([
          { ...deliveryOf(submission), reason: "sending.daily_cap", notDue: 1000, updatedAt: now + 1000 }
        ])
      )
    })
  )

  it.effect("fails on an impossible move, and moves nothing of its batch", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const submissions = [
        draftSubmission(accountId),
        draftSubmission(accountId, {}, { status: "Bounced" })
      ] as const
      yield* store.insert(accountId, submissions, [])
      const exit = yield* Effect.exit(
        store.move([
          draftMove(deliveryOf(submissions[0]), "HandingOff"),
          draftMove(deliveryOf(submissions[1]), "Delivered")
        ])
      )
      expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
      expect(
        byId(
          yield* store.find(
            accountId,
            submissions.map(({ id }) => id)
          )
        )
      ).toEqual(brief(byId(submissions)))
    })
  )

  it.effect("makes one of concurrent moves", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const submission = draftSubmission(accountId)
      yield* store.insert(accountId, [submission], [])
      const exits = yield* atOnce(
        times(20, () => store.move([draftMove(deliveryOf(submission), "HandingOff")]))
      )
      expect(successes(exits)).toHaveLength(20)
      expect(successes(exits).flat()).toHaveLength(1)
    })
  )

  it.effect("moves 1,000 deliveries of several accounts at once", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountIds = yield* Effect.all(times(4, () => freshAccountId))
      const submissions = times(1000, (index) =>
        draftSubmission(accountIds[index % 4]!, {}, { status: "HandingOff" })
      )
      for (const accountId of accountIds) {
        yield* store.insert(
          accountId,
          submissions.filter((submission) => submission.accountId === accountId),
          []
        )
      }
      const ends: ReadonlyArray<readonly [DeliveryStatus, DeliveryReason | null]> = [
        ["Delivered", null],
        ["Queued", "sending.retrying"],
        ["Failed", "sending.refused"]
      ]
      const moves = submissions.map((submission, index) => {
        const [to, reason] = ends[index % 3]!
        return draftMove(deliveryOf(submission), to, { reason, attempts: index, at: now + index })
      })
      const moved = yield* store.move(moves)
      const expected = submissions.map((submission, index) => {
        const [status, reason] = ends[index % 3]!
        return { ...deliveryOf(submission), status, reason, attempts: index, updatedAt: now + index }
      })
      expect(byId(moved)).toEqual(brief(byId(expected)))
    })
  )

  it.effect("undoes moves when the transaction rolls back", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const { run } = yield* Transaction
      const accountId = yield* freshAccountId
      const submission = draftSubmission(accountId, {}, { reason: "sending.scheduled" })
      yield* store.insert(accountId, [submission], [])
      yield* Effect.exit(
        run(
          Effect.andThen(
            store.move([draftMove(deliveryOf(submission), "HandingOff", { attempts: 1 })]),
            Effect.fail("rejected" as const)
          )
        )
      )
      expect(yield* store.find(accountId, [submission.id])).toEqual(brief([submission]))
      expect(yield* store.waiting(accountId, "sending.scheduled", null, 10)).toEqual(
        brief(submission.deliveries)
      )
      const page = yield* store.list(accountId, { status: ["Queued"] }, firstPage)
      expect(page.items).toEqual(brief([submission]))
    })
  )
}

const waiting = (it: StorageTest): void => {
  it.effect("returns an account's Queued deliveries with a reason, oldest first, in parts", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const other = yield* freshAccountId
      const reason = "sending.no_verified_sender"
      const submissions = times(7, () => draftSubmission(accountId, {}, { reason }))
      const pair = draftToMany(accountId, [{ reason }, { reason, status: "Suppressed" }, {}])
      yield* store.insert(accountId, submissions.toReversed(), [])
      yield* store.insert(
        accountId,
        [
          draftSubmission(accountId),
          draftSubmission(accountId, {}, { reason: "sending.daily_cap" }),
          draftSubmission(accountId, {}, { reason, status: "HandingOff" }),
          pair
        ],
        []
      )
      yield* store.insert(other, [draftSubmission(other, {}, { reason })], [])
      const expected = [...submissions.map(deliveryOf), deliveryOf(pair)]
      const waits = (after: string | null, limit: number) => store.waiting(accountId, reason, after, limit)
      expect(yield* waits(null, 100)).toEqual(brief(expected))
      expect(yield* waits(null, 3)).toEqual(brief(expected.slice(0, 3)))
      expect(yield* waits(expected[2]!.id, 3)).toEqual(brief(expected.slice(3, 6)))
      expect(yield* waits(expected[6]!.id, 3)).toEqual(brief(expected.slice(7)))
      expect(yield* waits(expected[7]!.id, 3)).toEqual([])
      expect(yield* store.waiting(accountId, "sending.scheduled", null, 3)).toEqual([])
    })
  )

  it.effect("returns what a lane holds of lines of an account, in their order, and counts it", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
      const lane = `ip:${accountId}`
      const reason = "sending.provider_held"
      const [urgent, news, foreign] = [
        "transactional a.example",
        "marketing a.example",
        "marketing b.example"
      ]
      const heldIn = (line: string, of = accountId) => draftSubmission(of, {}, { reason, lane, line })
      const own = times(3, () => heldIn(news!))
      const later = times(2, () => heldIn(urgent!))
      const others = [draftSubmission(other, {}, { reason: "sending.sender_held", lane, line: news! })]
      yield* store.insert(
        accountId,
        [
          ...own,
          ...later,
          heldIn(foreign!),
          draftSubmission(accountId, {}, { reason, lane: "ip:192.0.2.1", line: news! }),
          draftSubmission(accountId, {}, { reason: "sending.retrying", lane, line: news! }),
          draftSubmission(accountId, {}, { reason, lane, line: news!, status: "HandingOff" })
        ],
        []
      )
      yield* store.insert(other, others, [])
      const ids = (found: ReadonlyArray<Delivery>) => found.map(({ id }) => id)
      const first = [...ids(later.map(deliveryOf)).toSorted(), ...ids(own.map(deliveryOf)).toSorted()]
      expect(ids(yield* store.held(lane, accountId, [urgent!, news!, ""], 10))).toEqual(first)
      expect(ids(yield* store.held(lane, accountId, [urgent!, news!], 3))).toEqual(first.slice(0, 3))
      expect(ids(yield* store.held(lane, accountId, [news!, urgent!], 3))).toEqual(first.slice(2))
      expect(ids(yield* store.held(lane, other, [news!], 3))).toEqual(ids(others.map(deliveryOf)))
      expect(yield* store.held(lane, accountId, [], 3)).toEqual([])
      expect(new Set(yield* store.countHeld([lane, "none"]))).toEqual(
        new Set([
          { lane, accountId, line: news, reason, count: 3, since: null },
          { lane, accountId, line: urgent, reason, count: 2, since: null },
          { lane, accountId, line: foreign, reason, count: 1, since: null },
          { lane, accountId: other, line: news, reason: "sending.sender_held", count: 1, since: null }
        ])
      )
      const lanesTo = (most: number) =>
        Effect.map(store.heldLanes(most), (found) => found.filter((one) => one.lane === lane))
      expect(yield* lanesTo(100)).toEqual([{ lane, count: 7, since: null }])
      expect(yield* lanesTo(2)).toEqual([{ lane, count: 2, since: null }])
      expect((yield* store.heldLanes(1)).map((one) => one.lane)).toContain("ip:192.0.2.1")
      const sent = draftMove(deliveryOf(own[0]!), "HandingOff")
      const [moved] = yield* store.move([sent])
      expect(moved).toMatchObject({ lane, line: news, heldSince: null })
      const held = { lane: "ip:192.0.2.2", line: foreign! }
      const [again] = yield* store.move([{ ...draftMove(moved!, "Queued", { reason }), held, at: 5_000 }])
      expect(again).toMatchObject({ ...held, heldSince: 5_000, reason })
      // Deliveries that wait for other reasons are not counted.
      const wait = (why: DeliveryReason | null, at: number) =>
        Effect.map(
          store.move([{ ...draftMove(moved!, "Queued", { reason: why }), from: "Queued", at }]),
          ([after]) => after!.notDue
        )
      expect(yield* wait("sending.campaign_paused", 7_000)).toBe(0)
      expect(yield* wait("sending.daily_cap", 9_500)).toBe(2_500)
      expect(yield* wait(null, 10_000)).toBe(3_000)
      expect(yield* wait(reason, 20_000)).toBe(3_000)
      const seen = (before: number) =>
        Effect.gen(function* () {
          const counted = (yield* store.countHeld([held.lane], before)).filter(
            (one) => one.accountId === accountId
          )
          const found = yield* store.held(held.lane, accountId, [foreign!], 10, before)
          return [counted, ids(found)]
        })
      expect(yield* seen(5_000)).toEqual([[], []])
      expect(yield* seen(5_001)).toEqual([
        [{ ...held, accountId, reason, count: 1, since: 5_000 }],
        [again!.id]
      ])
    })
  )

  it.effect("counts the Queued deliveries of an account, up to a bound", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      expect(yield* store.countQueued(accountId, 10)).toBe(0)
      const [first, second] = [draftSubmission(accountId), draftSubmission(accountId)]
      yield* store.insert(accountId, [first, second], [])
      expect(yield* store.countQueued(accountId, 10)).toBe(2)
      expect(yield* store.countQueued(accountId, 1)).toBe(1)
      yield* store.move([draftMove(deliveryOf(first), "HandingOff")])
      expect(yield* store.countQueued(accountId, 10)).toBe(1)
    })
  )

  it.effect("returns a delivery as waiting from one move to the next", () =>
    Effect.gen(function* () {
      const store = yield* SubmissionStore
      const accountId = yield* freshAccountId
      const submission = draftSubmission(accountId, { idempotencyKey: unique("key") })
      yield* store.insert(accountId, [submission], [])
      const waits = store.waiting(accountId, "sending.no_verified_sender", null, 10)
      expect(yield* waits).toEqual([])
      const moved = yield* store.move([
        draftMove(deliveryOf(submission), "Queued", { reason: "sending.no_verified_sender" })
      ])
      expect(yield* waits).toEqual(brief(moved))
      yield* store.move([draftMove(deliveryOf(submission), "HandingOff")])
      expect(yield* waits).toEqual([])
    })
  )
}

/** Tests of the port `SubmissionStore`. */
export const submissionStoreContract = (it: StorageTest): void => {
  describe("SubmissionStore", () => {
    storing(it)
    repeating(it)
    listing(it)
    moving(it)
    waiting(it)
  })
}
