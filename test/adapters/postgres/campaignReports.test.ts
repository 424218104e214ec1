/**
 * Tests that what a campaign and its reports show is read from counts alone, however many people it has: without the tables of
 * recipients, emails, visits and orders the answers are the same.
 *
 * @module
 */
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { expect, it } from "vitest"
import { layerServer } from "../../../adapters/postgres/index.ts"
import { breakdowns, CampaignStore } from "../../../core/ports/CampaignStore.ts"
import { ConversionStore } from "../../../core/ports/ConversionStore.ts"
import { SubmissionStore } from "../../../core/ports/SubmissionStore.ts"
import { VisitStore } from "../../../core/ports/VisitStore.ts"
import { addRecipients, draftCampaign, draftRecipient } from "../../contract/CampaignStore.ts"
import { draftConversion } from "../../contract/ConversionStore.ts"
import { draftSubmission } from "../../contract/drafts.ts"
import { freshAccountId, newEmail, now } from "../../contract/fixtures.ts"
import { draftVisits } from "../../contract/VisitStore.ts"
import { freshDatabase, query } from "../../support/postgres.ts"

const tables = [
  "campaign_recipients",
  "deliveries",
  "submissions",
  "delivery_visits",
  "conversions",
  "orders"
]

it("a campaign's reports read no recipients, emails, visits or orders", async () => {
  const url = await freshDatabase()
  const node = ManagedRuntime.make(Layer.fresh(layerServer(Redacted.make(url))))
  try {
    const reports = await node.runPromise(
      Effect.gen(function* () {
        const store = yield* CampaignStore
        const accountId = yield* freshAccountId
        const campaign = draftCampaign(accountId)
        const { id } = campaign
        yield* store.insert(campaign)
        const recipient = draftRecipient(campaign)
        yield* addRecipients([recipient])
        const marketing = { contactId: recipient.contactId, topicId: null, campaign: { id, version: 1 } }
        const mail = draftSubmission(accountId, { marketing }, { email: newEmail() })
        yield* (yield* SubmissionStore).insert(accountId, [mail], [])
        const links = {
          x: { clicks: { Human: 1, Machine: 0, Unknown: 0 }, firstAt: now, lastAt: now }
        }
        const visits = draftVisits(accountId, mail.deliveries[0]!.id, { campaignId: id, links })
        yield* (yield* VisitStore).put([visits])
        const conversions = yield* ConversionStore
        yield* conversions.write(accountId, [], [draftConversion({ flowId: null, campaignId: id })])
        return Effect.gen(function* () {
          return {
            counts: yield* store.counts(accountId, [id]),
            breakdowns: yield* Effect.forEach(breakdowns, (by) => store.breakdown(accountId, id, by, 9)),
            links: yield* store.linkClicks(accountId, id, 9),
            untried: yield* store.untriedByDomain(accountId, id),
            orders: yield* conversions.ofCampaigns(accountId, [id])
          }
        })
      })
    )
    const before = await node.runPromise(reports)
    expect(before).toMatchObject({ links: [{ human: 1 }], orders: [{ conversions: 1 }] })
    expect(before.breakdowns.every(([row]) => row!.submitted === 1)).toBe(true)
    for (const table of tables) await query(url, `alter table ${table} rename to absent_${table}`)
    expect(await node.runPromise(reports)).toEqual(before)
  } finally {
    await node.dispose()
  }
})
