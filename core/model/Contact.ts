/**
 * A person in an account's audience.
 *
 * @module
 */
import type { TopicChoices } from "./Topic.ts"
import type { ConsentProof, ConsentSource, ConsentStatus } from "./Consent.ts"

/** How a connected store informs its customers about marketing. */
export type StoreConsentMode = "Explicit" | "Notice" | "OwnConsent" | "None"

/** The value of a custom attribute. */
export type AttributeValue = string | number | boolean | ReadonlyArray<string>

/** A contact as stored. All times are epoch milliseconds. */
export interface Contact {
  readonly id: string
  /** The connected store that manages this contact's email, external id and consent; null for the customer itself. */
  readonly storeId: string | null
  readonly externalId: string | null
  /** Normalized; null once erased. */
  readonly email: string | null
  /** The contact's earlier normalized addresses, oldest first; none once erased. */
  readonly formerEmails: ReadonlyArray<string>
  readonly firstName: string | null
  readonly lastName: string | null
  readonly phone: string | null
  readonly city: string | null
  readonly countryCode: string | null
  readonly language: string | null
  readonly consentStatus: ConsentStatus
  readonly consentSource: ConsentSource | null
  readonly consentUpdatedAt: number | null
  /** The latest proof, stored so that a repeated call adds nothing to the history. */
  readonly consentProof: ConsentProof | null
  readonly storeConsentMode: StoreConsentMode | null
  readonly marketingDeclared: boolean
  readonly isPayingCustomer: boolean
  readonly orderCount: number
  /** An exact decimal in plain notation, such as `129.90`. */
  readonly totalSpent: string
  readonly fromOrders: boolean
  readonly tags: ReadonlyArray<string> | null
  readonly attributes: { readonly [key: string]: AttributeValue }
  /** The contact's choices, by topic id. */
  readonly topics: TopicChoices
  readonly addedAt: number
  readonly sourceCreatedAt: number | null
  readonly lastSyncedAt: number | null
  readonly lastOrderAt: number | null
  readonly lastOpenAt: number | null
  readonly lastClickAt: number | null
  readonly lastEmailedAt: number | null
  readonly lastConversionAt: number | null
  /** When the person was erased. The row then contains only its id, this time and `addressHash`. */
  readonly erasedAt: number | null
  /** The keyed hash of an erased contact's address, by which an import recognises it. */
  readonly addressHash: string | null
  /** The number of writes of this row, from 1. A write states the version that it read. */
  readonly version: number
}

/** The fields that a change of consent sets. */
export const consentFields = [
  "consentStatus",
  "consentSource",
  "consentUpdatedAt",
  "consentProof"
] as const satisfies ReadonlyArray<keyof Contact>

/** The fields that a contact write can set. */
export const writtenFields = [
  "externalId",
  "email",
  "formerEmails",
  "firstName",
  "lastName",
  "phone",
  "city",
  "countryCode",
  "language",
  ...consentFields,
  "attributes",
  "topics"
] as const satisfies ReadonlyArray<keyof Contact>

/** A new contact. */
export const newContact = (id: string, email: string, now: number): Contact => ({
  id,
  storeId: null,
  externalId: null,
  email,
  formerEmails: [],
  firstName: null,
  lastName: null,
  phone: null,
  city: null,
  countryCode: null,
  language: null,
  consentStatus: "Unknown",
  consentSource: null,
  consentUpdatedAt: null,
  consentProof: null,
  storeConsentMode: null,
  marketingDeclared: false,
  isPayingCustomer: false,
  orderCount: 0,
  totalSpent: "0",
  fromOrders: false,
  tags: null,
  attributes: {},
  topics: {},
  addedAt: now,
  sourceCreatedAt: null,
  lastSyncedAt: null,
  lastOrderAt: null,
  lastOpenAt: null,
  lastClickAt: null,
  lastEmailedAt: null,
  lastConversionAt: null,
  erasedAt: null,
  addressHash: null,
  version: 1
})
