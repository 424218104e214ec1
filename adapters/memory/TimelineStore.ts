/**
 * Stores timelines of contacts in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { campaignEmailEntry, takenStatuses, TimelineStore } from "../../core/ports/TimelineStore.ts"
import { comparePlaces, pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { AudienceTables } from "./tables/AudienceTables.ts"
import { CampaignTables } from "./tables/CampaignTables.ts"
import { SubmissionTables } from "./tables/SubmissionTables.ts"
import { Database } from "./engine/Database.ts"
import { frozen } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: audienceOf } = yield* AudienceTables
  const { of: campaignsOf } = yield* CampaignTables
  const { of: submissionsOf } = yield* SubmissionTables
  const placeOf = placeBy("occurredAt")

  /** The timeline entries for the campaigns' emails to a contact. */
  const campaignEmails = (accountId: string, contactId: string) =>
    campaignsOf(accountId)
      .ofContact.rows(contactId)
      .flatMap(({ campaignId, decidedAt, deliveryId }) => {
        if (deliveryId === null || decidedAt === null) return []
        const status = submissionsOf(accountId).deliveries.get(deliveryId)?.delivery.status
        return status !== undefined && takenStatuses.includes(status)
          ? [campaignEmailEntry({ campaignId, contactId, decidedAt, deliveryId })]
          : []
      })

  return TimelineStore.of({
    append: (accountId, entries) =>
      database.write(() => {
        const { contacts, timeline } = audienceOf(accountId)
        return entries.flatMap(({ contactId, id, name, occurredAt, properties, source }) => {
          const contact = contacts.get(contactId)
          if (contact === undefined || contact.erasedAt !== null || timeline.get(id) !== undefined) return []
          timeline.insert(frozen({ id, contactId, name, occurredAt, properties, source }))
          return [id]
        })
      }),
    list: (accountId, contactId, page) =>
      database.read(() => {
        const { happened } = audienceOf(accountId)
        const emails = campaignEmails(accountId, contactId)
        if (emails.length === 0) return happened.page(contactId, page, placeOf)
        const entries = [...happened.rows(contactId), ...emails]
        return pageOfAll(
          entries.toSorted((a, b) => comparePlaces(placeOf(a), placeOf(b))),
          page,
          placeOf
        )
      }),
    remove: (accountId, ids) => database.write(() => audienceOf(accountId).timeline.removeMany(ids)),
    erase: (accountId, contactIds) =>
      database.write(() => {
        const { happened, timeline } = audienceOf(accountId)
        timeline.removeMany(contactIds.flatMap((contactId) => happened.rows(contactId)).map(({ id }) => id))
      }),
    eraseStore: (accountId, contactIds, storeId) =>
      database.write(() => {
        const { happened, timeline } = audienceOf(accountId)
        const reported = [...new Set(contactIds)].flatMap((contactId) =>
          happened
            .rows(contactId)
            .filter((entry) => entry.source === "Store" && entry.properties["storeId"] === storeId)
        )
        timeline.removeMany(reported.map(({ id }) => id))
      })
  })
}).pipe(Layer.effect(TimelineStore))
