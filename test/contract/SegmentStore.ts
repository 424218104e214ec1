/**
 * The contract of `core/ports/SegmentStore`. `test/adapters/postgres/segments` tests that definitions select the right people on
 * every storage.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Contact } from "../../core/model/Contact.ts"
import type { Segment, SegmentSize } from "../../core/model/Segment.ts"
import type {
  campaignCountOperators,
  campaignOperators,
  SegmentDefinition,
  SegmentRule
} from "../../core/model/SegmentDefinition.ts"
import { createHash } from "node:crypto"
import { recipientPlan, recipientOf } from "../../core/campaigns/AudienceRules.ts"
import {
  type Campaign,
  type CampaignDefinition,
  type CampaignTest,
  emptyDefinition
} from "../../core/model/Campaign.ts"
import { type DeliveryVisits, noVisits } from "../../core/model/Visit.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { CampaignStore } from "../../core/ports/CampaignStore.ts"
import { ConversionStore } from "../../core/ports/ConversionStore.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { VisitStore } from "../../core/ports/VisitStore.ts"
import { addRecipients, draftCampaign, draftRecipient } from "./CampaignStore.ts"
import { draftConversion } from "./ConversionStore.ts"
import { draftSubmission } from "./drafts.ts"
import { lastActivityOf, passes } from "../../core/audience/segments/ContactFilters.ts"
import { foldCase } from "../../core/shared/Validate.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import {
  type CompletedField,
  type ContactFilter,
  type SegmentCounts,
  SegmentStore
} from "../../core/ports/SegmentStore.ts"
import { SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import { TimelineStore } from "../../core/ports/TimelineStore.ts"
import {
  changed,
  changes,
  draftCompany,
  draftContact,
  edited,
  firstPage,
  freshAccountId,
  keys,
  makeRandom,
  newId,
  now,
  oddText,
  type Random,
  readOn,
  readPages,
  type StorageTest,
  times
} from "./fixtures.ts"

const sha256Hex = (text: string): string => createHash("sha256").update(text).digest("hex")

const draft = (accountId: string, values: Partial<Segment> = {}): Segment => ({
  id: newId(),
  accountId,
  name: oddText,
  description: null,
  definition: { join: "All", rules: [] },
  builtInKey: null,
  createdAt: now,
  updatedAt: now,
  updatedBy: null,
  ...values
})

const all = (...rules: ReadonlyArray<SegmentRule>): SegmentDefinition => ({ join: "All", rules })
const any = (...rules: ReadonlyArray<SegmentRule>): SegmentDefinition => ({ join: "Any", rules })

const city = (text: string): SegmentRule => ({
  field: { _tag: "Text", column: "city" },
  test: { operator: "Equals", text }
})

const happened = (name: string, count: number, days = 1): SegmentRule => ({
  field: { _tag: "Events", name },
  test: { operator: "HappenedAtLeast", count, days }
})

const insert = Effect.fnUntraced(function* (accountId: string, contacts: ReadonlyArray<Contact>) {
  const store = yield* ContactStore
  yield* store.write(accountId, changes({ inserts: contacts }))
})

const erase = Effect.fnUntraced(function* (accountId: string, contact: Contact) {
  const store = yield* ContactStore
  const values = { email: null, externalId: null, city: null, erasedAt: now, addressHash: "hash" }
  yield* store.write(accountId, changes({ updates: [changed(contact, values)] }))
})

const day = 86_400_000

const ofSizes = (it: StorageTest): void => {
  it.effect("keeps the sizes of segments by day, and says which accounts have none", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const [one, other] = [draftCompany(), draftCompany()]
      yield* (yield* AccountStore).insert([one.company, other.company], [one.live, one.sandbox, other.live])
      const [accountId, otherId] = [one.live.id, other.live.id]
      for (const id of [accountId, otherId]) yield* insert(id, [draftContact()])
      const today = Math.floor(now / day) * day
      const ours = [one.live.id, one.sandbox.id, other.live.id]
      const unsized = Effect.fnUntraced(function* (at: number) {
        const found: Array<string> = []
        let after: string | null = null
        do {
          const page: ReadonlyArray<string> = yield* store.unsized(at, after, 2)
          expect(page).toEqual(page.toSorted())
          found.push(...page)
          after = page.at(-1) ?? null
        } while (after !== null)
        return ours.filter((id) => found.includes(id))
      })
      expect(yield* unsized(today)).toEqual([accountId, otherId])
      const segment = draft(accountId)
      yield* store.insert(segment)
      const size = (at: number, count: number, segmentId = segment.id): SegmentSize => ({
        accountId,
        segmentId,
        day: at,
        count,
        sendableCount: count - 1
      })
      const everyone = newId()
      yield* store.saveSizes([size(today, 3), size(today - day, 2), size(today, 7, everyone)])
      yield* store.saveSizes([size(today, 4)])
      yield* store.saveSizes([])
      expect(yield* unsized(today)).toEqual([otherId])
      expect(yield* unsized(today - day)).toEqual([otherId])
      expect(yield* unsized(today + day)).toEqual([accountId, otherId])
      expect(yield* store.sizes(accountId, segment.id, today - day)).toEqual([
        size(today - day, 2),
        size(today, 4)
      ])
      const ofToday = [size(today, 4), size(today, 7, everyone)]
      expect(yield* store.sizes(accountId, null, today)).toEqual(
        ofToday.toSorted((a, b) => (a.segmentId < b.segmentId ? -1 : 1))
      )
      expect(yield* store.sizes(otherId, null, 0)).toEqual([])
      expect(yield* store.pruneSizes(today - day, 10)).toBe(0)
      expect(yield* store.pruneSizes(today, 10)).toBe(1)
      yield* store.remove(accountId, segment.id)
      expect(yield* store.sizes(accountId, null, 0)).toEqual([size(today, 7, everyone)])
    })
  )
}

const ofSelections = (it: StorageTest): void => {
  it.effect("finds who entered and left the segment of a flow, and moves each once", () =>
    Effect.gen(function* () {
      const accountId = yield* freshAccountId
      const store = yield* SegmentStore
      const [flowId, other] = [newId(), newId()]
      const people = times(6, (index) => draftContact({ city: index < 4 ? "Wien" : "Graz" }))
      const ids = people.map(({ id }) => id)
      yield* insert(accountId, people)
      const wien = all(city("Wien"))
      const found = (limit = 10) => store.memberChanges(accountId, flowId, wien, limit, now)
      const sorted = (list: ReadonlyArray<string>) => list.toSorted()
      const inside = sorted(ids.slice(0, 4))
      expect(yield* found()).toEqual({ entered: inside, left: [] })
      expect(yield* found(2)).toEqual({ entered: inside.slice(0, 2), left: [] })
      yield* store.setMembers(accountId, flowId, wien, now)
      expect(yield* found()).toEqual({ entered: [], left: [] })
      expect(yield* store.memberChanges(accountId, other, wien, 10, now)).toEqual({
        entered: inside,
        left: []
      })
      yield* (yield* ContactStore).write(
        accountId,
        changes({ updates: [changed(people[0]!, { city: "Graz" }), changed(people[5]!, { city: "Wien" })] })
      )
      yield* erase(accountId, people[1]!)
      const moves = { entered: [ids[5]!], left: sorted([ids[0]!, ids[1]!]) }
      expect(yield* found()).toEqual(moves)
      const repeated = { entered: [ids[5]!, ids[2]!], left: [ids[4]!, ids[0]!] }
      expect(yield* store.moveMembers(accountId, flowId, repeated)).toEqual({
        entered: [ids[5]],
        left: [ids[0]]
      })
      expect(yield* store.moveMembers(accountId, flowId, repeated)).toEqual({ entered: [], left: [] })
      expect(yield* found()).toEqual({ entered: [], left: [ids[1]] })
      yield* store.eraseMembers(accountId, [ids[1]!, ids[2]!])
      expect(yield* found()).toEqual({ entered: [ids[2]], left: [] })
      yield* store.eraseMembers(yield* freshAccountId, ids)
      yield* store.setMembers(accountId, flowId, null, now)
      expect((yield* found()).entered).toHaveLength(3)
    })
  )

  it.effect(
    "counts selected people by consent, zone and frequency caps, without those of excluded rules",
    () =>
      Effect.gen(function* () {
        const accountId = yield* freshAccountId
        const store = yield* SegmentStore
        const person = (firstName: string, values: Partial<Contact> = {}) =>
          draftContact({ firstName, city: "Wien", countryCode: "AT", consentStatus: "Subscribed", ...values })
        const people = [
          person("a", { attributes: { zone: "Europe/Paris" } }),
          person("b"),
          person("c", { city: "Graz", consentStatus: "Unsubscribed", countryCode: null }),
          person("out"),
          person("far", { city: "Bonn" }),
          person("none", { email: null, externalId: newId() })
        ]
        yield* insert(accountId, people)
        yield* (yield* SuppressionStore).put([
          {
            accountId,
            email: people[1]!.email!,
            kind: "Complained",
            source: "Report" as const,
            createdAt: now
          }
        ])
        const named = (text: string): SegmentRule => ({
          field: { _tag: "Text", column: "firstName" },
          test: { operator: "Equals", text }
        })
        const chosen = { include: [all(city("Wien")), all(city("Graz"))], exclude: [all(named("out"))] }
        const groups = yield* store.reach(accountId, chosen, null, now)
        const group = (values: object) => ({
          consentStatus: "Subscribed",
          hasAddress: true,
          hasTopic: true,
          suppression: null,
          count: 1,
          ...values
        })
        expect(groups).toHaveLength(4)
        expect(groups).toEqual(
          expect.arrayContaining([
            group({}),
            group({ suppression: "Complained" }),
            group({ consentStatus: "Unsubscribed" }),
            group({ hasAddress: false })
          ])
        )
        const zones = yield* store.zones(accountId, chosen, "zone", now)
        expect(zones[0]).toEqual({ own: null, countryCode: "AT", count: 2 })
        expect(zones).toHaveLength(3)
        expect(zones).toContainEqual({ own: "Europe/Paris", countryCode: "AT", count: 1 })
        expect(yield* store.zones(accountId, chosen, null, now)).toContainEqual({
          own: null,
          countryCode: "AT",
          count: 3
        })
        const submitted = (index: number, days: number, status: "Failed" | "Queued" = "Queued") =>
          draftSubmission(
            accountId,
            {
              createdAt: now - days * day,
              flowId: newId(),
              runId: newId(),
              marketing: { contactId: people[index]!.id, topicId: null }
            },
            { status, reason: status === "Failed" ? "sending.cancelled" : null }
          )
        yield* (yield* SubmissionStore).insert(
          accountId,
          [
            submitted(0, 0.5),
            submitted(0, 1.5),
            submitted(1, 0.5, "Failed"),
            submitted(2, 0.5),
            submitted(4, 0.5)
          ],
          []
        )
        const capped = (...caps: ReadonlyArray<readonly [emails: number, days: number]>) =>
          store.capped(
            accountId,
            chosen,
            caps.map(([emails, days]) => ({ emails, days })),
            now
          )
        expect(yield* capped()).toBe(0)
        expect(yield* capped([1, 1])).toBe(1)
        expect(yield* capped([2, 1])).toBe(0)
        expect(yield* capped([2, 1], [2, 2])).toBe(1)
        expect(yield* capped([3, 30])).toBe(0)
      })
  )
}

const ofCampaigns = (it: StorageTest): void => {
  it.effect("selects by what became of the emails of campaigns", () =>
    Effect.gen(function* () {
      const accountId = yield* freshAccountId
      const store = yield* SegmentStore
      const campaigns = yield* CampaignStore
      const [one, other] = [draftCampaign(accountId), draftCampaign(accountId, { status: "Sent" })]
      yield* campaigns.insert(one)
      yield* campaigns.insert(other)
      const names = ["none", "pending", "queued", "delivered", "opened", "clicked", "failed"]
      const people = names.map((firstName) => draftContact({ firstName }))
      yield* insert(accountId, people)
      const idOf = (name: string) => people[names.indexOf(name)]!.id
      const statuses = {
        queued: "Queued",
        delivered: "Delivered",
        opened: "Sent",
        clicked: "Accepted",
        failed: "Failed"
      } as const
      const emails = Object.entries(statuses).map(([name, status]) => ({ name, status, id: newId() }))
      const second = { name: "clicked", status: "Delivered" as const, id: newId() }
      yield* (yield* SubmissionStore).insert(
        accountId,
        [...emails, second].map(({ id, status }) => draftSubmission(accountId, { id }, { status })),
        []
      )
      const submitted = (
        campaign: Campaign,
        { id, name }: { readonly id: string; readonly name: string },
        at: number
      ) => ({
        ...draftRecipient(campaign, { contactId: idOf(name), deliveryId: id }),
        state: "Submitted" as const,
        version: 1,
        decidedAt: at
      })
      yield* addRecipients([
        draftRecipient(one, { contactId: idOf("pending") }),
        ...emails.map((email) => submitted(one, email, now))
      ])
      yield* addRecipients([submitted(other, second, now - 5 * day)])
      const visited = (name: string, values: Partial<DeliveryVisits>) => ({
        ...noVisits(accountId, emails.find((email) => email.name === name)!.id),
        ...values
      })
      yield* (yield* VisitStore).put([
        visited("delivered", { firstOpenedAt: now, firstClickedAt: now }),
        visited("opened", { readerOpenedAt: now }),
        visited("clicked", { readerOpenedAt: now, readerClickedAt: now })
      ])
      yield* (yield* ConversionStore).write(
        accountId,
        [],
        [draftConversion({ contactId: idOf("opened"), flowId: null, campaignId: one.id })]
      )
      const selected = Effect.fnUntraced(function* (rule: SegmentRule) {
        const page = yield* store.contacts(accountId, all(rule), firstPage, now)
        const found = yield* store.find(accountId, { segment: [all(rule)] }, firstPage, now)
        expect(found.items.map(({ id }) => id)).toEqual(page.items.map(({ id }) => id))
        const { counts } = yield* store.count(accountId, [all(rule), all()], now)
        expect(counts.map(({ count }) => count)).toEqual([page.totalCount, people.length])
        return names.filter((name) => page.items.some(({ id }) => id === idOf(name)))
      })
      const of = (operator: (typeof campaignOperators)[number], campaignId = one.id) =>
        selected({ field: { _tag: "Campaign", campaignId }, test: { operator } })
      expect(yield* of("WasSent")).toEqual(["queued", "delivered", "opened", "clicked"])
      expect(yield* of("WasNotSent")).toEqual(["none", "pending", "failed"])
      expect(yield* of("WasDelivered")).toEqual(["delivered", "opened", "clicked"])
      expect(yield* of("Opened")).toEqual(["opened", "clicked"])
      expect(yield* of("NotOpened")).toEqual(["delivered"])
      expect(yield* of("Clicked")).toEqual(["clicked"])
      expect(yield* of("NotClicked")).toEqual(["delivered", "opened"])
      expect(yield* of("Converted")).toEqual(["opened"])
      expect(yield* of("WasSent", other.id)).toEqual(["clicked"])
      expect(yield* of("Converted", other.id)).toEqual([])
      expect(yield* of("WasNotSent", newId())).toEqual(names)
      const counted = (operator: (typeof campaignCountOperators)[number], count: number, days: number) =>
        selected({ field: { _tag: "Campaigns" }, test: { operator, count, days } })
      expect(yield* counted("SentAtLeast", 1, 1)).toEqual(["queued", "delivered", "opened", "clicked"])
      expect(yield* counted("SentAtLeast", 2, 5)).toEqual(["clicked"])
      expect(yield* counted("SentAtLeast", 2, 4)).toEqual([])
      expect(yield* counted("SentLessThan", 1, 5)).toEqual(["none", "pending", "failed"])
      expect(yield* counted("OpenedAtLeast", 1, 1)).toEqual(["opened", "clicked"])
      expect(yield* counted("OpenedLessThan", 1, 1)).toEqual([
        "none",
        "pending",
        "queued",
        "delivered",
        "failed"
      ])
      expect(yield* counted("ClickedAtLeast", 1, 1)).toEqual(["clicked"])
      expect(yield* counted("ClickedLessThan", 1, 1)).toEqual(names.filter((name) => name !== "clicked"))
      const both = all(
        { field: { _tag: "Campaign", campaignId: one.id }, test: { operator: "Opened" } },
        { field: { _tag: "Campaign", campaignId: one.id }, test: { operator: "NotClicked" } },
        { field: { _tag: "Campaign", campaignId: other.id }, test: { operator: "WasNotSent" } }
      )
      expect((yield* store.contacts(accountId, both, firstPage, now)).items.map(({ id }) => id)).toEqual([
        idOf("opened")
      ])
      const foreign = yield* freshAccountId
      yield* insert(foreign, [draftContact()])
      const rule: SegmentRule = {
        field: { _tag: "Campaign", campaignId: one.id },
        test: { operator: "WasSent" }
      }
      expect((yield* store.contacts(foreign, all(rule), firstPage, now)).items).toEqual([])
    })
  )
}

const readingAudiences = (it: StorageTest): void => {
  it.effect("adds who is selected to a campaign, a part of the contacts at a time, each once", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const campaigns = yield* CampaignStore
      const accountId = yield* freshAccountId
      const zones = ["Europe/Berlin", "Nowhere/Else", "", 5, null]
      const countries = ["AT", "JP", "zz", null]
      const people = times(60, (index) =>
        draftContact({
          city: index % 7 === 0 ? "Wien" : "Graz",
          countryCode: countries[index % 4]!,
          attributes: { ...(index % 3 > 0 && { zone: zones[index % 5]! }) },
          tags: index % 11 === 0 ? ["out"] : null,
          lastOpenAt: index % 2 === 0 ? now - 1 : null,
          lastClickAt: index % 5 === 0 ? now - 9 : null,
          addedAt: index === 1 ? now + 1 : now
        })
      )
      yield* insert(accountId, people)
      yield* insert(yield* freshAccountId, [draftContact({ city: "Graz" })])
      const livesIn = (text: string): SegmentRule => ({
        field: { _tag: "Text", column: "city" },
        test: { operator: "Equals", text }
      })
      const chosen = {
        include: [all(livesIn("Graz")), all(livesIn("Linz"))],
        exclude: [all({ field: { _tag: "Tags" }, test: { operator: "HasAny", items: ["OUT"] } })]
      }
      const picked = people.filter(
        ({ addedAt, city: of, tags }) => of === "Graz" && tags === null && addedAt <= now
      )
      const localTime = { localTime: "2031-05-06T12:00", late: "Skip" } as const
      const test = {
        share: 60,
        variants: (["a", "b", "c"] as const).map((id) => ({ id }))
      } as unknown as CampaignTest
      const settings = { timeZone: "America/New_York", timeZoneAttribute: "zone" }
      const definition = (values: Partial<CampaignDefinition>) => ({ ...emptyDefinition, ...values })
      for (const [values, since, own] of [
        [{ definition: definition({}), startAt: now + 7 }, null, settings],
        [{ definition: definition({ test }) }, now - 5, settings],
        [{ definition: definition({ schedule: localTime }) }, now - 5, settings],
        [
          { definition: definition({ schedule: localTime }) },
          null,
          { timeZone: "UTC", timeZoneAttribute: null }
        ]
      ] as const) {
        const campaign = draftCampaign(accountId, { startAt: null, ...values })
        const plan = recipientPlan(campaign, own, now, since)
        const read = Effect.fnUntraced(function* (size: number) {
          let [after, parts]: [string | null, number] = [null, 0]
          do {
            after = yield* store.addRecipients(accountId, { chosen, plan, asOf: now, after, size })
            parts++
          } while (after !== null)
          return parts
        })
        expect(yield* read(25)).toBe(3)
        expect(yield* read(60)).toBe(2)
        const { items } = yield* campaigns.recipients(accountId, campaign.id, {}, firstPage)
        const expected = picked.map((contact) => recipientOf(accountId, plan, contact, now, sha256Hex))
        expect(items.toReversed()).toEqual(
          expected.toSorted((one, other) => (one.contactId < other.contactId ? -1 : 1))
        )
        expect(yield* campaigns.counts(accountId, [campaign.id])).toEqual([
          yield* campaigns.recount(accountId, campaign.id)
        ])
      }
    })
  )
}

const storing = (it: StorageTest): void => {
  it.effect("returns segments, oldest first, and separates accounts", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const accountId = yield* freshAccountId
      const other = yield* freshAccountId
      const segments = [
        draft(accountId, {
          description: oddText,
          definition: {
            join: "Any",
            rules: [
              { fieldKey: "tags", operator: "HasAny", value: [oddText, "b"] },
              { fieldKey: "orderCount", operator: "Between", value: { from: -0.1, to: 1e21 } },
              { fieldKey: "isPayingCustomer", operator: "IsTrue", value: null }
            ]
          }
        }),
        draft(accountId, { createdAt: now + 1 }),
        draft(accountId, { createdAt: now + 1 })
      ]
      for (const segment of [segments[2]!, segments[0]!, segments[1]!]) yield* store.insert(segment)
      yield* store.insert(draft(other))
      expect(yield* store.list(accountId)).toEqual(segments)
      expect(yield* store.list(yield* freshAccountId)).toEqual([])
    })
  )

  it.effect("changes name, description and definition, only in the own account", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const accountId = yield* freshAccountId
      const segment = draft(accountId)
      const after: Segment = {
        ...segment,
        name: "After",
        description: "Described",
        definition: { join: "Any", rules: [{ fieldKey: "city", operator: "Equals", value: "Wien" }] },
        ...edited
      }
      yield* store.insert(segment)
      yield* store.save({ ...after, accountId: yield* freshAccountId })
      expect(yield* store.list(accountId)).toEqual([segment])
      yield* store.save({ ...after, createdAt: now + 5 })
      expect(yield* store.list(accountId)).toEqual([after])
      yield* store.save(draft(accountId))
      expect(yield* store.list(accountId)).toEqual([after])
    })
  )

  it.effect("removes a segment and returns it", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const accountId = yield* freshAccountId
      const segment = draft(accountId)
      yield* store.insert(segment)
      expect(yield* store.remove(yield* freshAccountId, segment.id)).toBeNull()
      expect(yield* store.remove(accountId, segment.id)).toEqual(segment)
      expect(yield* store.remove(accountId, segment.id)).toBeNull()
      expect(yield* store.list(accountId)).toEqual([])
    })
  )
}

const counting = (it: StorageTest): void => {
  it.effect("counts contacts that may be emailed: with consent, and not suppressed", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const suppressions = yield* SuppressionStore
      const accountId = yield* freshAccountId
      const other = yield* freshAccountId
      const contacts = (
        [
          "Unknown",
          "SoftOptIn",
          "Subscribed",
          "Subscribed",
          "Unsubscribed",
          "Bounced",
          "Complained",
          "CheckoutStarted",
          "PendingConfirmation"
        ] as const
      ).map((consentStatus, index) => draftContact({ consentStatus, city: index < 4 ? "Wien" : "Graz" }))
      yield* insert(accountId, contacts)
      yield* insert(other, [draftContact({ consentStatus: "Subscribed", email: contacts[2]!.email })])
      const suppress = (account: string, contact: Contact) =>
        suppressions.put([
          {
            accountId: account,
            email: contact.email!,
            kind: "Protected",
            source: "Report" as const,
            createdAt: now
          }
        ])
      yield* suppress(accountId, contacts[3]!)
      yield* suppress(accountId, contacts[4]!)
      yield* suppress(accountId, draftContact())
      yield* suppress(other, contacts[1]!)
      const definitions = [
        all(),
        any(),
        all(city("WIEN")),
        all(city("Graz")),
        any(city("Wien"), city("Graz"))
      ]
      const countsOf = (of: string, counted: ReadonlyArray<SegmentDefinition>) =>
        Effect.map(store.count(of, counted, now), ({ counts }) => counts)
      expect(yield* countsOf(accountId, definitions)).toEqual([
        { count: 9, sendableCount: 2 },
        { count: 9, sendableCount: 2 },
        { count: 4, sendableCount: 2 },
        { count: 5, sendableCount: 0 },
        { count: 9, sendableCount: 2 }
      ])
      expect(yield* countsOf(accountId, [all(city("Wien"))])).toEqual([{ count: 4, sendableCount: 2 }])
      expect(yield* countsOf(accountId, [])).toEqual([])
      expect(yield* countsOf(yield* freshAccountId, [all()])).toEqual([{ count: 0, sendableCount: 0 }])
    })
  )

  it.effect("counts many definitions at once, in order", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const accountId = yield* freshAccountId
      yield* insert(
        accountId,
        times(8, (index) => draftContact({ city: `City ${index % 4}`, consentStatus: "SoftOptIn" }))
      )
      const definitions = times(20, (index) => all(city(`City ${index}`)))
      expect((yield* store.count(accountId, definitions, now)).counts).toEqual(
        times(20, (index) => (index < 4 ? { count: 2, sendableCount: 2 } : { count: 0, sendableCount: 0 }))
      )
    })
  )

  it.effect("counts the events of a contact by UTC days", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const timeline = yield* TimelineStore
      const accountId = yield* freshAccountId
      const [once, twice, long, never] = times(4, () => draftContact())
      yield* insert(accountId, [once!, twice!, long!, never!])
      const yesterday = Math.floor(now / 86_400_000) * 86_400_000 - 86_400_000
      const happens = (contact: Contact, name: string, occurredAt: number) => ({
        id: newId(),
        contactId: contact.id,
        name,
        occurredAt,
        properties: {},
        source: "Api"
      })
      yield* timeline.append(accountId, [
        happens(once!, "bought", now),
        happens(twice!, "bought", now - 1),
        happens(twice!, "bought", yesterday),
        happens(long!, "bought", yesterday - 1),
        happens(never!, "visited", now),
        happens(never!, "bought", now + 2 * 86_400_000)
      ])
      const ids = Effect.fnUntraced(function* (definition: SegmentDefinition) {
        const page = yield* store.contacts(accountId, definition, firstPage, now)
        const listed = yield* store.find(accountId, { segment: [definition] }, firstPage, now)
        expect([listed.items, listed.totalCount]).toEqual([page.items, page.totalCount])
        return page.items.map((contact) => contact.id).toSorted()
      })
      expect(yield* ids(all(happened("bought", 1)))).toEqual([once!.id, twice!.id])
      expect(yield* ids(all(happened("bought", 1), happened("bought", 2)))).toEqual([twice!.id])
      const some = { segment: [all(happened("bought", 1)), all(happened("visited", 1))] }
      const listed = yield* store.find(
        accountId,
        { ...some, outside: [all(happened("bought", 2))] },
        firstPage,
        now
      )
      expect(listed.items.map(({ id }) => id).toSorted()).toEqual([once!.id, never!.id])
      expect(yield* ids(all(happened("bought", 2)))).toEqual([twice!.id])
      expect(yield* ids(all(happened("bought", 1, 2)))).toEqual([once!.id, twice!.id, long!.id])
      expect(yield* ids(any(happened("visited", 1), happened("bought", 2)))).toEqual([twice!.id, never!.id])
      const counted = yield* store.count(
        accountId,
        [all(happened("bought", 1)), all(happened("seen", 1))],
        now
      )
      expect(counted.counts).toEqual([
        { count: 2, sendableCount: 0 },
        { count: 0, sendableCount: 0 }
      ])
    })
  )
}

const reaching = (it: StorageTest): void => {
  it.effect("counts the people of a definition by consent, suppression and topic", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const suppressions = yield* SuppressionStore
      const accountId = yield* freshAccountId
      const other = yield* freshAccountId
      const topicId = newId()
      const [on, off, unset, bounced, elsewhere] = (
        [
          { consentStatus: "Subscribed", topics: { [topicId]: true } },
          { consentStatus: "Subscribed", topics: { [topicId]: false } },
          { consentStatus: "Subscribed", topics: {} },
          { consentStatus: "Subscribed", topics: {} },
          { consentStatus: "Unknown", city: "Graz" }
        ] as const
      ).map((values) => draftContact({ city: "Wien", ...values }))
      yield* insert(accountId, [on!, off!, unset!, bounced!, elsewhere!])
      yield* insert(other, [draftContact({ city: "Wien" })])
      for (const { email } of [bounced!, elsewhere!, draftContact()])
        yield* suppressions.put([
          { accountId, email: email!, kind: "Bounced", source: "Report" as const, createdAt: now }
        ])
      const groups = Effect.fnUntraced(function* (defaultOn: boolean | null) {
        const topic = defaultOn === null ? null : { id: topicId, defaultOn }
        const found = yield* store.reach(accountId, { include: [all(city("Wien"))], exclude: [] }, topic, now)
        return found
          .map(({ consentStatus, count, hasAddress, hasTopic, suppression }) =>
            [consentStatus, hasAddress, suppression, hasTopic, count].join(" ")
          )
          .toSorted()
      })
      const group = (suppression: string | null, hasTopic: boolean, count: number) =>
        ["Subscribed", true, suppression, hasTopic, count].join(" ")
      expect(yield* groups(null)).toEqual([group(null, true, 3), group("Bounced", true, 1)].toSorted())
      expect(yield* groups(true)).toEqual(
        [group(null, true, 2), group(null, false, 1), group("Bounced", true, 1)].toSorted()
      )
      expect(yield* groups(false)).toEqual(
        [group(null, true, 1), group(null, false, 2), group("Bounced", false, 1)].toSorted()
      )
      const whole = yield* store.reach(accountId, { include: [all()], exclude: [] }, null, now)
      expect(whole.reduce((sum, one) => sum + one.count, 0)).toBe(5)
      expect(yield* store.reach(yield* freshAccountId, { include: [all()], exclude: [] }, null, now)).toEqual(
        []
      )
    })
  )

  it.effect("completes values from those that contacts have, the most frequent first", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const timeline = yield* TimelineStore
      const accountId = yield* freshAccountId
      const contacts = [
        draftContact({ city: "Graz", tags: ["b"], attributes: { plan: "pro", likes: ["tea"] } }),
        draftContact({ city: "Wien", tags: ["a", "b"], attributes: { plan: "", likes: ["tea", "jazz"] } }),
        draftContact({ city: "Wien", countryCode: "AT", attributes: { likes: "none" } }),
        draftContact({ city: null })
      ]
      const erased = draftContact({ city: "Linz" })
      yield* insert(accountId, [...contacts, erased])
      yield* erase(accountId, erased)
      yield* insert(yield* freshAccountId, [draftContact({ city: "Bern" })])
      yield* timeline.append(
        accountId,
        ["seen", "bought", "seen"].map((name) => ({
          id: newId(),
          contactId: contacts[0]!.id,
          name,
          occurredAt: now,
          properties: {},
          source: "Api"
        }))
      )
      const values = (field: CompletedField) => store.values(accountId, field)
      expect(yield* values({ _tag: "Column", column: "city" })).toEqual(["Wien", "Graz"])
      expect(yield* values({ _tag: "Column", column: "countryCode" })).toEqual(["AT"])
      expect(yield* values({ _tag: "Column", column: "language" })).toEqual([])
      expect(yield* values({ _tag: "Tags" })).toEqual(["b", "a"])
      expect(yield* values({ _tag: "Attribute", key: "plan", isList: false })).toEqual(["pro"])
      expect(yield* values({ _tag: "Attribute", key: "likes", isList: true })).toEqual(["tea", "jazz"])
      expect(yield* values({ _tag: "Attribute", key: "none", isList: false })).toEqual([])
      expect(yield* values({ _tag: "Events" })).toEqual(["seen", "bought"])
    })
  )
}

/** Random changes of an account's audience, of every kind that the ports support. */
const makeChanges = (accountId: string, random: Random) =>
  Effect.gen(function* () {
    const store = yield* ContactStore
    const suppressions = yield* SuppressionStore
    const timeline = yield* TimelineStore
    const people: Array<Contact> = []
    const entryOf = (contact: Contact) => ({
      id: newId(),
      contactId: contact.id,
      name: "bought",
      occurredAt: now,
      properties: { storeId: "s" },
      source: "Store"
    })
    const replace = Effect.fnUntraced(function* (contact: Contact, values: Partial<Contact>) {
      const [stored] = yield* store.find(accountId, keys({ ids: [contact.id] }))
      const next = changed(stored!, values)
      people[people.indexOf(contact)] = next
      yield* store.write(accountId, changes({ updates: [next] }))
    })
    const someone = Effect.suspend(() => {
      const living = people.filter(({ erasedAt }) => erasedAt === null)
      if (living.length > 0) return Effect.succeed(random.pick(living))
      const contact = draftContact({ city: "Wien", consentStatus: "Subscribed" })
      people.push(contact)
      return Effect.as(store.write(accountId, changes({ inserts: [contact] })), contact)
    })
    const added = Effect.suspend(() => {
      const contact = draftContact({ city: random.pick(["Wien", "Graz"]), consentStatus: "Subscribed" })
      people.push(contact)
      return store.write(accountId, changes({ inserts: [contact] }))
    })
    const kinds: ReadonlyArray<(contact: Contact) => Effect.Effect<unknown, unknown>> = [
      () => added,
      () => added,
      (contact) => replace(contact, { city: contact.city === "Wien" ? "Graz" : "Wien" }),
      (contact) => replace(contact, { consentStatus: "Unsubscribed" }),
      (contact) =>
        replace(contact, { email: null, externalId: null, city: null, erasedAt: now, addressHash: newId() }),
      (contact) => timeline.append(accountId, [entryOf(contact)]),
      (contact) => timeline.erase(accountId, [contact.id]),
      (contact) => timeline.eraseStore(accountId, [contact.id], "s"),
      (contact) =>
        suppressions.put([
          { accountId, email: contact.email!, kind: "Protected", source: "Report" as const, createdAt: now }
        ]),
      (contact) => suppressions.remove(accountId, contact.email!),
      (contact) =>
        suppressions.erase(accountId, [{ email: contact.email!, hash: `hash of ${contact.email!}` }]),
      (contact) =>
        suppressions.restore(accountId, [{ email: contact.email!, hash: `hash of ${contact.email!}` }]),
      (contact) =>
        store.touch(accountId, [
          { email: contact.email!, field: "lastOpenAt", at: now + random.below(1_000_000) }
        ])
    ]
    return Effect.flatMap(someone, (contact) => random.pick(kinds)(contact))
  })

