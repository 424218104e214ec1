/**
 * The lines of an account's archive: a text of one JSON object a line, the first of which is its header. It names nothing
 * by an id that only one installation knows: topics go by key, connected stores by platform and domain. Moments are ISO
 * 8601 in UTC.
 *
 * What is in it: settings, topics, contact fields, segments, templates, connected stores and webhooks (without their
 * secrets), suppressed addresses, contacts with their consent, its history and proofs, and the catalogue.
 *
 * What is not: API keys, the keys of sending domains, secrets of webhooks and stores (each is made anew where it is used),
 * emails, timelines, orders, carts, the audit log (records of what this installation did), and the traces of erased people,
 * which are keyed hashes that only the installation can read which made them.
 *
 * @module
 */
import { Result, Schema, SchemaTransformation } from "effect"
import { defaultSettings } from "../accounts/Account.ts"
import { consentBases, type ConsentSource, consentStatuses } from "../audience/Consent.ts"
import { fieldTypes } from "../audience/ContactField.ts"
import { itemKinds, itemSources } from "../catalog/Item.ts"
import { consentModes, platforms } from "../commerce/Store.ts"
import { suppressionKinds } from "../sending/Suppression.ts"
import { parseEmail } from "../shared/EmailAddress.ts"
import { isUuid } from "../shared/Ids.ts"
import { formatDateTime, isStorable, parseDateTime } from "../shared/Validate.ts"

/** What the header says the text is. */
export const archiveFormat = "svc-account"

/** The version of the format; a reader takes no other. */
export const archiveVersion = 1

const maxInt = 2_147_483_647

const filtered = (is: (text: string) => boolean, expected: string) =>
  Schema.String.pipe(Schema.check(Schema.makeFilter((text: string) => is(text) || expected)))

const textUpTo = (max: number) =>
  filtered((text) => text.length <= max && isStorable(text), `a text of at most ${max} characters`)

const maybe = <S extends Schema.Top>(schema: S) => Schema.NullOr(schema)

const Id = filtered((text) => isUuid(text) && text === text.toLowerCase(), "a UUID in lower case")
const Email = filtered((text) => parseEmail(text) === text, "a normalized email address")
const Amount = filtered((text) => /^-?\d{1,20}(\.\d{1,20})?$/.test(text), "a decimal in plain notation")
const Count = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: maxInt })))
const Stock = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: -maxInt, maximum: maxInt })))

const Moment = filtered((text) => parseDateTime(text) !== null, "an ISO 8601 date-time").pipe(
  Schema.decodeTo(
    Schema.Number,
    SchemaTransformation.transform({
      decode: (text: string) => parseDateTime(text) ?? 0,
      encode: formatDateTime
    })
  )
)

const Sender = Schema.Struct({ email: Email, name: maybe(textUpTo(100)) })
const Tracking = Schema.Struct({ opens: Schema.Boolean, clicks: Schema.Boolean })

/** The first line. */
export const HeaderLine = Schema.Struct({
  kind: Schema.tag("header"),
  format: Schema.Literal(archiveFormat),
  version: Schema.Literal(archiveVersion),
  accountId: Id,
  mode: Schema.Literals(["Live", "Sandbox"]),
  exportedAt: Moment
})

/** The account's settings, all of them. */
export const SettingsLine = Schema.Struct({
  kind: Schema.tag("settings"),
  autoCreateAttributes: Schema.Boolean,
  tracking: Tracking,
  flowTracking: Tracking,
  contactLimit: maybe(Count),
  dailySendLimit: maybe(Count),
  retentionDays: Count,
  recipientRetentionDays: Count,
  defaultSender: maybe(Sender),
  rateLimitPerMinute: Count
} satisfies Record<keyof typeof defaultSettings | "kind", unknown>)

/** A topic; contacts name it by its key. */
export const TopicLine = Schema.Struct({
  kind: Schema.tag("topic"),
  id: Id,
  key: textUpTo(40),
  name: textUpTo(100),
  description: maybe(textUpTo(300)),
  defaultOn: Schema.Boolean,
  isArchived: Schema.Boolean,
  createdAt: Moment
})

