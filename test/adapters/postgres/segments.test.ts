/**
 * Tests that the segment compiler and the segment evaluator agree: generated definitions over generated populations in PGlite
 * select the same contacts as the evaluator.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import * as fc from "fast-check"
import { expect } from "vitest"
import * as Memory from "../../../adapters/memory/index.ts"
import { layerEmbedded } from "../../../adapters/postgres/index.ts"
import type { Contact } from "../../../core/model/Contact.ts"
import type { SegmentDefinition } from "../../../core/model/SegmentDefinition.ts"
import { matches, type Person } from "../../../core/audience/segments/SegmentEvaluator.ts"
import { parseDefinition, type DefinitionWrite } from "../../../core/audience/segments/SegmentRules.ts"
import { noVisits } from "../../../core/model/Visit.ts"
import { CampaignStore } from "../../../core/ports/CampaignStore.ts"
import { ContactStore } from "../../../core/ports/ContactStore.ts"
import { ConversionStore } from "../../../core/ports/ConversionStore.ts"
import { type SegmentCount, SegmentStore } from "../../../core/ports/SegmentStore.ts"
import { SubmissionStore } from "../../../core/ports/SubmissionStore.ts"
import { SuppressionStore } from "../../../core/ports/SuppressionStore.ts"
import { type TimelineEntry, TimelineStore } from "../../../core/ports/TimelineStore.ts"
import { VisitStore } from "../../../core/ports/VisitStore.ts"
import type { Page } from "../../../core/shared/Page.ts"
import { changes, draftContact, freshAccountId, newId } from "../../contract/fixtures.ts"
import { addRecipients, draftCampaign, draftRecipient } from "../../contract/CampaignStore.ts"
import { draftConversion } from "../../contract/ConversionStore.ts"
import { draftSubmission } from "../../contract/drafts.ts"
import {
  campaignIds,
  definition,
  type Drawn,
  fields,
  now,
  person,
  topics
} from "../../core/audience/segments/segmentArbitraries.ts"

/** The number of populations, each with 120 definitions. */
const populations = 5

/** How many of them are also read as the audience of a campaign. */
const readAsAudiences = 30

const checked = (write: DefinitionWrite): SegmentDefinition => {
  const result = parseDefinition(write, { fields, topics })
  if (Result.isFailure(result)) throw new Error(JSON.stringify([result.failure.issues, write]))
  // The stored definition means the same as the submitted one.
  const again = parseDefinition(result.success.document, { fields, topics })
  expect(again).toEqual(result)
  return result.success.definition
}

type Stores =
  | CampaignStore
  | ContactStore
  | ConversionStore
  | SegmentStore
  | SubmissionStore
  | SuppressionStore
  | TimelineStore
  | VisitStore

class InMemory extends Context.Service<InMemory, Context.Context<Stores>>()("test/InMemory") {}

const memory = Layer.effect(InMemory, Effect.context<Stores>()).pipe(Layer.provide(Memory.layer))

const populateCampaigns = Effect.fnUntraced(function* (
  accountId: string,
  people: ReadonlyArray<Drawn & { readonly contact: Contact }>
) {
  const campaigns = yield* CampaignStore
  for (const id of campaignIds) yield* campaigns.insert(draftCampaign(accountId, { id }))
  const emails = people.flatMap(({ campaignEmails, contact: { id } }) =>
    campaignEmails.map((email) => ({ ...email, contactId: id, deliveryId: newId() }))
  )
  const submissions = yield* SubmissionStore
  yield* submissions.insert(
    accountId,
    emails.map(({ deliveryId, status }) => draftSubmission(accountId, { id: deliveryId }, { status })),
    []
  )
  for (const id of campaignIds) {
    const ofCampaign = emails.filter(({ campaignId }) => campaignId === id)
    yield* addRecipients(
      ofCampaign.map(({ contactId, deliveryId, submittedAt }) => ({
        ...draftRecipient({ accountId, id }, { contactId, deliveryId }),
        state: "Submitted",
        version: 1,
        decidedAt: submittedAt
      }))
    )
  }
  const visits = yield* VisitStore
  yield* visits.put(
    emails
      .filter(({ isClicked, isOpened }) => isClicked || isOpened)
      .map(({ deliveryId, isClicked, isOpened }) => ({
        ...noVisits(accountId, deliveryId),
        readerOpenedAt: isOpened ? now : null,
        readerClickedAt: isClicked ? now : null
      }))
  )
  const conversions = yield* ConversionStore
  yield* conversions.write(
    accountId,
    [],
    people.flatMap(({ contact: { id }, convertedBy }) =>
      convertedBy.map((campaignId) => ({ ...draftConversion({ contactId: id }), flowId: null, campaignId }))
    )
  )
})