const marking = (it: StorageTest): void => {
  const definitions = [
    all(city("Wien")),
    all(happened("bought", 1)),
    all({ field: { _tag: "Date", column: "lastOpenAt" }, test: { operator: "IsSet" } })
  ]

  it.effect("gives equal marks to equal counts alone, whatever changes", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const accountId = yield* freshAccountId
      const other = yield* freshAccountId
      const change = yield* makeChanges(accountId, makeRandom(1))
      const changeOther = yield* makeChanges(other, makeRandom(2))
      let before = yield* store.count(accountId, definitions, now)
      const past = new Set<string>()
      for (let step = 0; step < 50; step++) {
        yield* change
        const after = yield* store.count(accountId, definitions, now)
        expect(yield* store.marks(accountId)).toBe(after.marks)
        if (after.marks === before.marks) expect(after).toEqual(before)
        else {
          past.add(before.marks)
          expect(past.has(after.marks)).toBe(false)
        }
        before = after
        yield* changeOther
        expect(yield* store.count(accountId, definitions, now)).toEqual(before)
      }
      expect(past.size).toBeGreaterThan(15)
    })
  )

  it.effect("changes the marks with each kind of change", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const contacts = yield* ContactStore
      const suppressions = yield* SuppressionStore
      const timeline = yield* TimelineStore
      const accountId = yield* freshAccountId
      const contact = draftContact()
      const email = contact.email!
      const hash = "hash"
      const segment = draft(accountId)
      const entry = {
        id: newId(),
        contactId: contact.id,
        name: "x",
        occurredAt: now,
        properties: {},
        source: "Api"
      }
      const kinds: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>]> = [
        ["insert", contacts.write(accountId, changes({ inserts: [contact] }))],
        ["update", contacts.write(accountId, changes({ updates: [changed(contact, { city: "Wien" })] }))],
        ["touch", contacts.touch(accountId, [{ email, field: "lastOpenAt", at: now }])],
        ["append", timeline.append(accountId, [entry])],
        ["erase", timeline.erase(accountId, [contact.id])],
        [
          "put",
          suppressions.put([
            { accountId, email, kind: "Protected", source: "Report" as const, createdAt: now }
          ])
        ],
        ["hide", suppressions.erase(accountId, [{ email, hash }])],
        ["restore", suppressions.restore(accountId, [{ email, hash }])],
        ["remove", suppressions.remove(accountId, email)],
        ["insert a segment", store.insert(segment)],
        ["save a segment", store.save({ ...segment, name: "Other" })],
        ["remove a segment", store.remove(accountId, segment.id)]
      ]
      const seen = new Set([yield* store.marks(accountId)])
      for (const [kind, change] of kinds) {
        yield* change
        const marks = yield* store.marks(accountId)
        expect([kind, seen.has(marks)]).toEqual([kind, false])
        seen.add(marks)
      }
      const last = yield* store.marks(accountId)
      for (const definition of [null, all(), all(city("Wien"))]) {
        expect((yield* store.contacts(accountId, definition, firstPage, now)).marks).toBe(last)
      }
      expect((yield* store.shown(accountId, [])).marks).toBe(last)
      expect(yield* store.marks(accountId)).toBe(last)
    })
  )

  it.effect("gives one count to each marks while several writers commit", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const accountId = yield* freshAccountId
      const writers = yield* Effect.forEach(
        times(4, (index) => makeRandom(10 + index)),
        (random) => makeChanges(accountId, random)
      )
      const counted: Array<SegmentCounts> = []
      const write = Effect.forEach(
        writers,
        (change) =>
          Effect.forEach(
            times(25, () => change),
            (one) => Effect.andThen(Effect.yieldNow, one)
          ),
        { concurrency: "unbounded" }
      )
      const count = Effect.forEach(
        times(50, () => null),
        () =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.map(store.count(accountId, definitions, now), (state) => counted.push(state))
          )
      )
      yield* Effect.all([write, count, count], { concurrency: "unbounded" })
      counted.push(yield* store.count(accountId, definitions, now))
      const byMarks = Map.groupBy(counted, ({ marks }) => marks)
      for (const states of byMarks.values()) {
        for (const state of states) expect(state).toEqual(states[0])
      }
      const last = counted.at(-1)!
      expect(
        byMarks.get(last.marks)!.every((state) => state.counts[0]!.count === last.counts[0]!.count)
      ).toBe(true)
    })
  )
}

