/**
 * The consent of a contact: its states, the ways in, the history, and the one function that moves it.
 * Source: public-api "Consent status of a contact", decisions 3.
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

/** The bases a customer's system can give. */
export const consentBases = ["Customer", "Subscribed", "Unsubscribed"] as const

/** On what a customer's system bases consent. */
export type ConsentBasis = (typeof consentBases)[number]

/** The way by which consent came or went. */
export type ConsentSource =
  | "Api"
  | "FlowTrigger"
  | "Import"
  | "Store"
  | "UnsubscribeLink"
  | "DoubleOptIn"
  | "Bounce"
  | "Complaint"

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

/** What moves consent. Only `Subscribed` and `Confirmed` raise it to Subscribed, and only with proof. */
export type ConsentTrigger =
  | { readonly _tag: "Customer" }
  | { readonly _tag: "Subscribed"; readonly proof: ConsentProof }
  | { readonly _tag: "Unsubscribed" }
  | { readonly _tag: "HardBounce" }
  | { readonly _tag: "Complaint" }
  | { readonly _tag: "FormSubmitted" }
  | { readonly _tag: "Confirmed"; readonly proof: ConsentProof }
  | { readonly _tag: "CheckoutWithoutConsent" }

/** One line of the consent history: append-only but for erasure. */
export interface ConsentEntry {
  readonly id: string
  readonly contactId: string
  /** Null for a contact that was new. */
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

/** Whether a state is final: a bounce or complaint is never lifted. */
const isFinal = (status: ConsentStatus): boolean => status === "Bounced" || status === "Complained"

/**
 * The state after a trigger. Pure and total: Bounced and Complained never move, Unsubscribed is always
 * honoured, and nothing reaches Subscribed without proof (decisions 3).
 */
export const nextConsent = (now: ConsentStatus, trigger: ConsentTrigger): ConsentStatus => {
  if (isFinal(now)) return now
  switch (trigger._tag) {
    case "Customer":
      return customerTo[now]
    case "Subscribed":
      return "Subscribed"
    // A link of long ago must not undo what the person decided since.
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

/** What a bounce or complaint that mail told of does to consent, and the way in it is recorded with. */
export const verdictConsent = {
  Bounced: { trigger: { _tag: "HardBounce" }, source: "Bounce" },
  Complained: { trigger: { _tag: "Complaint" }, source: "Complaint" }
} as const satisfies Record<string, { readonly trigger: ConsentTrigger; readonly source: ConsentSource }>

/** The basis a trigger is recorded with; null where no customer's system gave one. */
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
