/**
 * Exports the next recipients of a campaign.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { CampaignRecipients } from "../campaigns/CampaignRecipients.ts"
import type { BulkJob, BulkJobRow } from "../model/BulkJob.ts"
import { BulkJobStore } from "../ports/BulkJobStore.ts"
import { CampaignStore } from "../ports/CampaignStore.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { type BulkBatch, type BulkOutcome, type RecipientsWork, recipientLine } from "./BulkActions.ts"

/** The most recipients in one transaction. */
const batchSize = 200

/** Exports recipients of campaigns. */
export class RecipientBatches extends Context.Service<RecipientBatches>()("svc/bulk/RecipientBatches", {
  make: Effect.gen(function* () {
    const jobs = yield* BulkJobStore
    const campaigns = yield* CampaignStore
    const contacts = yield* ContactStore
    const described = yield* CampaignRecipients

    return {
      /** The current number of recipients. */
      count: (accountId: string, { campaignId, recipients }: RecipientsWork) =>
        Effect.map(
          campaigns.recipients(accountId, campaignId, recipients, { page: 1, pageSize: 1, total: "Exact" }),
          ({ totalCount }) => totalCount
        ),
      /** Adds the next recipients to the file, in the caller's transaction. common.not_found if the campaign no longer exists. */
      process: Effect.fn("RecipientBatches.process")(function* (
        { accountId, id, position, rows }: BulkJob,
        { campaignId, format, recipients }: RecipientsWork
      ): Effect.fn.Return<BulkBatch, Problem | Unavailable> {
        const [campaign] = yield* campaigns.find(accountId, [campaignId])
        if (campaign === undefined) return yield* Problem.of("common.not_found")
        const { items, next } = yield* campaigns.recipients(accountId, campaignId, recipients, {
          page: 1,
          pageSize: batchSize,
          after: position,
          total: "Bounded"
        })
        const keys = { ids: items.map(({ contactId }) => contactId), externalIds: [], emails: [] }
        // Locked before they are read, so that none is erased meanwhile.
        yield* contacts.lock(accountId, keys)
        const found = (yield* contacts.find(accountId, keys)).filter(({ erasedAt }) => erasedAt === null)
        const people = new Map(found.map((contact) => [contact.id, contact]))
        const present = yield* described.describe(
          campaign,
          items.filter(({ contactId }) => people.has(contactId))
        )
        yield* jobs.addRows(
          accountId,
          id,
          present.map((shown, index): BulkJobRow => ({
            place: rows + index + 1,
            contactId: shown.recipient.contactId,
            content: recipientLine(shown, people.get(shown.recipient.contactId)!, format)
          }))
        )
        const outcomes = items.map(({ contactId }): BulkOutcome => [
          contactId,
          people.has(contactId) ? null : "common.not_found"
        ])
        return { outcomes, next }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(RecipientBatches, RecipientBatches.make)
}
