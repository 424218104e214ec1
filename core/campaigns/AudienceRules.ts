/**
 * Turns the people of a campaign's audience into recipients: when each is due, and which variant each gets
 * (docs/campaigns.md "People").
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

/**
 * The key that replaces the campaign's id in the hash slots of its test. Whether a person is held out thus says
 * nothing about their variant.
 */
export const testKey = (campaignId: string): string => `${campaignId} test`

/**
 * The plan by which a campaign's recipients are created.
 *
 * @param asOf when the audience began to be read, epoch milliseconds
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
 * The recipient that a person becomes. The database computes the same in SQL:
 * `adapters/postgres/segments/statements.ts`.
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
    // The decision of the test releases the rest in descending order of `dueAt`, so the first place gets the latest
    // time.
    dueAt: isRest ? test.restAt - place : (at ?? asOf) + place,
    movedAt: null,
    version: null,
    deliveryId: null,
    decidedAt: at === null ? asOf : null,
    renderError: null
  }
}