const people: ReadonlyArray<Partial<Contact>> = [
  { email: "ada.lovelace@analytical.example", firstName: "Ada", lastName: "Lovelace", tags: ["vip", "it's"] },
  {
    email: "grace@navy.example",
    firstName: "Grace",
    lastName: "Hopper",
    externalId: "C-1906",
    phone: "+1 555 12"
  },
  { email: "ozlem@firma.example", firstName: "Özlem", lastName: "İnce", countryCode: "TR", language: "tr" },
  {
    email: "vip@shop.example",
    consentStatus: "Subscribed",
    consentSource: "Import",
    tags: [],
    language: "de-AT"
  },
  {
    email: "%_'|&!\\:*@shop.example",
    firstName: "a\nb",
    countryCode: "AT",
    consentStatus: "Bounced",
    tags: ["vip"]
  }
]

const searches = [
  "ada",
  "ADA",
  "lovel",
  "love lace",
  "a lov",
  "analytical.example",
  "ex",
  "e",
  "g",
  "hop",
  "1906",
  "c-",
  "555"
]
const oddSearches = [
  "özlem",
  "ÖZ",
  "in",
  "ince",
  "%_'",
  "'|&!\\:*",
  "\\",
  "b",
  "ab",
  "a b",
  "zzz",
  ".",
  "1 555 12 ",
  "@"
]