const populate = Effect.fnUntraced(function* (
  accountId: string,
  people: ReadonlyArray<
    Drawn & { readonly contact: Contact; readonly timeline: ReadonlyArray<TimelineEntry> }
  >,
  suppressed: ReadonlyArray<string>
) {
  const contacts = yield* ContactStore
  const timelines = yield* TimelineStore
  const suppressions = yield* SuppressionStore
  yield* contacts.write(
    accountId,
    changes({ inserts: people.map(({ contact: each }) => ({ ...each, erasedAt: null })) })
  )
  yield* timelines.append(
    accountId,
    people.flatMap(({ timeline }) => timeline)
  )
  yield* populateCampaigns(accountId, people)
  const erased = people.filter(({ contact: each }) => each.erasedAt !== null)
  yield* contacts.write(
    accountId,
    changes({ updates: erased.map(({ contact: each }) => ({ ...each, email: null, version: 2 })) })
  )
  yield* suppressions.put(
    suppressed.map((email) => ({
      accountId,
      email,
      kind: "Protected",
      source: "Report" as const,
      createdAt: now
    }))
  )
})

const question = Effect.fnUntraced(function* (
  accountId: string,
  definitions: ReadonlyArray<SegmentDefinition>
) {
  const store = yield* SegmentStore
  const pages = yield* Effect.forEach(definitions, (each) =>
    store.contacts(accountId, each, { page: 1, pageSize: 200 }, now)
  )
  // Counted with an index if a rule has one.
  const lists = yield* Effect.forEach(definitions, (each) =>
    store.find(accountId, { segment: [each] }, { page: 1, pageSize: 200 }, now)
  )
  const counts: Array<SegmentCount> = []
  // Alone, a few and many at once.
  for (let at = 0, size = 1; at < definitions.length; at += size, size = (size * 5) % 99) {
    counts.push(...(yield* store.count(accountId, definitions.slice(at, at + size), now)).counts)
  }
  // One part of the contacts at a time.
  const audiences: Array<ReadonlyArray<string>> = []
  for (const each of definitions.slice(0, readAsAudiences)) {
    const plan = { campaignId: newId(), dueAt: now, test: null, engagedSince: null }
    const chosen = { include: [each], exclude: [] }
    let after: string | null = null
    do {
      after = yield* store.addRecipients(accountId, { chosen, plan, asOf: now, after, size: 20 })
    } while (after !== null)
    const page = { page: 1, pageSize: 200 }
    const { items } = yield* (yield* CampaignStore).recipients(accountId, plan.campaignId, {}, page)
    audiences.push(items.map(({ contactId }) => contactId))
  }
  return { audiences, counts, lists, pages }
})

layer(Layer.merge(layerEmbedded(null), memory), { excludeTestServices: true })(
  "segments in SQL and in memory",
  (it) => {
    it.effect(
      "select the same contacts",
      () =>
        Effect.gen(function* () {
          const inMemory = yield* InMemory
          const seed = Math.floor(Math.random() * 2 ** 31)
          const samples = fc.sample(
            fc.tuple(
              fc.array(person, { minLength: 30, maxLength: 60 }),
              fc.array(definition, { minLength: 120, maxLength: 120 })
            ),
            { numRuns: populations, seed }
          )
          let picked = 0
          for (const [drawn, writes] of samples) {
            const accountId = yield* freshAccountId
            const people = drawn.map((one) => {
              const { contact: values, events, isErased } = one
              const id = newId()
              return {
                ...one,
                contact: draftContact({ ...values, id, erasedAt: isErased ? now : null }),
                timeline: events.map((event) => ({
                  ...event,
                  id: newId(),
                  contactId: id,
                  properties: {},
                  source: "Api"
                }))
              }
            })
            const suppressed = drawn.flatMap(({ isSuppressed }, index) =>
              isSuppressed ? [people[index]!.contact.email!] : []
            )
            yield* populate(accountId, people, suppressed)
            yield* Effect.provide(populate(accountId, people, suppressed), inMemory)
            const definitions = writes.map(checked)
            const inSql = yield* question(accountId, definitions)
            const evaluated = yield* Effect.provide(question(accountId, definitions), inMemory)
            const byEvaluator = (each: SegmentDefinition, of: ReadonlyArray<Person>) =>
              of
                .filter((found) => matches(each, found, now))
                .map((found) => found.contact)
                .toSorted((a, b) => b.addedAt - a.addedAt || (a.id < b.id ? 1 : -1))
                .map((found) => found.id)
            expect({ seed, audiences: inSql.audiences }).toEqual({ seed, audiences: evaluated.audiences })
            definitions.forEach((each, index) => {
              const about = `seed ${seed}: ${JSON.stringify(writes[index]).slice(0, 2000)}`
              const ids = byEvaluator(each, people)
              picked += ids.length
              const picks = (page: Page<Contact>) => ({
                ids: page.items.map((found) => found.id),
                total: page.totalCount
              })
              const wanted = { ids, total: ids.length }
              expect({
                about,
                inSql: picks(inSql.pages[index]!),
                inMemory: picks(evaluated.pages[index]!),
                listed: [inSql, evaluated].map(({ lists }) => picks(lists[index]!)),
                counts: inSql.counts[index]
              }).toEqual({
                about,
                inSql: wanted,
                inMemory: wanted,
                listed: [wanted, wanted],
                counts: { ...evaluated.counts[index]!, count: ids.length }
              })
            })
          }
          expect(picked).toBeGreaterThan(0)
        }),
      120_000
    )
  }
)
