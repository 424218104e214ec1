/**
 * The lines of an archive about people: suppressed addresses, and contacts with their consent, its history and proofs.
 *
 * @module
 */
import { Schema } from "effect"
import { consentBases, type ConsentSource, consentStatuses } from "../model/Consent.ts"
import { consentModes } from "../model/Store.ts"
import { suppressionKinds } from "../model/Suppression.ts"
import { Amount, Count, Email, Id, maybe, Timestamp, StoreName, stringUpTo, Value } from "./LineParts.ts"

/** A suppressed address. */
export const SuppressionLine = Schema.Struct({
  kind: Schema.tag("suppression"),
  email: Email,
  reason: Schema.Literals(suppressionKinds),
  createdAt: Timestamp
})

const consentSources = [
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
] as const satisfies ReadonlyArray<ConsentSource>

const Proof = Schema.Struct({
  text: stringUpTo(10_000),
  textVersion: maybe(stringUpTo(1000)),
  locale: maybe(stringUpTo(1000)),
  ipAddress: maybe(stringUpTo(1000)),
  givenAt: maybe(Timestamp)
})

const Consent = Schema.Struct({
  status: Schema.Literals(consentStatuses),
  source: maybe(Schema.Literals(consentSources)),
  updatedAt: maybe(Timestamp),
  proof: maybe(Proof),
  /** Oldest first. */
  history: Schema.Array(
    Schema.Struct({
      from: maybe(Schema.Literals(consentStatuses)),
      to: Schema.Literals(consentStatuses),
      basis: maybe(Schema.Literals(consentBases)),
      proof: maybe(Proof),
      source: Schema.Literals(consentSources),
      at: Timestamp
    })
  )
})

/** A contact with its consent and all of its history. */
export const ContactLine = Schema.Struct({
  kind: Schema.tag("contact"),
  id: Id,
  /** The connected store that manages the contact; null for none. */
  store: maybe(StoreName),
  externalId: maybe(stringUpTo(200)),
  email: Email,
  formerEmails: Schema.Array(Email),
  firstName: maybe(stringUpTo(200)),
  lastName: maybe(stringUpTo(200)),
  phone: maybe(stringUpTo(40)),
  city: maybe(stringUpTo(200)),
  countryCode: maybe(stringUpTo(2)),
  language: maybe(stringUpTo(35)),
  consent: Consent,
  attributes: Schema.Record(Schema.String, Value),
  /** The contact's choices of topics, by topic key. */
  topics: Schema.Record(Schema.String, Schema.Boolean),
  tags: maybe(Schema.Array(stringUpTo(1000))),
  storeConsentMode: maybe(Schema.Literals(consentModes)),
  marketingDeclared: Schema.Boolean,
  isPayingCustomer: Schema.Boolean,
  orderCount: Count,
  totalSpent: Amount,
  fromOrders: Schema.Boolean,
  addedAt: Timestamp,
  sourceCreatedAt: maybe(Timestamp),
  lastSyncedAt: maybe(Timestamp),
  lastOrderAt: maybe(Timestamp),
  lastOpenAt: maybe(Timestamp),
  lastClickAt: maybe(Timestamp),
  lastEmailedAt: maybe(Timestamp),
  lastConversionAt: maybe(Timestamp)
})
