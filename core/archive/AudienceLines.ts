/**
 * The lines of an archive about people: suppressed addresses, and contacts with their consent, its history and proofs.
 *
 * @module
 */
import { Schema } from "effect"
import { consentBases, type ConsentSource, consentStatuses } from "../model/Consent.ts"
import { consentModes } from "../model/Store.ts"
import { suppressionKinds } from "../model/Suppression.ts"
import { Amount, Count, Email, Id, maybe, Moment, StoreName, textUpTo, Value } from "./LineParts.ts"

/** A suppressed address. */
export const SuppressionLine = Schema.Struct({
  kind: Schema.tag("suppression"),
  email: Email,
  reason: Schema.Literals(suppressionKinds),
  createdAt: Moment
})

const consentSources = [
  "Api",
  "FlowTrigger",
  "Import",
  "Store",
  "UnsubscribeLink",
  "DoubleOptIn",
  "Bounce",
  "Complaint"
] as const satisfies ReadonlyArray<ConsentSource>

const Proof = Schema.Struct({
  text: textUpTo(10_000),
  textVersion: maybe(textUpTo(1000)),
  locale: maybe(textUpTo(1000)),
  ipAddress: maybe(textUpTo(1000)),
  givenAt: maybe(Moment)
})

const Consent = Schema.Struct({
  status: Schema.Literals(consentStatuses),
  source: maybe(Schema.Literals(consentSources)),
  updatedAt: maybe(Moment),
  proof: maybe(Proof),
  /** Oldest first. */
  history: Schema.Array(
    Schema.Struct({
      from: maybe(Schema.Literals(consentStatuses)),
      to: Schema.Literals(consentStatuses),
      basis: maybe(Schema.Literals(consentBases)),
      proof: maybe(Proof),
      source: Schema.Literals(consentSources),
      at: Moment
    })
  )
})

/** A contact with its consent and all of its history. */
export const ContactLine = Schema.Struct({
  kind: Schema.tag("contact"),
  id: Id,
  /** The connected store that manages it. */
  store: maybe(StoreName),
  externalId: maybe(textUpTo(200)),
  email: Email,
  formerEmails: Schema.Array(Email),
  firstName: maybe(textUpTo(200)),
  lastName: maybe(textUpTo(200)),
  phone: maybe(textUpTo(40)),
  city: maybe(textUpTo(200)),
  countryCode: maybe(textUpTo(2)),
  language: maybe(textUpTo(35)),
  consent: Consent,
  attributes: Schema.Record(Schema.String, Value),
  /** What the contact chose, by topic key. */
  topics: Schema.Record(Schema.String, Schema.Boolean),
  tags: maybe(Schema.Array(textUpTo(1000))),
  storeConsentMode: maybe(Schema.Literals(consentModes)),
  marketingDeclared: Schema.Boolean,
  isPayingCustomer: Schema.Boolean,
  orderCount: Count,
  totalSpent: Amount,
  fromOrders: Schema.Boolean,
  addedAt: Moment,
  sourceCreatedAt: maybe(Moment),
  lastSyncedAt: maybe(Moment),
  lastOrderAt: maybe(Moment),
  lastOpenAt: maybe(Moment),
  lastClickAt: maybe(Moment),
  lastEmailedAt: maybe(Moment),
  lastConversionAt: maybe(Moment)
})
