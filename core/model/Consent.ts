/**
 * The consent of a contact: its states, sources and history, and the only function that changes its state.
 * Source: docs/contributing/public-api.md "Consent status of a contact", docs/contributing/decisions.md 3.
 *
 * @module
 */

/** Every consent state. */
export const consentStatuses = [
  "Unknown",
  "SoftOptIn",
  "Subscribed",
  "Unsubscribed",
  "Bounced",
  "Complained",
  "CheckoutStarted",
  "PendingConfirmation"
] as const

/** The state of a contact's consent. */
export type ConsentStatus = (typeof consentStatuses)[number]

/** The states in which a contact may get marketing email. */
export const mailableStatuses = ["Subscribed", "SoftOptIn"] as const satisfies ReadonlyArray<ConsentStatus>

/** Whether a contact in a state may get marketing email. */
export const isMailable = (status: ConsentStatus): boolean =>
  (mailableStatuses as ReadonlyArray<ConsentStatus>).includes(status)

/** The bases for consent that a customer's system can state. */
export const consentBases = ["Customer", "Subscribed", "Unsubscribed"] as const

/** The basis for consent that a customer's system states. */
export type ConsentBasis = (typeof consentBases)[number]

/** The origins of a change of consent. */
export const consentSources = [
  "Api",
  "FlowTrigger",
  "Import",
  "Store",
  "UnsubscribeLink",
  "DoubleOptIn",
  "Bounce",
  "Complaint",
  "Ui",
  "Relay"
] as const

/**
 * The origin of a change of consent. `Ui` is a person who uses the management API; `Relay` is an unsubscription that was reported
 * by the provider that relayed the email.
 */
export type ConsentSource = (typeof consentSources)[number]

/** What a person agreed to, kept as evidence. */
export interface ConsentProof {
  /** The exact words. */
  readonly text: string
  readonly textVersion: string | null
  readonly locale: string | null
  readonly ipAddress: string | null
  /** Epoch milliseconds. */
  readonly givenAt: number | null
}

/** The causes of a change of consent. Only `Subscribed` and `Confirmed` lead to Subscribed, and only with proof. */
export type ConsentTrigger =
  | { readonly _tag: "Customer" }
  | { readonly _tag: "Subscribed"; readonly proof: ConsentProof }
  | { readonly _tag: "Unsubscribed" }
  | { readonly _tag: "HardBounce" }
  | { readonly _tag: "Complaint" }
  | { readonly _tag: "FormSubmitted" }
  | { readonly _tag: "Confirmed"; readonly proof: ConsentProof }
  | { readonly _tag: "CheckoutWithoutConsent" }

/** An entry of the consent history, which is append-only except for erasure. */
export interface ConsentEntry {
  readonly id: string
  readonly contactId: string
  /** Null for a new contact. */
  readonly from: ConsentStatus | null
  readonly to: ConsentStatus
  readonly basis: ConsentBasis | null
  readonly proof: ConsentProof | null
  readonly source: ConsentSource
  /** Epoch milliseconds. */
  readonly at: number
}

const customerTo: Record<ConsentStatus, ConsentStatus> = {
  Unknown: "SoftOptIn",
  CheckoutStarted: "SoftOptIn",
  SoftOptIn: "SoftOptIn",
  PendingConfirmation: "PendingConfirmation",
  Subscribed: "Subscribed",
  Unsubscribed: "Unsubscribed",
  Bounced: "Bounced",
  Complained: "Complained"
}

/** Whether a state is final: bounces and complaints never change. */
const isFinal = (status: ConsentStatus): boolean => status === "Bounced" || status === "Complained"

/**
 * The state after a trigger. Pure and total: Bounced and Complained never change, Unsubscribed is always honoured, and nothing
 * leads to Subscribed without proof (docs/contributing/decisions.md 3).
 */
export const nextConsent = (now: ConsentStatus, trigger: ConsentTrigger): ConsentStatus => {
  if (isFinal(now)) return now
  switch (trigger._tag) {
    case "Customer":
      return customerTo[now]
    case "Subscribed":
      return "Subscribed"
    // An old link must not undo a later decision of the person.
    case "Confirmed":
      return now === "PendingConfirmation" ? "Subscribed" : now
    case "Unsubscribed":
      return "Unsubscribed"
    case "HardBounce":
      return "Bounced"
    case "Complaint":
      return "Complained"
    case "FormSubmitted":
      return now === "Subscribed" ? now : "PendingConfirmation"
    case "CheckoutWithoutConsent":
      return now === "Unknown" ? "CheckoutStarted" : now
  }
}

/** The trigger and source of a bounce or complaint. */
export const verdictConsent = {
  Bounced: { trigger: { _tag: "HardBounce" }, source: "Bounce" },
  Complained: { trigger: { _tag: "Complaint" }, source: "Complaint" }
} as const satisfies Record<string, { readonly trigger: ConsentTrigger; readonly source: ConsentSource }>

/** The basis with which a trigger is recorded; null if no customer's system stated one. */
export const basisOf = (trigger: ConsentTrigger): ConsentBasis | null => {
  switch (trigger._tag) {
    case "Customer":
      return "Customer"
    case "Subscribed":
    case "Confirmed":
      return "Subscribed"
    case "Unsubscribed":
      return "Unsubscribed"
    default:
      return null
  }
}
