/**
 * The contract of `core/ports/CampaignStore`.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { countsOf, partCount, partOfRecipient } from "../../core/campaigns/CampaignRules.ts"
import {
  type Campaign,
  type CampaignRecipient,
  type CampaignVersion,
  emptyBaseline,
  emptyDefinition,
  type RecipientDecision
} from "../../core/model/Campaign.ts"
import type { Attempt } from "../../core/model/Message.ts"
import type { Delivery } from "../../core/model/Submission.ts"
import type { VisitCounts, VisitVerdict } from "../../core/model/Visit.ts"
import { AttemptStore } from "../../core/ports/AttemptStore.ts"
import {
  breakdowns,
  type CampaignFilter,
  CampaignStore,
  type RecipientFilter
} from "../../core/ports/CampaignStore.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { ConversionStore } from "../../core/ports/ConversionStore.ts"
import { type AudiencePart, SegmentStore } from "../../core/ports/SegmentStore.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { VisitStore } from "../../core/ports/VisitStore.ts"
import type { Page, Place } from "../../core/shared/Page.ts"
import { draftAttempt } from "./AttemptStore.ts"
import { draftSubmission } from "./drafts.ts"
import {
  changes,
  draftContact,
  edited,
  expectFailure,
  firstPage,
  freshAccountId,
  keys,
  listsNewestFirst,
  newEmail,
  newHash,
  newId,
  now,
  oddText,
  type StorageTest,
  times
} from "./fixtures.ts"
import { draftVisits } from "./VisitStore.ts"

const editor = edited.updatedBy!

/** A campaign of the contract's tests. */
export const draftCampaign = (accountId: string, values: Partial<Campaign> = {}): Campaign => ({
  id: newId(),
  accountId,
  name: "Spring",
  status: "Sending",
  statusReason: null,
  statusAt: now,
  definition: { ...emptyDefinition, tags: [oddText] },
  version: 1,
  startAt: now,
  launchedAt: now,
  baseline: emptyBaseline,
  test: null,
  approval: null,
  createdBy: editor,
  createdAt: now,
  ...edited,
  ...values
})

/** A pending recipient of a campaign. */
export const draftRecipient = (
  { accountId, id }: Pick<Campaign, "accountId" | "id">,
  values: Partial<CampaignRecipient> = {}
): CampaignRecipient => ({
  accountId,
  campaignId: id,
  contactId: newId(),
  state: "Pending",
  reason: null,
  variant: null,
  dueAt: now,
  movedAt: null,
  version: null,
  deliveryId: null,
  decidedAt: null,
  renderError: null,
  ...values
})

/** The id before another. */
const idBefore = (id: string): string =>
  (BigInt(`0x${id.replaceAll("-", "")}`) - 1n)
    .toString(16)
    .padStart(32, "0")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")

/** The part of an audience plan that selects everyone, due now. */
const everyone = (campaignId: string): Omit<AudiencePart, "after" | "size"> => ({
  chosen: { include: [{ join: "All", rules: [] }], exclude: [] },
  plan: { campaignId, dueAt: now, test: null, engagedSince: null },
  asOf: now
})

/** Makes the given people recipients, and first adds those who are not contacts yet. */
export const addRecipients = Effect.fnUntraced(function* (recipients: ReadonlyArray<CampaignRecipient>) {
  const contacts = yield* ContactStore
  const segments = yield* SegmentStore
  const store = yield* CampaignStore
  for (const { accountId, campaignId, contactId, decidedAt, ...rest } of recipients) {
    if ((yield* contacts.find(accountId, keys({ ids: [contactId] }))).length === 0) {
      yield* contacts.write(accountId, changes({ inserts: [draftContact({ id: contactId })] }))
    }
    // The people's contacts may have been added at any time.
    const part = {
      ...everyone(campaignId),
      asOf: Date.UTC(9999, 11, 31, 23, 59, 59, 999),
      after: idBefore(contactId),
      size: 1
    }
    yield* segments.addRecipients(accountId, part)
    const decision = { ...rest, contactId, addressHash: null, heldSince: null }
    yield* store.decide(accountId, campaignId, [decision], decidedAt ?? now)
  }
})

const submitted = (
  { contactId, dueAt, variant }: CampaignRecipient,
  values: Partial<RecipientDecision> = {}
) => ({
  contactId,
  variant,
  dueAt,
  state: "Submitted" as const,
  reason: null,
  version: 1,
  deliveryId: newId(),
  addressHash: newHash(),
  renderError: null,
  heldSince: null,
  ...values
})

