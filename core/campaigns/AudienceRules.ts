/**
 * How the people of a campaign become its recipients: who is due when, and with which variant (docs/campaigns.md "Who").
 *
 * @module
 */
import type { Settings } from "../model/Account.ts"
import type { Campaign, CampaignRecipient } from "../model/Campaign.ts"
import type { Contact } from "../model/Contact.ts"
import type { RecipientPlan } from "../ports/SegmentStore.ts"
import { slotOf } from "./CampaignRules.ts"
import { afterTest, dueAt, placeOf } from "./CampaignSchedules.ts"
import { variantBounds, variantOf } from "./VariantRules.ts"

/** What a hash slot of a campaign's test is taken of, instead of the campaign's id: who is held out says nothing about the variant. */
export const testKey = (campaignId: string): string => `${campaignId} test`

/**
 * The plan of a campaign.
 *
 * @param asOf when its audience began to be read, epoch milliseconds
 * @param engagedSince see {@link RecipientPlan}
 */
export const recipientPlan = (
  { definition: { schedule, test }, id, startAt }: Pick<Campaign, "definition" | "id" | "startAt">,
  settings: Pick<Settings, "timeZone" | "timeZoneAttribute">,
  asOf: number,
  engagedSince: number | null
): RecipientPlan => {
  const attribute = settings.timeZoneAttribute
  return {
    campaignId: id,
    dueAt:
      schedule !== null && "localTime" in schedule
        ? {
            attribute,
            of: ({ countryCode, own }) => {
              const attributes = attribute === null || own === null ? {} : { [attribute]: own }
              return dueAt(schedule, { attributes, countryCode }, settings, asOf, asOf)
            }
          }
        : (startAt ?? asOf),
    test: test === null ? null : { variants: variantBounds(test), restAt: afterTest + 1 },
    engagedSince
  }
}

/**
 * A person as a recipient. The database does the same by itself: `adapters/postgres/segments/statements.ts`.
 *
 * @param sha256Hex the lower-case hex SHA-256 of a string
 */
export const recipientOf = (
  accountId: string,
  { campaignId, dueAt: due, engagedSince, test }: RecipientPlan,
  contact: Contact,
  asOf: number,
  sha256Hex: (text: string) => string
): CampaignRecipient => {
  const slot = test === null ? 0 : slotOf(sha256Hex, testKey(campaignId), contact.id)
  const variant = test === null ? null : variantOf(test.variants, slot)
  const own = typeof due === "number" || due.attribute === null ? null : contact.attributes[due.attribute]
  const at =
    typeof due === "number"
      ? due
      : due.of({ own: typeof own === "string" ? own : null, countryCode: contact.countryCode })
  const place = placeOf(contact, engagedSince)
  const isRest = test !== null && variant === null && at !== null
  return {
    accountId,
    campaignId,
    contactId: contact.id,
    state: at === null ? "Skipped" : "Pending",
    reason: at === null ? "campaigns.local_time_passed" : isRest ? "campaigns.test" : null,
    variant,
    // The rest of a test is made due from its end.
    dueAt: isRest ? test.restAt - place : (at ?? asOf) + place,
    movedAt: null,
    version: null,
    deliveryId: null,
    decidedAt: at === null ? asOf : null,
    renderError: null
  }
}
