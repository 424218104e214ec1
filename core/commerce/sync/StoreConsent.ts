/**
 * What a store's word means for consent, by the store's consent mode. Nothing here lowers consent but a withdrawal, and
 * nothing reaches Subscribed without proof.
 *
 * | The store tells | Explicit | Notice | OwnConsent | None |
 * |---|---|---|---|---|
 * | a checkout or cart with an address, an order not paid | CheckoutStarted | CheckoutStarted | CheckoutStarted | CheckoutStarted |
 * | an order paid, nothing said of marketing | CheckoutStarted | SoftOptIn | CheckoutStarted | CheckoutStarted |
 * | an order paid, marketing declined | CheckoutStarted | CheckoutStarted | CheckoutStarted | CheckoutStarted |
 * | marketing accepted, with the words or the platform's record of it | Subscribed | Subscribed | Subscribed | as if nothing was said |
 * | marketing accepted, the store's word alone | as if nothing was said | as if nothing was said | Subscribed | as if nothing was said |
 * | a newsletter sign-up with its words (`subscriber.created`) | Subscribed | Subscribed | Subscribed | Subscribed |
 * | a withdrawal | Unsubscribed | Unsubscribed | Unsubscribed | Unsubscribed |
 *
 * CheckoutStarted and SoftOptIn are where a contact of whom nothing is known goes; the ladder of decisions 3 holds for all
 * others. Who unsubscribed is subscribed again only by a consent the store dates after that. `Declined` in a customer's
 * own record withdraws what the same store had brought.
 *
 * @module
 */
import type { ConsentProof, ConsentTrigger } from "../../model/Consent.ts"
import type { Contact } from "../../model/Contact.ts"
import type { Store } from "../../model/Store.ts"
import type { Marketing } from "../platforms/StoreChange.ts"

/** On what occasion a store tells of somebody. */
export type Occasion = "Checkout" | "Order" | "PaidOrder" | "Customer" | "Newsletter"

/** What the store's word does to a contact's consent; null for nothing. */
export const storeConsent = (
  store: Pick<Store, "consentMode" | "id" | "name" | "platform">,
  contact: Contact,
  occasion: Occasion,
  marketing: Marketing | null,
  at: number
): ConsentTrigger | null => {
  if (marketing?.state === "Unsubscribed") {
    return isOutdated(contact, marketing.at ?? at) ? null : { _tag: "Unsubscribed" }
  }
  const proof = marketing === null ? null : proofOf(store, occasion, marketing, at)
  if (proof !== null) {
    const since = contact.consentUpdatedAt ?? 0
    const mayReturn = contact.consentStatus !== "Unsubscribed" || (marketing?.at ?? 0) > since
    return contact.consentStatus === "Subscribed" || !mayReturn ? null : { _tag: "Subscribed", proof }
  }
  switch (occasion) {
    case "Newsletter":
      return null
    case "Customer": {
      const broughtBy = contact.storeId === store.id && contact.consentSource === "Store"
      const withdrawn = marketing?.state === "Declined" && contact.consentStatus === "Subscribed"
      return withdrawn && broughtBy && !isOutdated(contact, at) ? { _tag: "Unsubscribed" } : null
    }
    case "PaidOrder":
      return store.consentMode === "Notice" && marketing?.state !== "Declined"
        ? { _tag: "Customer" }
        : { _tag: "CheckoutWithoutConsent" }
    case "Checkout":
    case "Order":
      return { _tag: "CheckoutWithoutConsent" }
  }
}

/** Whether the person subscribed after that time. */
const isOutdated = (contact: Contact, at: number): boolean =>
  contact.consentStatus === "Subscribed" && (contact.consentUpdatedAt ?? 0) > at

/** The proof a store's word amounts to; null where it is none. */
const proofOf = (
  { consentMode, name, platform }: Pick<Store, "consentMode" | "name" | "platform">,
  occasion: Occasion,
  marketing: Marketing,
  at: number
): ConsentProof | null => {
  if (marketing.state !== "Subscribed" || (consentMode === "None" && occasion !== "Newsletter")) return null
  if (marketing.proof !== null) return marketing.proof
  if (consentMode !== "OwnConsent") return null
  return {
    text: `The store ${name} (${platform}) declares that marketing was accepted.`,
    textVersion: null,
    locale: null,
    ipAddress: null,
    givenAt: marketing.at ?? at
  }
}