const finding = (it: StorageTest): void => {
  it.effect("finds the contacts that pass each filter and search", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const accountId = yield* freshAccountId
      const [onTopic, offTopic] = [newId(), newId()]
      const contacts = times(40, (index) =>
        draftContact({
          ...people[index % people.length],
          email: `${index}${people[index % people.length]!.email}`,
          addedAt: now + (index % 7) * 1000,
          topics:
            index % 3 === 0 ? { [onTopic]: index % 2 === 0 } : index % 3 === 1 ? { [offTopic]: true } : {},
          lastOpenAt: index % 4 === 0 ? now + 100 * index : null,
          lastEmailedAt: index % 5 === 0 ? now + 50 * index : null,
          lastClickAt: index % 11 === 0 ? now + 70 * index : null,
          externalId: index % 5 === 1 ? `C-1906-${index}` : null
        })
      )
      yield* insert(accountId, contacts)
      yield* insert(yield* freshAccountId, [draftContact(people[0])])
      const suppressions = yield* SuppressionStore
      const suppressed = contacts.filter((_, index) => index % 6 === 0).map(({ email }) => email!)
      yield* suppressions.put(
        suppressed.map((email) => ({
          accountId,
          email,
          kind: "Bounced",
          source: "Report" as const,
          createdAt: now
        }))
      )
      const moved = changed(contacts[1]!, { lastOpenAt: now + 9_000_000, tags: ["moved"] })
      const gone = contacts[2]!
      const contactStore = yield* ContactStore
      yield* contactStore.write(accountId, changes({ updates: [moved] }))
      yield* erase(accountId, gone)
      const left = contacts.flatMap((contact) =>
        contact.id === gone.id ? [] : [contact.id === moved.id ? moved : contact]
      )
      const filters: ReadonlyArray<ContactFilter> = [
        {},
        ...[...searches, ...oddSearches].map((q) => ({ q: foldCase(q) })),
        { tag: ["vip"] },
        { tag: ["it's", "moved"] },
        { tag: ["vip"], q: "ada" },
        { consentStatus: ["Subscribed", "Bounced"] },
        { consentStatus: ["Subscribed"], source: ["Import"], language: ["de-AT"] },
        { country: ["AT", "TR"], q: "shop" },
        { language: ["tr"] },
        { storeId: [newId()] },
        { topic: [{ id: onTopic, defaultOn: true, on: true }] },
        { topic: [{ id: onTopic, defaultOn: true, on: false }] },
        { topic: [{ id: offTopic, defaultOn: false, on: true }], tag: ["vip"] },
        { topic: [{ id: offTopic, defaultOn: false, on: false }] },
        { since: now + 2000, until: now + 4000 },
        { lastOpenSince: now + 1000 },
        { lastEmailedSince: now + 1000, lastClickSince: now },
        { segment: [all(city("Wien")), all()] },
        { segment: [all(city("Wien"))] }
      ]
      const byAdded = (contact: Contact) => contact.addedAt
      for (const [by, timeOf] of [
        ["added", byAdded],
        ["lastActivity", lastActivityOf]
      ] as const) {
        const sorted = left.toSorted((a, b) => timeOf(b) - timeOf(a) || (a.id < b.id ? 1 : -1))
        const read = (filter: ContactFilter, ascending: boolean) =>
          readOn(
            (page) => store.find(accountId, filter, { ...page, sort: { by, ascending } }, now),
            7,
            ascending
          )
        const idsOf = (found: ReadonlyArray<Contact>) => found.map(({ id }) => id)
        for (const filter of filters) {
          const isPicked = filter.segment === undefined || filter.segment?.length === 2
          const expected = idsOf(sorted.filter((contact) => isPicked && passes(filter, contact)))
          expect([filter, idsOf(yield* read(filter, false))]).toEqual([filter, expected])
          const { totalCount } = yield* store.find(accountId, filter, { page: 1, pageSize: 1 }, now)
          expect([filter, totalCount]).toEqual([filter, expected.length])
        }
        expect(idsOf(yield* read({}, true))).toEqual(idsOf(sorted).toReversed())
        expect(idsOf(yield* read({ tag: ["vip"] }, true)).length).toBeGreaterThan(10)
        const isSuppressed = ({ email }: Contact) => suppressed.includes(email!)
        expect(idsOf(yield* read({ suppressed: true }, false))).toEqual(idsOf(sorted.filter(isSuppressed)))
        expect(idsOf(yield* read({ suppressed: false }, false))).toEqual(
          idsOf(sorted.filter((contact) => !isSuppressed(contact)))
        )
      }
      const second = yield* store.find(accountId, { tag: ["vip"] }, { page: 2, pageSize: 5 }, now)
      const newest = left.filter((contact) => contact.tags?.includes("vip"))
      expect(second.totalCount).toBe(newest.length)
      expect(second.items).toEqual(
        newest.toSorted((a, b) => b.addedAt - a.addedAt || (a.id < b.id ? 1 : -1)).slice(5, 10)
      )
    })
  )
}

