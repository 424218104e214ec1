/**
 * Decides whether an email may be sent to its recipient: suppressions bind every email, consent and topic bind marketing.
 * A pure function, asked by flows when a step sends, by deliveries when they are claimed and, by
 * `core/ports/SubmissionStore.ts: commit`, before the last byte (docs/contributing/decisions.md 4).
 *
 * @module
 */
import { isMailable } from "../../model/Consent.ts"
import type { Contact } from "../../model/Contact.ts"
import type { DeliveryReason } from "../../model/DeliveryStatus.ts"
import { type SuppressionKind, suppressionReason } from "../../model/Suppression.ts"
import { hasTopic, type Topic } from "../../model/Topic.ts"

/** What the gate decides on. */
export interface GateFacts {
  /** Why the address is suppressed; undefined when it is not. */
  readonly suppression: SuppressionKind | undefined
  /** Null for a transactional email. */
  readonly marketing: {
    /** Undefined when there is none. */
    readonly contact: Pick<Contact, "consentStatus" | "topics"> | undefined
    /** The topic of the email: null when it has none, undefined when the account does not have it. */
    readonly topic: Topic | null | undefined
  } | null
}

/** Why an email must not be sent: the suppression of its address, or what its contact did not agree to. */
export type GateRefusal =
  | { readonly _tag: "Suppressed"; readonly kind: SuppressionKind }
  | { readonly _tag: "NoConsent" }
  | { readonly _tag: "TopicOff" }

/** Why an email must not be sent; null when it may be. The suppression comes first, then consent, then the topic. */
export const gateRefusal = ({ marketing, suppression }: GateFacts): GateRefusal | null => {
  if (suppression !== undefined) return { _tag: "Suppressed", kind: suppression }
  if (marketing === null) return null
  const { contact, topic } = marketing
  if (contact === undefined || !isMailable(contact.consentStatus)) return { _tag: "NoConsent" }
  if (topic === null) return null
  return topic === undefined || topic.isArchived || !hasTopic(topic, contact.topics)
    ? { _tag: "TopicOff" }
    : null
}

/** The reason of a delivery that the gate refused. */
export const refusalReason = (refusal: GateRefusal): DeliveryReason =>
  refusal._tag === "Suppressed" ? suppressionReason[refusal.kind] : "sending.gate_consent"