/** Tests of the port `CampaignStore`. */
export const campaignStoreContract = (it: StorageTest): void => {
  describe("CampaignStore", () => {
    listsNewestFirst(it, "campaigns", CampaignStore, ({ insert, list }) => ({
      draft: (accountId, createdAt) => draftCampaign(accountId, { createdAt }),
      timeOf: (campaign) => campaign.createdAt,
      insert,
      list: (accountId, page) => list(accountId, {}, page)
    }))

    it.effect("returns campaigns and versions as they were added and saved", () =>
      Effect.gen(function* () {
        const store = yield* CampaignStore
        const accountId = yield* freshAccountId
        const one = draftCampaign(accountId, { status: "Draft", startAt: null, launchedAt: null, version: 0 })
        const approval = {
          state: "Approved",
          by: editor,
          at: now,
          comment: oddText,
          digest: newHash(),
          editor
        } as const
        const startsAt = one.statusAt + 2_000
        const other = draftCampaign(accountId, {
          status: "Paused",
          statusReason: "campaigns.bounces",
          startAt: startsAt,
          approval
        })
        yield* store.insert(one)
        yield* store.insert(other)
        expect(yield* store.find(accountId, [one.id, newId()])).toEqual([one])
        expect(yield* store.find(yield* freshAccountId, [one.id])).toEqual([])
        expect(yield* store.lock(accountId, other.id)).toEqual(other)
        expect(yield* store.lock(accountId, newId())).toBeNull()
        expect(yield* store.count(accountId, null)).toBe(2)
        expect(yield* store.count(accountId, "Paused")).toBe(1)
        expect(yield* store.inStatus(accountId, ["Draft", "Sent"], 5)).toEqual([one])
        const used = ({ id, name, status }: Campaign) => ({ id, name, status })
        expect(yield* store.uses(accountId, ["Draft", "Sent"], null, 5)).toEqual([used(one)])
        expect(yield* store.uses(accountId, ["Draft", "Paused"], null, 1)).toHaveLength(1)
        const named = { segmentId: newId(), excluded: newId(), templateId: newId(), topic: oddText }
        const { definition } = one
        const ofTemplate = { templateId: named.templateId, templateVersion: null }
        const variant = { id: "a" as const, name: null, content: ofTemplate, languages: {}, from: null }
        const naming = draftCampaign(accountId, {
          status: "Scheduled",
          definition: {
            ...definition,
            topic: named.topic,
            audience: { segments: [named.segmentId], exclude: [named.excluded] },
            languages: { de: { templateId: named.excluded, templateVersion: 2 } },
            test: {
              variants: [variant, { ...variant, id: "b", languages: { fr: ofTemplate } }],
              share: 100,
              metric: "Clicks",
              after: "PT1H",
              decide: "Auto",
              confidence: 0.9,
              undecided: "First"
            }
          }
        })
        yield* store.insert(naming)
        for (const thing of [
          { segmentId: named.segmentId },
          { segmentId: named.excluded },
          { templateId: named.templateId },
          { templateId: named.excluded },
          { topic: named.topic }
        ]) {
          expect(yield* store.uses(accountId, ["Draft", "Scheduled"], thing, 5)).toEqual([used(naming)])
          expect(yield* store.uses(accountId, ["Draft"], thing, 5)).toEqual([])
        }
        for (const unused of [
          { segmentId: named.templateId },
          { templateId: named.segmentId },
          { topic: "none" }
        ])
          expect(yield* store.uses(accountId, ["Draft", "Scheduled"], unused, 5)).toEqual([])
        yield* store.remove(accountId, naming.id)
        const starting = (after: number, before: number) =>
          store.inStatus(accountId, ["Draft", "Paused"], 5, { after, before })
        // A campaign without a start time counts from the last change of its status.
        expect(yield* starting(one.statusAt - 1, one.statusAt + 1)).toEqual([one])
        expect(yield* starting(startsAt - 1, startsAt + 1)).toEqual([other])
        expect(yield* starting(one.statusAt, startsAt)).toEqual([])
        const listed = yield* store.list(accountId, { status: ["Paused", "Sent"] }, firstPage)
        expect(listed.items).toEqual([other])
        const saved: Campaign = {
          ...one,
          name: oddText,
          status: "Sending",
          version: 2,
          startAt: now + 5,
          test: { sentAt: now, winner: "b", isAsked: false }
        }
        yield* store.save(saved)
        expect(yield* store.find(accountId, [one.id])).toEqual([saved])
        expect(
          yield* store.statuses([
            { accountId, id: one.id },
            { accountId, id: newId() }
          ])
        ).toEqual(new Map([[`${accountId}/${one.id}`, "Sending"]]))
        const version: CampaignVersion = {
          accountId,
          campaignId: one.id,
          version: 1,
          name: oddText,
          templateId: newId(),
          templateVersion: 3,
          subject: oddText,
          preheader: null,
          html: `<p>${oddText}</p>`,
          text: null,
          parts: [
            {
              variant: "b",
              language: "de",
              from: null,
              templateId: null,
              templateVersion: null,
              subject: oddText,
              preheader: null,
              html: null,
              text: oddText
            },
            {
              variant: null,
              language: null,
              from: null,
              templateId: null,
              templateVersion: null,
              subject: "Base",
              preheader: null,
              html: null,
              text: null
            }
          ],
          utm: { source: "s", medium: "m", campaign: oddText, term: null, content: null },
          from: { email: "a@b.example", name: null },
          replyTo: { email: "r@b.example", name: oddText },
          topicId: null,
          tracking: { opens: true, clicks: false },
          createdAt: now,
          createdBy: editor
        }
        yield* store.addVersion(version)
        yield* store.addVersion({
          ...version,
          version: 2,
          templateId: null,
          templateVersion: null,
          replyTo: null,
          parts: null,
          utm: null
        })
        const ref = { accountId, campaignId: one.id, version: 1 }
        expect(yield* store.versions([ref, ref, { ...ref, version: 9 }])).toEqual([version])
        const later = { ...ref, version: 2 }
        const subjects = yield* store.subjects([later, ref, ref, { ...ref, version: 9 }])
        expect(subjects.toSorted((a, b) => a.version - b.version)).toEqual([
          {
            campaignId: one.id,
            version: 1,
            subject: oddText,
            parts: [
              { variant: "b", language: "de", subject: oddText },
              { variant: null, language: null, subject: "Base" }
            ]
          },
          { campaignId: one.id, version: 2, subject: oddText, parts: null }
        ])
        expect(yield* store.subjects([])).toEqual([])
        yield* store.remove(accountId, one.id)
        expect(yield* store.find(accountId, [one.id])).toEqual([])
        expect(yield* store.versions([ref])).toEqual([])
      })
    )

    it.effect("lists by tag, topic, segment, time and words, and finds what the archive shows", () =>
      Effect.gen(function* () {
        const store = yield* CampaignStore
        const accountId = yield* freshAccountId
        const segment = newId()
        const archive = { public: true, slug: "spring", title: null, summary: oddText }
        const content = { subject: "Hello World", preheader: null, html: null, text: "x" }
        const one = draftCampaign(accountId, {
          name: "First %_",
          status: "Sent",
          createdAt: now,
          startAt: now,
          definition: {
            ...emptyDefinition,
            content,
            topic: "news",
            tags: ["a", "b"],
            audience: { segments: [segment], exclude: [] },
            archive
          }
        })
        const two = draftCampaign(accountId, {
          name: "Second",
          status: "Sent",
          createdAt: now - 5,
          startAt: now + 5,
          definition: { ...emptyDefinition, archive: { ...archive, slug: "other" }, tags: ["b"] }
        })
        const hidden = draftCampaign(accountId, {
          name: "Third",
          status: "Sent",
          createdAt: now - 9,
          definition: { ...emptyDefinition, archive: { ...archive, public: false, slug: null } }
        })
        const unsent = draftCampaign(accountId, {
          name: "Fourth",
          status: "Draft",
          createdAt: now - 10,
          definition: { ...emptyDefinition, archive: { ...archive, slug: "unsent" } }
        })
        for (const added of [one, two, hidden, unsent]) yield* store.insert(added)
        const names = (filter: CampaignFilter) =>
          Effect.map(store.list(accountId, filter, firstPage), ({ items }) => items.map(({ name }) => name))
        expect(yield* names({ tag: ["b", "z"] })).toEqual([one.name, two.name])
        expect(yield* names({ tag: ["c"] })).toEqual([])
        expect(yield* names({ topic: ["other", "news"], q: null })).toEqual([one.name])
        expect(yield* names({ segment: [newId(), segment] })).toEqual([one.name])
        expect(yield* names({ q: "WORLD" })).toEqual([one.name])
        expect(yield* names({ q: "%_" })).toEqual([one.name])
        expect(yield* names({ q: "o", status: ["Sent"] })).toEqual([one.name, two.name])
        expect(yield* names({ since: now - 5, until: now })).toEqual([two.name])
        const put = draftCampaign(accountId, {
          name: "put away",
          createdAt: now - 20,
          updatedAt: now + 9,
          startAt: null,
          definition: { ...emptyDefinition, isArchived: true }
        })
        yield* store.insert(put)
        expect(yield* names({ isArchived: true })).toEqual([put.name])
        expect(yield* names({ isArchived: false, q: "t" })).not.toContain(put.name)
        yield* store.save({ ...unsent, startAt: null, updatedAt: now - 1 })
        const sorted = Effect.fnUntraced(function* (by: string, ascending: boolean) {
          const found: Array<string> = []
          for (let page = 1; page <= 3; page++) {
            const request = { page, pageSize: 2, sort: { by, ascending } }
            const { items } = yield* store.list(accountId, { status: ["Sent", "Draft", "Sending"] }, request)
            found.push(...items.map(({ name }) => name))
          }
          return found
        })
        const byName = ["First %_", "Fourth", "put away", "Second", "Third"]
        expect(yield* sorted("name", true)).toEqual(byName)
        expect(yield* sorted("name", false)).toEqual(byName.toReversed())
        expect((yield* sorted("updated", false))[0]).toBe(put.name)
        expect((yield* sorted("updated", true))[0]).toBe(unsent.name)
        expect((yield* sorted("started", false))[0]).toBe(two.name)
        expect((yield* sorted("started", true)).slice(0, 2).toSorted()).toEqual(
          [unsent.name, put.name].toSorted()
        )
        yield* store.save(unsent)
        expect(yield* store.bySlug(accountId, "unsent")).toEqual(unsent)
        expect(yield* store.bySlug(accountId, "none")).toBeNull()
        expect(yield* store.bySlug(newId(), "spring")).toBeNull()
        expect(yield* store.archived(accountId, 9, 0)).toEqual([two, one])
        expect(yield* store.archived(accountId, 1, 1)).toEqual([one])
        expect(yield* store.archived(newId(), 9, 0)).toEqual([])
      })
    )

    it.effect("lists those that wait for an approval", () =>
      Effect.gen(function* () {
        const store = yield* CampaignStore
        const accountId = yield* freshAccountId
        const asked = {
          state: "Requested",
          by: editor,
          at: now,
          comment: null,
          digest: null,
          editor
        } as const
        const waits = draftCampaign(accountId, { name: "waits", status: "Paused", approval: asked })
        const others = [
          draftCampaign(accountId, { status: "Draft" }),
          draftCampaign(accountId, { status: "Draft", approval: { ...asked, state: "Approved" } }),
          draftCampaign(accountId, { status: "Sent", approval: asked })
        ]
        for (const added of [waits, ...others]) yield* store.insert(added)
        for (const sort of [
          undefined,
          { by: "name", ascending: true },
          { by: "updated", ascending: false }
        ]) {
          const request = sort === undefined ? firstPage : { ...firstPage, sort }
          const { items } = yield* store.list(accountId, { isApprovalRequested: true }, request)
          expect(items.map(({ name }) => name)).toEqual([waits.name])
        }
        const drafts = { isApprovalRequested: true, status: ["Draft"] } as const
        expect((yield* store.list(accountId, drafts, firstPage)).items).toEqual([])
      })
    )

    it.effect("lists those that are current", () =>
      Effect.gen(function* () {
        const store = yield* CampaignStore
        const accountId = yield* freshAccountId
        const asked = { by: editor, at: now, comment: null, digest: null, editor } as const
        const since = now - 1_000
        const added = [
          draftCampaign(accountId, { name: "draft", status: "Draft" }),
          draftCampaign(accountId, {
            name: "asked",
            status: "Draft",
            approval: { ...asked, state: "Requested" }
          }),
          draftCampaign(accountId, {
            name: "approved",
            status: "Draft",
            approval: { ...asked, state: "Approved" }
          }),
          draftCampaign(accountId, { name: "scheduled", status: "Scheduled" }),
          draftCampaign(accountId, { name: "sending", status: "Sending", statusAt: since - 1 }),
          draftCampaign(accountId, { name: "paused", status: "Paused", statusAt: since - 1 }),
          draftCampaign(accountId, { name: "old", status: "Sent", statusAt: since - 1 }),
          draftCampaign(accountId, { name: "sent", status: "Sent", statusAt: since }),
          draftCampaign(accountId, { name: "cancelled", status: "Cancelled", statusAt: now })
        ]
        for (const campaign of added) yield* store.insert(campaign)
        for (const sort of [undefined, { by: "name", ascending: true }]) {
          const request = sort === undefined ? firstPage : { ...firstPage, sort }
          const listed = (filter: CampaignFilter) =>
            Effect.map(store.list(accountId, { currentSince: since, ...filter }, request), ({ items }) =>
              items.map(({ name }) => name).toSorted()
            )
          expect(yield* listed({})).toEqual(["asked", "paused", "sending", "sent"])
          expect(yield* listed({ status: ["Sent", "Cancelled"] })).toEqual(["sent"])
        }
      })
    )

    it.effect("keeps the progress of a campaign, from its first batch on", () =>
      Effect.gen(function* () {
        const store = yield* CampaignStore
        const accountId = yield* freshAccountId
        const campaign = draftCampaign(accountId)
        yield* store.insert(campaign)
        expect(yield* store.progress(accountId, campaign.id)).toBeNull()
        expect(yield* store.lockBatch(accountId, newId(), now)).toBeNull()
        const first = (yield* store.lockBatch(accountId, campaign.id, now))!
        expect(first.campaign).toEqual(campaign)
        expect(first.progress).toMatchObject({
          asOf: null,
          position: null,
          isComplete: false,
          updatedAt: now
        })
        const changed = {
          ...first.progress,
          asOf: now,
          segments: { include: [oddText] },
          position: [now, campaign.id],
          isComplete: true,
          pacedAt: now + 7,
          updatedAt: now + 1
        }
        yield* store.saveProgress(changed)
        expect((yield* store.lockBatch(accountId, campaign.id, now + 2))!.progress).toEqual(changed)
      })
    )

    it.effect("divides the people of a campaign into parts by their hash slots", () =>
      Effect.gen(function* () {
        const store = yield* CampaignStore
        const accountId = yield* freshAccountId
        const campaign = draftCampaign(accountId)
        const { id } = campaign
        yield* store.insert(campaign)
        expect(yield* store.lockShared(accountId, id)).toEqual(campaign)
        expect(yield* store.lockShared(accountId, newId())).toBeNull()
        const people = times(40, (index) => draftRecipient(campaign, { dueAt: now - (index % 3) }))
        yield* addRecipients(people)
        const order = (a: CampaignRecipient, b: CampaignRecipient) =>
          a.dueAt - b.dueAt || (a.contactId < b.contactId ? -1 : 1)
        const sorted = people.toSorted(order)
        expect(yield* store.due(accountId, id, null, now, 100)).toEqual(sorted)
        expect(yield* store.due(accountId, id, null, now, 7)).toEqual(sorted.slice(0, 7))
        const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
        for (let part = 0; part < partCount; part++) {
          const own = sorted.filter(({ contactId }) => partOfRecipient(sha256, id, contactId) === part)
          expect(yield* store.due(accountId, id, part, now, 100)).toEqual(own)
          expect(yield* store.due(accountId, id, part, now, 1)).toEqual(own.slice(0, 1))
        }
        const [first, second, third] = sorted
        const ids = [third!, second!, first!].map(({ contactId }) => contactId)
        yield* store.decide(accountId, id, [submitted(second!)], now)
        expect(yield* store.lockDue(accountId, id, [...ids, newId()], now)).toEqual([first, third])
        expect(yield* store.lockDue(accountId, id, ids, first!.dueAt - 1)).toEqual([])
        expect(yield* store.nextDueAt(accountId, id)).toBe(first!.dueAt)
      })
    )

    it.effect("has each person of a campaign once, and decides on each once", () =>
      Effect.gen(function* () {
        const store = yield* CampaignStore
        const accountId = yield* freshAccountId
        const campaign = draftCampaign(accountId)
        const { id } = campaign
        yield* store.insert(campaign)
        const later = draftRecipient(campaign, { dueAt: now + 10 })
        const people = times(4, () => draftRecipient(campaign))
        yield* addRecipients([...people, later])
        const segments = yield* SegmentStore
        yield* segments.addRecipients(accountId, { ...everyone(id), after: null, size: 100 })
        const due = yield* store.due(accountId, id, null, now, 10)
        expect(due).toEqual(people.toSorted((a, b) => (a.contactId < b.contactId ? -1 : 1)))
        expect(yield* store.due(accountId, id, null, now, 2)).toEqual(due.slice(0, 2))
        expect(yield* store.nextDueAt(accountId, id)).toBe(now)

        const [one, two, three, four] = due
        const hash = newHash()
        const sent = submitted(one!, { addressHash: hash })
        const waits = {
          ...submitted(two!),
          dueAt: now + 50,
          state: "Pending" as const,
          reason: "sending.daily_cap" as const
        }
        const waiting = { ...waits, version: null, deliveryId: null, addressHash: null }
        const skips = {
          ...submitted(three!, { version: null, deliveryId: null, addressHash: null }),
          state: "Skipped" as const,
          reason: "sending.gate_topic" as const
        }
        const decided = yield* store.decide(accountId, id, [sent, waiting, skips], now + 1)
        expect(decided.toSorted()).toEqual([one, two, three].map((each) => each!.contactId).toSorted())
        // A decision is final, unless it is to wait.
        expect(yield* store.decide(accountId, id, [submitted(one!), submitted(three!)], now + 2)).toEqual([])
        expect(yield* store.takenHashes(accountId, id, [hash, newHash()])).toEqual([hash])
        const double = submitted(four!, { addressHash: hash })
        const error = yield* expectFailure(store.decide(accountId, id, [double], now), "WriteConflict")
        expect(error).toMatchObject({ constraint: "campaign_recipients_address" })
        expect(yield* store.recipient(accountId, id, one!.contactId)).toEqual({
          ...one,
          state: "Submitted",
          version: 1,
          deliveryId: sent.deliveryId,
          decidedAt: now + 1
        })
        expect(yield* store.recipient(accountId, id, newId())).toBeNull()
        expect(
          (yield* store.due(accountId, id, null, now + 50, 10)).map(({ contactId }) => contactId)
        ).toEqual([four!.contactId, later.contactId, two!.contactId])
        const page = yield* store.recipients(accountId, id, { state: ["Skipped", "Submitted"] }, firstPage)
        expect(page.items.map(({ contactId }) => contactId)).toEqual(
          [three!.contactId, one!.contactId].toSorted().toReversed()
        )
        const byReason = yield* store.recipients(accountId, id, { reason: ["sending.gate_topic"] }, firstPage)
        expect(byReason.items).toHaveLength(1)
        expect(yield* store.cancelPending(accountId, id, 2, now + 3)).toBe(2)
        expect(yield* store.cancelPending(accountId, id, 2, now + 3)).toBe(1)
        expect(yield* store.nextDueAt(accountId, id)).toBeNull()

        const counts = countsOf((yield* store.counts(accountId, [id]))[0]!)
        expect(counts.recipients).toEqual({ Pending: 0, Submitted: 1, Skipped: 1, HeldOut: 0, Cancelled: 3 })
        expect(counts.skippedBy).toEqual({ "sending.gate_topic": 1 })
        yield* store.erase(accountId, [one!.contactId, three!.contactId])
        yield* store.erase(accountId, [])
        expect(countsOf((yield* store.counts(accountId, [id]))[0]!).recipients).toMatchObject({
          Submitted: 0,
          Skipped: 0
        })
        expect(yield* store.recipient(accountId, id, one!.contactId)).toBeNull()
      })
    )

    it.effect("tries again who was not reached, and counts the emails that failed no more", () =>
      Effect.gen(function* () {
        const store = yield* CampaignStore
        const submissions = yield* SubmissionStore
        const accountId = yield* freshAccountId
        const campaign = draftCampaign(accountId)
        const { id } = campaign
        yield* store.insert(campaign)
        const people = times(5, () => draftRecipient(campaign))
        yield* addRecipients(people)
        const [unrendered, gated, exhausted, refused, delivered] = people as [
          CampaignRecipient,
          CampaignRecipient,
          CampaignRecipient,
          CampaignRecipient,
          CampaignRecipient
        ]
        const mail = ({ contactId }: CampaignRecipient, delivery: Partial<Delivery>) =>
          draftSubmission(
            accountId,
            { marketing: { contactId, topicId: null, campaign: { id, version: 1 } } },
            { email: newEmail(), ...delivery }
          )
        const mails = [
          mail(exhausted, { status: "Failed", reason: "sending.retries_exhausted" }),
          mail(refused, { status: "Failed", reason: "sending.refused" }),
          mail(delivered, { status: "Delivered" })
        ]
        yield* submissions.insert(accountId, mails, [])
        const none = { version: null, deliveryId: null, addressHash: null, state: "Skipped" as const }
        const hash = newHash()
        yield* store.decide(
          accountId,
          id,
          [
            { ...submitted(unrendered, none), reason: "campaigns.render_failed" },
            { ...submitted(gated, none), reason: "sending.gate_topic" },
            submitted(exhausted, { deliveryId: mails[0]!.deliveries[0]!.id, addressHash: hash }),
            submitted(refused, { deliveryId: mails[1]!.deliveries[0]!.id }),
            submitted(delivered, { deliveryId: mails[2]!.deliveries[0]!.id })
          ],
          now
        )
        const reasons = ["sending.retries_exhausted", "sending.held_too_long"] as const
        const retry = (
          isUnrendered: boolean,
          chosen: typeof reasons | readonly [],
          after: string | null = null,
          limit = 10
        ) => store.retry(accountId, id, { isUnrendered, reasons: chosen }, after, limit, now + 5)
        const [first, last] = [unrendered.contactId, exhausted.contactId].toSorted() as [string, string]
        expect(yield* retry(false, [])).toEqual({ count: 0, last: null })
        expect(yield* retry(true, reasons, last)).toEqual({ count: 0, last: null })
        expect(yield* retry(true, reasons, null, 1)).toEqual({ count: 1, last: first })
        expect(yield* retry(true, reasons, first)).toEqual({ count: 1, last })
        expect(yield* retry(true, reasons)).toEqual({ count: 0, last: null })
        const due = yield* store.due(accountId, id, null, now + 5, 10)
        const again = [unrendered, exhausted].map((one) => ({ ...one, dueAt: now + 5 }))
        expect(due).toEqual(again.toSorted((a, b) => (a.contactId < b.contactId ? -1 : 1)))
        expect(yield* store.takenHashes(accountId, id, [hash])).toEqual([])
        const [stored] = yield* store.counts(accountId, [id])
        expect(countsOf(stored!)).toEqual(countsOf(yield* store.recount(accountId, id)))
        expect(countsOf(stored!)).toMatchObject({
          recipients: { Pending: 2, Submitted: 2, Skipped: 1 },
          emails: { Failed: 1, Delivered: 1 }
        })
      })
    )

    it.effect("lists recipients by what became of them, a page at a time", () =>
      Effect.gen(function* () {
        const store = yield* CampaignStore
        const submissions = yield* SubmissionStore
        const accountId = yield* freshAccountId
        const campaign = draftCampaign(accountId)
        const { id } = campaign
        yield* store.insert(campaign)
        const contacts = times(9, (index) => draftContact({ email: `p${index % 2}.${newId()}@x.example` }))
        yield* (yield* ContactStore).write(accountId, changes({ inserts: contacts }))
        const people = contacts.map((contact, index) =>
          draftRecipient(campaign, { contactId: contact.id, variant: index % 2 === 0 ? "a" : "b" })
        )
        yield* addRecipients([...people, draftRecipient(draftCampaign(accountId))])
        const statuses = ["Delivered", "Bounced", "Queued", "Delivered", "Failed", "Sent"] as const
        const mails = statuses.map((status, index) =>
          draftSubmission(
            accountId,
            {
              marketing: { contactId: people[index]!.contactId, topicId: null, campaign: { id, version: 1 } }
            },
            { email: newEmail(), status }
          )
        )
        yield* submissions.insert(accountId, mails, [])
        const emailOf = (index: number) => mails[index]!.deliveries[0]!.id
        const renderError = { code: "sending.template_render_failed", line: 3, column: null }
        yield* store.decide(
          accountId,
          id,
          [
            ...mails.map((_, index) =>
              submitted(people[index]!, { deliveryId: emailOf(index), version: index < 4 ? 1 : 2 })
            ),
            {
              ...submitted(people[6]!, { version: null, deliveryId: null, addressHash: null }),
              state: "Skipped",
              reason: "campaigns.render_failed",
              renderError
            },
            {
              ...submitted(people[7]!, { version: null, deliveryId: null, addressHash: null }),
              state: "Pending",
              reason: "sending.quiet_hours"
            }
          ],
          now
        )
        yield* submissions.engage("unsubscribed", [{ accountId, id: emailOf(3) }], now)
        const visited = (index: number, clicks: VisitCounts, readerClickedAt: number | null) =>
          draftVisits(accountId, emailOf(index), {
            campaignId: id,
            contactId: people[index]!.contactId,
            clicks,
            firstClickedAt: now,
            readerClickedAt,
            readerOpenedAt: readerClickedAt,
            firstOpenedAt: readerClickedAt,
            opens: clicks,
            links: { x: { clicks, firstAt: now, lastAt: now } }
          })
        yield* (yield* VisitStore).put([
          visited(0, { Human: 1, Machine: 0, Unknown: 0 }, now),
          visited(3, { Human: 0, Machine: 2, Unknown: 0 }, null),
          visited(5, { Human: 0, Machine: 0, Unknown: 1 }, now)
        ])
        const order = { orderId: newId(), contactId: people[0]!.contactId, deliveryId: emailOf(0) }
        const when = { clickedAt: now, orderedAt: now }
        yield* (yield* ConversionStore).write(
          accountId,
          [],
          [{ id: newId(), flowId: null, campaignId: id, ...order, ...when }]
        )
        const listed = Effect.fnUntraced(function* (filter: RecipientFilter) {
          const found: Array<string> = []
          let after: Place | null = null
          while (true) {
            const page: Page<CampaignRecipient> = yield* store.recipients(accountId, id, filter, {
              page: 1,
              pageSize: 2,
              after,
              total: "Bounded"
            })
            found.push(...page.items.map(({ contactId }) => contactId))
            if (page.next === null) {
              expect(page.totalCount).toBe(found.length)
              break
            }
            after = page.next
          }
          const sorted = people
            .map(({ contactId }) => contactId)
            .toSorted()
            .toReversed()
          expect(found).toEqual(sorted.filter((one) => found.includes(one)))
          return found.map((one) => people.findIndex(({ contactId }) => contactId === one)).toSorted()
        })
        const link = { link: "x", variant: "a" as const }
        const expected: ReadonlyArray<readonly [RecipientFilter, ReadonlyArray<number>]> = [
          [{}, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
          [{ state: ["Pending"] }, [7, 8]],
          [{ reason: ["sending.quiet_hours", "campaigns.render_failed"] }, [6, 7]],
          [{ state: ["Skipped"], variant: ["b"] }, []],
          [{ version: [2] }, [4, 5]],
          [{ status: ["Delivered"] }, [0, 3]],
          [{ status: ["Bounced", "Queued", "Failed"] }, [1, 2, 4]],
          [{ status: ["Bounced", "Delivered"], variant: ["b"] }, [1, 3]],
          [{ opened: ["Human"] }, [0]],
          [{ opened: ["Human", "Unknown"] }, [0, 5]],
          [{ clicked: ["Machine"] }, [3]],
          [{ clicked: ["None"] }, [1, 2, 4]],
          [{ opened: ["None", "Unknown"], clicked: ["Machine", "Unknown"] }, [3, 5]],
          [{ links: [{ ...link, version: 1 }] }, [0]],
          [
            {
              links: [
                { ...link, version: 2 },
                { version: 2, variant: "b", link: "x" }
              ]
            },
            [5]
          ],
          [{ links: [] }, []],
          [{ links: [{ version: 1, variant: null, link: "x" }] }, []],
          [{ isConverted: true }, [0]],
          [{ isConverted: false, status: ["Delivered"] }, [3]],
          [{ isUnsubscribed: true }, [3]],
          [{ isUnsubscribed: false }, [0, 1, 2, 4, 5]],
          [{ q: "p1." }, [1, 3, 5, 7]],
          [{ q: "p1.", state: ["Submitted"], opened: ["Unknown"] }, [5]],
          [{ q: "q" }, []]
        ]
        for (const [filter, indexes] of expected)
          expect([filter, yield* listed(filter)]).toEqual([filter, indexes])
        expect(yield* store.recipient(accountId, id, people[6]!.contactId)).toMatchObject({ renderError })
        expect(yield* store.nextDueBy(accountId, id, ["sending.quiet_hours", "campaigns.test"])).toEqual(
          new Map([["sending.quiet_hours", now]])
        )
        expect(yield* store.nextDueBy(accountId, id, [])).toEqual(new Map())
        const [stored] = yield* store.counts(accountId, [id])
        expect(countsOf(stored!)).toMatchObject({
          opened: { Human: 1, Unknown: 1, Machine: 0 },
          clicked: { Human: 1, Unknown: 1, Machine: 1 },
          pendingBy: { "sending.quiet_hours": 1 }
        })
        expect(countsOf(stored!)).toEqual(countsOf(yield* store.recount(accountId, id)))
        const results = yield* store.results(accountId, [emailOf(0), emailOf(1), emailOf(3), newId()])
        expect(results.toSorted((a, b) => b.conversions - a.conversions)).toEqual([
          { deliveryId: emailOf(0), openedBy: "Human", clickedBy: "Human", links: ["x"], conversions: 1 },
          { deliveryId: emailOf(3), openedBy: "None", clickedBy: "Machine", links: ["x"], conversions: 0 }
        ])
        expect(yield* store.results(accountId, [])).toEqual([])
      })
    )

    it.effect(
      "makes the rest of a tested audience due with the winner, and counts what became of variants",
      () =>
        Effect.gen(function* () {
          const store = yield* CampaignStore
          const submissions = yield* SubmissionStore
          const accountId = yield* freshAccountId
          const campaign = draftCampaign(accountId)
          const { id } = campaign
          yield* store.insert(campaign)
          const later = now + 1_000_000
          const rest = times(3, () => draftRecipient(campaign, { reason: "campaigns.test", dueAt: later }))
          const other = draftRecipient(campaign, { variant: "a", reason: "campaigns.window", dueAt: later })
          const variants = ["a", "a", "b"] as const
          const tested = variants.map((variant) => draftRecipient(campaign, { variant }))
          yield* addRecipients([...rest, other, ...tested])
          const mails = tested.map(({ contactId, variant }) =>
            draftSubmission(
              accountId,
              { marketing: { contactId, topicId: null, campaign: { id, version: 1, variant: variant! } } },
              { email: newEmail() }
            )
          )
          yield* submissions.insert(accountId, mails, [])
          const move = (from: "Queued" | "HandingOff", to: "HandingOff" | "Delivered") =>
            submissions.move(
              mails.map(({ deliveries: [delivery] }, index) => ({
                accountId,
                id: delivery!.id,
                from,
                to,
                reason: null,
                attempts: 1,
                claim: null,
                at: now,
                ...(index > 0 && { provider: "google" })
              }))
            )
          yield* move("Queued", "HandingOff")
          yield* move("HandingOff", "Delivered")
          const sent = tested.map((recipient, index) =>
            submitted(recipient, { deliveryId: mails[index]!.deliveries[0]!.id })
          )
          yield* store.decide(accountId, id, sent, now)
          expect(yield* store.testedAt(accountId, id)).toBeNull()
          const attemptOf = (index: number, claim: number, finishedAt: number, outcome: Attempt["outcome"]) =>
            draftAttempt(accountId, mails[index]!.deliveries[0]!.id, claim, { finishedAt, outcome })
          // For each email, the first attempt that counts; a later one or one that was held does not.
          yield* (yield* AttemptStore).put([
            attemptOf(0, 1, now + 3, "Deferred"),
            attemptOf(0, 2, now + 99, "Delivered"),
            attemptOf(1, 1, now + 1, "Held"),
            attemptOf(1, 2, now + 7, "Delivered"),
            attemptOf(2, 1, now + 5, "Delivered")
          ])
          expect(yield* store.testedAt(accountId, id)).toBe(now + 7)
          const reachedBefore = (until: number) =>
            Effect.map(store.variantResults(accountId, id, "Clicks", until), (results) =>
              results.map(({ delivered, reached, variant }) => [variant, delivered, reached])
            )
          const untouched = [
            ["a", 2, 0],
            ["b", 1, 0]
          ]
          expect(yield* reachedBefore(now + 9)).toEqual(untouched)
          const clicksOf = (index: number, human: number, machine: number) =>
            draftVisits(accountId, mails[index]!.deliveries[0]!.id, {
              readerClickedAt: human === 0 ? null : now + index,
              links: {
                x: {
                  clicks: { Human: human, Machine: machine, Unknown: 0 },
                  firstAt: now + index,
                  lastAt: now + 10 + index
                }
              }
            })
          yield* (yield* VisitStore).put([clicksOf(0, 2, 1), clicksOf(1, 0, 3), clicksOf(2, 1, 0)])
          expect(yield* reachedBefore(now)).toEqual(untouched)
          expect(yield* reachedBefore(now + 2)).toEqual([
            ["a", 2, 1],
            ["b", 1, 0]
          ])
          expect(yield* reachedBefore(now + 3)).toEqual([
            ["a", 2, 1],
            ["b", 1, 1]
          ])
          const clicked = yield* store.linkClicks(accountId, id, 9)
          expect(clicked).toEqual([
            {
              version: 1,
              variant: "a",
              link: "x",
              human: 1,
              unknown: 0,
              machine: 1,
              clicks: 6,
              firstAt: now,
              lastAt: now + 11
            },
            {
              version: 1,
              variant: "b",
              link: "x",
              human: 1,
              unknown: 0,
              machine: 0,
              clicks: 1,
              firstAt: now + 2,
              lastAt: now + 12
            }
          ])
          expect(yield* store.linkClicks(accountId, id, 1)).toEqual(clicked.slice(0, 1))
          expect(yield* store.linkClicks(newId(), id, 9)).toEqual([])
          const byVariant = yield* store.breakdown(accountId, id, "Variant", 9)
          expect(byVariant.map(({ delivered, key, submitted: all }) => [key, all, delivered])).toEqual([
            ["a", 2, 2],
            ["b", 1, 1]
          ])
          expect(yield* store.breakdown(accountId, id, "Day", 1)).toHaveLength(1)
          const byProvider = yield* store.breakdown(accountId, id, "Provider", 9)
          expect(byProvider.map(({ key, submitted: all }) => [key, all])).toEqual([
            ["google", 2],
            [null, 1]
          ])
          // Whatever the dimension, the breakdown includes all emails of the campaign.
          for (const by of breakdowns) {
            const rows = yield* store.breakdown(accountId, id, by, 9)
            const totals = ["submitted", "delivered", "retrying"] as const
            expect([by, ...totals.map((name) => rows.reduce((sum, row) => sum + row[name], 0))]).toEqual([
              by,
              3,
              3,
              0
            ])
          }
          expect((yield* store.breakdown(accountId, id, "Version", 9)).map(({ key }) => key)).toEqual(["1"])
          const waiting = { reason: "campaigns.test", variant: "b" } as const
          expect(yield* store.release(accountId, id, waiting, 2, now)).toBe(2)
          expect(yield* store.release(accountId, id, waiting, 2, now)).toBe(1)
          expect(yield* store.release(accountId, id, waiting, 2, now)).toBe(0)
          const released = Effect.map(store.due(accountId, id, null, now, 9), (due) =>
            due.map(({ reason, variant }) => [reason, variant])
          )
          expect(yield* released).toEqual(times(3, () => [null, "b"]))
          // A recipient who waits for another reason keeps the variant.
          const outside = { reason: "campaigns.window", variant: null } as const
          expect(yield* store.release(accountId, id, outside, 2, now)).toBe(1)
          expect((yield* released).map(([, variant]) => variant).toSorted()).toEqual(["a", "b", "b", "b"])
          const [stored] = yield* store.counts(accountId, [id])
          expect(countsOf(stored!)).toEqual(countsOf(yield* store.recount(accountId, id)))
          // Of the people whose time zone may change, those who wait for a local time.
          const reasons = [null, "campaigns.window", "sending.quiet_hours", "sending.gate_frequency"] as const
          const moved = reasons.map((reason) => draftRecipient(campaign, { reason, dueAt: later }))
          const still = draftRecipient(campaign, { dueAt: later })
          yield* addRecipients([...moved, still])
          const contactIds = moved.map(({ contactId }) => contactId)
          const clocked = [...contactIds.slice(0, 3), still.contactId].toSorted()
          const byClock = (after: string | null, limit: number) =>
            Effect.map(store.waitingByClock(accountId, id, after, now, limit), (found) =>
              found.map(({ contactId }) => contactId)
            )
          expect((yield* byClock(null, 9)).filter((one) => clocked.includes(one))).toEqual(clocked)
          const [firstOf, ...othersOf] = yield* byClock(null, 9)
          expect(yield* byClock(null, 1)).toEqual([firstOf])
          expect(yield* byClock(firstOf!, 9)).toEqual(othersOf)
          expect(yield* store.waitingByClock(newId(), id, null, now, 9)).toEqual([])
          expect(yield* store.waitingByClock(accountId, id, null, later, 9)).toEqual([])
          yield* store.reconsider(newId(), contactIds, now)
          yield* store.reconsider(accountId, [], now)
          expect(yield* store.due(accountId, id, null, now, 9)).toHaveLength(4)
          yield* store.reconsider(accountId, contactIds, now)
          const again = new Map(
            (yield* store.due(accountId, id, null, now, 9)).map((one) => [one.contactId, one])
          )
          // Only a recipient who waited for a local time can be too late for it.
          expect(contactIds.map((contactId) => again.get(contactId)?.movedAt)).toEqual([
            now,
            null,
            null,
            undefined
          ])
          expect(again.size).toBe(7)
          const capped = "sending.gate_frequency"
          expect(yield* store.withWaiting(accountId, capped)).toEqual([{ accountId, id }])
          expect(yield* store.withWaiting(null, capped)).toContainEqual({ accountId, id })
          expect(yield* store.withWaiting(accountId, null)).toEqual([{ accountId, id }])
          expect(yield* store.withWaiting(newId(), capped)).toEqual([])
          expect(yield* store.withWaiting(accountId, "sending.provider_held")).toEqual([])
          // Until they are decided.
          const decision = {
            ...submitted(moved[0]!),
            state: "Pending",
            deliveryId: null,
            addressHash: null
          } as const
          yield* store.decide(accountId, id, [decision], now)
          expect((yield* store.recipient(accountId, id, contactIds[0]!))?.movedAt).toBeNull()
          // If every pending recipient waits for a reason, none waits without one.
          const without = yield* store.due(accountId, id, null, later, 9)
          const reasoned = without.filter(({ reason }) => reason === null)
          yield* store.decide(
            accountId,
            id,
            reasoned.map(({ contactId }) => ({
              ...decision,
              contactId,
              reason: "sending.provider_held" as const
            })),
            now
          )
          expect(yield* store.withWaiting(accountId, null)).toEqual([])
          expect(yield* store.withWaiting(accountId, "sending.provider_held")).toEqual([{ accountId, id }])
        })
    )

    it.effect("counts its emails as they change, are rolled back and are erased, equal to a recount", () =>
      Effect.gen(function* () {
        const store = yield* CampaignStore
        const submissions = yield* SubmissionStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const campaign = draftCampaign(accountId)
        const { id } = campaign
        yield* store.insert(campaign)
        const addresses = times(3, newEmail)
        const marketing = { contactId: newId(), topicId: null, campaign: { id, version: 1 } }
        const mails = addresses.map((email) => draftSubmission(accountId, { marketing }, { email }))
        yield* submissions.insert(accountId, [...mails, draftSubmission(accountId)], [])
        const recounted = Effect.gen(function* () {
          const [kept] = yield* store.counts(accountId, [id])
          const found = countsOf(kept!)
          expect(countsOf(yield* store.recount(accountId, id))).toEqual(found)
          return found
        })
        expect(yield* recounted).toMatchObject({ untried: 3, emails: { Queued: 3 } })
        const ids = mails.map((mail) => mail.deliveries[0]!.id).toSorted()
        const queued = yield* store.queued(accountId, id, null, null, 2)
        expect(queued.map((delivery) => delivery.id)).toEqual(ids.slice(0, 2))
        expect(yield* store.queued(accountId, id, null, queued[1]!, 9)).toHaveLength(1)
        const domains = addresses.map((email) => email.split("@")[1]!)
        const byDomain = new Map(
          [...new Set(domains)].map((one) => [one, domains.filter((each) => each === one).length])
        )
        expect(yield* store.untriedByDomain(accountId, id)).toEqual(byDomain)
        expect(yield* store.queued(accountId, id, "sending.campaign_paused", null, 9)).toEqual([])
        expect(yield* store.inReview(accountId, id, 9)).toEqual([])
        const move = (
          index: number,
          from: "Queued" | "HandingOff",
          to: "HandingOff" | "Delivered" | "Queued"
        ) =>
          submissions.move([
            {
              accountId,
              id: mails[index]!.deliveries[0]!.id,
              from,
              to,
              reason: null,
              attempts: to === "HandingOff" ? 0 : 1,
              claim: null,
              at: now
            }
          ])
        yield* move(0, "Queued", "HandingOff")
        yield* move(1, "Queued", "HandingOff")
        yield* move(0, "HandingOff", "Delivered")
        yield* move(1, "HandingOff", "Queued")
        yield* submissions.engage("complained", [{ accountId, id: mails[0]!.deliveries[0]!.id }], now)
        const [first, second] = mails.map((mail) => mail.deliveries[0]!.id)
        yield* submissions.engage("topicOff", [{ accountId, id: first! }], now)
        const visits = yield* VisitStore
        const opened = (deliveryId: string, verdict: VisitVerdict) =>
          visits.put([
            draftVisits(accountId, deliveryId, {
              campaignId: id,
              opens: { Human: 0, Machine: 0, Unknown: 0, [verdict]: 1 },
              clicks: { Human: 0, Machine: 0, Unknown: 0 },
              firstOpenedAt: now,
              readerOpenedAt: verdict === "Machine" ? null : now,
              readerClickedAt: null
            })
          ])
        // A person counts once, and only ever moves to a higher class.
        yield* opened(first!, "Machine")
        yield* opened(second!, "Unknown")
        expect(yield* recounted).toMatchObject({ opened: { Human: 0, Unknown: 1, Machine: 1 } })
        yield* opened(first!, "Human")
        yield* Effect.exit(run(Effect.andThen(move(2, "Queued", "HandingOff"), Effect.fail("undone"))))
        expect(yield* recounted).toMatchObject({
          untried: 1,
          retrying: 1,
          opened: { Human: 1, Unknown: 1, Machine: 0 },
          clicked: { Human: 0, Unknown: 0, Machine: 0 },
          complained: 1,
          topicOff: 1,
          emails: { Queued: 2, Delivered: 1, HandingOff: 0 }
        })
        yield* store.lockBatch(accountId, id, now)
        yield* store.compact(accountId, id)
        yield* submissions.erase(accountId, [addresses[0]!])
        yield* visits.erase([{ accountId, id: first! }])
        expect(yield* recounted).toMatchObject({
          opened: { Human: 0, Unknown: 1, Machine: 0 },
          topicOff: 0,
          emails: { Queued: 2, Delivered: 0 }
        })
        expect(yield* submissions.originsOf(accountId, [mails[1]!.id])).toEqual([
          { id: mails[1]!.id, sourceId: id }
        ])
      })
    )
  })
}
