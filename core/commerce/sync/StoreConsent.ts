/**
 * Decides how changes in a store affect consent, by the store's consent mode. Only an unsubscription lowers consent, and
 * only a proof raises it to Subscribed.
 *
 * | The store reports | Explicit | Notice | OwnConsent | None |
 * |---|---|---|---|---|
 * | a checkout or cart with an address, an order not paid | CheckoutStarted | CheckoutStarted | CheckoutStarted | CheckoutStarted |
 * | an order paid, marketing not mentioned | CheckoutStarted | SoftOptIn | CheckoutStarted | CheckoutStarted |
 * | an order paid, marketing declined | CheckoutStarted | CheckoutStarted | CheckoutStarted | CheckoutStarted |
 * | marketing accepted, with the consent text or the platform's record | Subscribed | Subscribed | Subscribed | as not mentioned |
 * | marketing accepted, without either | as not mentioned | as not mentioned | Subscribed | as not mentioned |
 * | a newsletter sign-up with its consent text (`subscriber.created`) | Subscribed | Subscribed | Subscribed | Subscribed |
 * | an unsubscription | Unsubscribed | Unsubscribed | Unsubscribed | Unsubscribed |
 *
 * CheckoutStarted and SoftOptIn are the results for a contact whose consent is Unknown; the transitions of
 * docs/contributing/decisions.md 3 apply to all others. An unsubscribed contact is subscribed again only by a later
 * consent. `Declined` in a customer record revokes a consent that came from the same store.
 *
 * @module
 */
import type { ConsentProof, ConsentTrigger } from "../../model/Consent.ts"
import type { Contact } from "../../model/Contact.ts"
import type { Store } from "../../model/Store.ts"
import type { Marketing } from "../platforms/StoreChange.ts"

/** The kind of change in which a store reports a person. */
export type Occasion = "Checkout" | "Order" | "PaidOrder" | "Customer" | "Newsletter"

/** The transition of a contact's consent; null for none. */
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
      const cameFromStore = contact.storeId === store.id && contact.consentSource === "Store"
      const isDeclined = marketing?.state === "Declined" && contact.consentStatus === "Subscribed"
      return isDeclined && cameFromStore && !isOutdated(contact, at) ? { _tag: "Unsubscribed" } : null
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

/** The proof of a reported consent; null where there is none. */
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
