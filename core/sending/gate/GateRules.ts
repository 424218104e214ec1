/**
 * Decides whether an email may be sent to its recipient. Suppressions apply to every email, consent and topic to marketing,
 * and the status of a campaign to its emails. This pure function is called by flows when a step sends, by campaigns when they
 * decide on a recipient, by deliveries when they are claimed and, through `core/ports/SubmissionStore.ts: commit`, before the
 * last byte (docs/contributing/decisions.md 4).
 *
 * @module
 */
import { type CampaignStatus, leavingStatuses } from "../../model/Campaign.ts"
import { isMailable } from "../../model/Consent.ts"
import type { Contact } from "../../model/Contact.ts"
import type { DeliveryReason } from "../../model/DeliveryStatus.ts"
import { type SuppressionKind, suppressionReason } from "../../model/Suppression.ts"
import { hasTopic, type Topic } from "../../model/Topic.ts"

/** The facts on which the gate decides. */
export interface GateFacts {
  /** Why the address is suppressed; undefined if it is not. */
  readonly suppression: SuppressionKind | undefined
  /** Null for a transactional email. */
  readonly marketing: {
    /** The contact, by `contactAt`; undefined if it no longer has the address of the email. */
    readonly contact: Pick<Contact, "consentStatus" | "topics"> | undefined
    /** The topic of the email: null if it has none, undefined if the account does not have the topic. */
    readonly topic: Topic | null | undefined
  } | null
  /**
   * The status of the email's campaign; `Gone` if the account does not have the campaign; null or left out for an email of no
   * campaign.
   */
  readonly campaign?: CampaignStatus | "Gone" | null
}

/**
 * The contact of an email, provided that it still has the email's address. A consent does not apply to an address that the
 * contact has left.
 */
export const contactAt = <Found extends Pick<Contact, "email">>(
  contact: Found | undefined,
  email: string
): Found | undefined => (contact?.email === email ? contact : undefined)

/**
 * Why an email must not be sent: the suppression of its address, the missing consent or topic of its contact, or its campaign.
 * An email of a paused campaign waits; any other refused email is never sent.
 */
export type GateRefusal =
  | { readonly _tag: "Suppressed"; readonly kind: SuppressionKind }
  | { readonly _tag: "NoConsent" }
  | { readonly _tag: "TopicOff" }
  | { readonly _tag: "CampaignPaused" }
  | { readonly _tag: "CampaignCancelled" }

/** The facts that limit how much marketing a person gets, and when. Times are epoch milliseconds; null for at once. */
export interface MarketingLimits {
  /** Whether the person belongs to a group that gets none, for comparison. */
  readonly isHeldOut: boolean
  /** When another email will be within the frequency caps. */
  readonly cappedUntil: number | null
  /** When the quiet hours of the person end. */
  readonly quietUntil: number | null
  /** When the window of the campaign begins for the person. */
  readonly windowAt: number | null
}

/** Why marketing is not submitted to a person: not at all, or not before a time. */
export type MarketingRefusal =
  | GateRefusal
  | { readonly _tag: "HeldOut" }
  | { readonly _tag: "OverCap"; readonly until: number }
  | { readonly _tag: "QuietHours"; readonly until: number }
  | { readonly _tag: "OutsideWindow"; readonly until: number }

/**
 * Why marketing is not submitted to a person now; null if it may be. Flows and campaigns use the same rule, in this order:
 * `gateRefusal`, the holdout group, the frequency caps, the quiet hours, the window.
 */
export const marketingRefusal = (
  facts: Omit<GateFacts, "campaign">,
  { cappedUntil, isHeldOut, quietUntil, windowAt }: MarketingLimits
): MarketingRefusal | null => {
  const refusal = gateRefusal(facts)
  if (refusal !== null || facts.marketing === null) return refusal
  if (isHeldOut) return { _tag: "HeldOut" }
  if (cappedUntil !== null) return { _tag: "OverCap", until: cappedUntil }
  if (quietUntil !== null) return { _tag: "QuietHours", until: quietUntil }
  return windowAt === null ? null : { _tag: "OutsideWindow", until: windowAt }
}

/**
 * Why an email must not be sent; null if it may be. The suppression is checked first, then consent, then the topic, then the
 * campaign.
 */
export const gateRefusal = ({ campaign = null, marketing, suppression }: GateFacts): GateRefusal | null => {
  if (suppression !== undefined) return { _tag: "Suppressed", kind: suppression }
  if (marketing === null) return null
  const { contact, topic } = marketing
  if (contact === undefined || !isMailable(contact.consentStatus)) return { _tag: "NoConsent" }
  if (topic !== null && (topic === undefined || topic.isArchived || !hasTopic(topic, contact.topics))) {
    return { _tag: "TopicOff" }
  }
  if (campaign === null || (campaign !== "Gone" && leavingStatuses.includes(campaign))) return null
  return { _tag: campaign === "Paused" ? "CampaignPaused" : "CampaignCancelled" }
}

/** The reason that a delivery gets when the gate refuses it. */
export const refusalReason = (refusal: GateRefusal): DeliveryReason => {
  switch (refusal._tag) {
    case "Suppressed":
      return suppressionReason[refusal.kind]
    case "CampaignPaused":
      return "sending.campaign_paused"
    case "CampaignCancelled":
      return "sending.cancelled"
    default:
      return "sending.gate_consent"
  }
}