/** A contact field. */
export const FieldLine = Schema.Struct({
  kind: Schema.tag("field"),
  key: textUpTo(40),
  label: textUpTo(80),
  type: Schema.Literals(fieldTypes),
  description: maybe(textUpTo(300)),
  createdFrom: Schema.Literals(["Ui", "Api", "Csv"]),
  createdAt: Moment,
  archivedAt: maybe(Moment)
})

/** A segment of the account's own. */
export const SegmentLine = Schema.Struct({
  kind: Schema.tag("segment"),
  id: Id,
  name: textUpTo(200),
  description: maybe(textUpTo(1000)),
  definition: Schema.Struct({
    join: Schema.String,
    rules: Schema.Array(
      Schema.Struct({ fieldKey: Schema.String, operator: Schema.String, value: Schema.Json })
    )
  }),
  createdAt: Moment
})

/** A template, as it was written; it is compiled anew. */
export const TemplateLine = Schema.Struct({
  kind: Schema.tag("template"),
  id: Id,
  name: Schema.String,
  subject: Schema.String,
  html: maybe(Schema.String),
  text: maybe(Schema.String),
  createdAt: Moment,
  updatedAt: Moment
})

const StoreName = Schema.Struct({ platform: Schema.Literals(platforms), domain: textUpTo(253) })

/** A connected store, without what connects it. */
export const StoreLine = Schema.Struct({
  kind: Schema.tag("store"),
  ...StoreName.fields,
  name: textUpTo(100),
  consentMode: Schema.Literals(consentModes),
  currency: maybe(textUpTo(3)),
  connectedAt: Moment
})

/** A webhook, without its secret. */
export const WebhookLine = Schema.Struct({
  kind: Schema.tag("webhook"),
  id: Id,
  url: textUpTo(2048),
  events: Schema.Array(textUpTo(100)),
  description: maybe(textUpTo(300)),
  status: Schema.Literals(["Active", "Stopped"]),
  stoppedReason: maybe(textUpTo(1000)),
  createdAt: Moment
})

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

const Value = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Array(Schema.String)])

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

/** An item of the catalogue. */
export const ItemLine = Schema.Struct({
  kind: Schema.tag("item"),
  /** The connected store it is of; null for the customer's own. */
  store: maybe(StoreName),
  source: Schema.Literals(itemSources),
  id: textUpTo(200),
  itemKind: Schema.Literals(itemKinds),
  name: textUpTo(300),
  description: maybe(textUpTo(10_000)),
  url: maybe(textUpTo(2000)),
  imageUrl: maybe(textUpTo(2000)),
  price: maybe(Amount),
  comparePrice: maybe(Amount),
  currency: maybe(textUpTo(3)),
  inStock: Schema.Boolean,
  stockQuantity: maybe(Stock),
  categories: Schema.Array(textUpTo(200)),
  attributes: Schema.Record(textUpTo(100), Value),
  active: Schema.Boolean,
  createdAt: Moment,
  updatedAt: maybe(Moment)
})

/** Any line. */
export const ArchiveLine = Schema.Union([
  HeaderLine,
  SettingsLine,
  TopicLine,
  FieldLine,
  SegmentLine,
  TemplateLine,
  StoreLine,
  WebhookLine,
  SuppressionLine,
  ContactLine,
  ItemLine
])

/** A line of an archive. */
export type ArchiveLine = typeof ArchiveLine.Type

/** The lines of one kind. */
export type LineOf<Kind extends ArchiveLine["kind"]> = Extract<ArchiveLine, { readonly kind: Kind }>

/** The kinds of lines that carry data, in the order an archive has them: what others name comes first. */
export const archiveKinds = [
  "settings",
  "topic",
  "field",
  "segment",
  "template",
  "store",
  "webhook",
  "suppression",
  "contact",
  "item"
] as const satisfies ReadonlyArray<ArchiveLine["kind"]>

/** A kind of line that carries data. */
export type ArchiveKind = (typeof archiveKinds)[number]

const decode = Schema.decodeUnknownResult(ArchiveLine, { onExcessProperty: "error" })

/** Reads a parsed line; null for what is none. Total: no value makes it fail otherwise. */
export const parseLine = (value: unknown): ArchiveLine | null => {
  const decoded = decode(value)
  return Result.isSuccess(decoded) ? decoded.success : null
}

/** A line as JSON has it. */
export const encodeLine: (line: ArchiveLine) => unknown = Schema.encodeSync(ArchiveLine, {
  disableChecks: true
})