const listing = (it: StorageTest): void => {
  it.effect("lists contacts newest first, then by id, page by page, without erased ones", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const accountId = yield* freshAccountId
      const contacts = [
        draftContact({ addedAt: now, city: "Wien" }),
        draftContact({ addedAt: now + 2, city: "wien" }),
        draftContact({ addedAt: now + 1, city: "Graz" }),
        draftContact({ addedAt: now + 2, city: "WIEN" }),
        draftContact({ addedAt: now - 1, city: "Wien", attributes: { list: ["x"] }, totalSpent: "0.10" })
      ]
      const gone = draftContact({ addedAt: now + 3, city: "Wien" })
      yield* insert(accountId, [...contacts, gone])
      yield* erase(accountId, gone)
      const expected = [contacts[3]!, contacts[1]!, contacts[2]!, contacts[0]!, contacts[4]!]
      expect(yield* readPages((page) => store.contacts(accountId, null, page, now), 2)).toEqual(expected)
      expect(yield* readPages((page) => store.contacts(accountId, all(), page, now), 2)).toEqual(expected)
      expect(yield* readPages((page) => store.contacts(accountId, all(city("Wien")), page, now), 3)).toEqual(
        expected.filter((contact) => contact !== contacts[2])
      )
      const far = { page: 1_000_000, pageSize: 200 }
      for (const definition of [null, all(city("Wien"))]) {
        const page = yield* store.contacts(accountId, definition, far, now)
        expect(page).toMatchObject({ ...far, items: [], totalCount: definition === null ? 5 : 4 })
      }
      const empty = yield* store.contacts(yield* freshAccountId, null, firstPage, now)
      expect(empty).toMatchObject({ ...firstPage, items: [], totalCount: 0 })
    })
  )

  it.effect("shows contacts in the order of their ids, without erased ones and those of others", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const accountId = yield* freshAccountId
      const other = yield* freshAccountId
      const [foreign, gone, ...own] = times(5, () => draftContact({ attributes: { list: ["x"] } }))
      yield* insert(other, [foreign!])
      yield* insert(accountId, [gone!, ...own])
      yield* erase(accountId, gone!)
      const ids = [own[2]!, gone!, own[0]!, foreign!, own[1]!].map(({ id }) => id)
      expect((yield* store.shown(accountId, [newId(), ...ids])).contacts).toEqual([own[2], own[0], own[1]])
      expect((yield* store.shown(accountId, [])).contacts).toEqual([])
    })
  )

  it.effect("compares any string literally", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const accountId = yield* freshAccountId
      const hostile = "'; drop table contacts; -- $1 %_\\ \" {"
      const contact = draftContact({
        city: hostile,
        attributes: { [hostile]: hostile },
        tags: [hostile]
      })
      yield* insert(accountId, [contact, draftContact()])
      const definition = all(
        city(hostile),
        { field: { _tag: "Tags" }, test: { operator: "HasAll", items: [hostile.toUpperCase()] } },
        {
          field: { _tag: "Attribute", key: hostile, type: "Text" },
          test: { operator: "In", texts: [hostile, oddText] }
        },
        { field: { _tag: "Events", name: hostile }, test: { operator: "IsNotSet" } }
      )
      expect((yield* store.contacts(accountId, definition, firstPage, now)).items).toEqual([contact])
    })
  )
}

/** Tests of the port `SegmentStore`. */
export const segmentStoreContract = (it: StorageTest): void => {
  describe("SegmentStore", () => {
    readingAudiences(it)
    storing(it)
    ofCampaigns(it)
    ofSizes(it)
    ofSelections(it)
    counting(it)
    reaching(it)
    marking(it)
    listing(it)
    finding(it)
  })
}
