/**
 * Changes the consent of a contact together with the entry in its consent history.
 *
 * @module
 */
import {
  basisOf,
  type ConsentEntry,
  type ConsentSource,
  type ConsentTrigger,
  nextConsent
} from "../../model/Consent.ts"
import { consentFields, type Contact } from "../../model/Contact.ts"
import type { ContactChanges } from "../../ports/ContactStore.ts"

/** A contact with changed consent, and the entry that records the change. */
export interface ConsentChange {
  readonly contact: Contact
  readonly entry: ConsentEntry
}

/** The contact with the consent of an entry in its history. */
export const withConsent = (contact: Contact, values: Omit<ConsentEntry, "contactId">): ConsentChange => ({
  contact: {
    ...contact,
    consentStatus: values.to,
    consentSource: values.source,
    consentUpdatedAt: values.at,
    consentProof: values.proof ?? contact.consentProof
  },
  entry: { ...values, contactId: contact.id }
})

/** The cause of a change of consent: trigger and source, with the time and the id of the entry that records it. */
export interface ConsentCause {
  readonly trigger: ConsentTrigger
  readonly source: ConsentSource
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** Changes the consent of a contact; null if the trigger does not change its status. */
export const changeConsent = (
  contact: Contact,
  { at, id, source, trigger }: ConsentCause
): ConsentChange | null => {
  const from = contact.consentStatus
  const to = nextConsent(from, trigger)
  if (to === from) return null
  const proof = "proof" in trigger ? trigger.proof : null
  return withConsent(contact, { id, from, to, basis: basisOf(trigger), proof, source, at })
}

/** The changes to write for stored contacts whose consent is all that changes. */
export const consentUpdates = (changes: ReadonlyArray<ConsentChange>): ContactChanges => ({
  inserts: [],
  updates: changes.map(({ contact }) => ({ ...contact, version: contact.version + 1 })),
  released: [],
  updatedFields: consentFields,
  consents: changes.map(({ entry }) => entry),
  contactLimit: null
})
