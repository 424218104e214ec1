/**
 * The lines of an account's archive: a text of one JSON object a line, the first of which is its header. It names nothing
 * by an id that only one installation knows: topics go by key, connected stores by platform and domain. Moments are ISO
 * 8601 in UTC.
 *
 * What is in it: settings, topics, contact fields, segments, templates, flows, connected stores and webhooks (without
 * their secrets), suppressed addresses, contacts with their consent, its history and proofs, and the catalogue.
 *
 * What is not: API keys, the keys of sending domains, secrets of webhooks and stores, trigger tokens of flows (each is made
 * anew where it is used), emails, timelines, runs, orders, carts, the audit log (records of what this installation did),
 * and the traces of erased people, which are keyed hashes that only the installation can read which made them.
 *
 * @module
 */
import { Result, Schema } from "effect"
import { defaultSettings } from "../model/Account.ts"
import { fieldTypes } from "../model/ContactField.ts"
import { flowStatuses } from "../model/Flow.ts"
import { itemKinds, itemSources } from "../model/Item.ts"
import { consentModes } from "../model/Store.ts"
import { ContactLine, SuppressionLine } from "./AudienceLines.ts"
import {
  Amount,
  Count,
  Email,
  Id,
  maybe,
  Moment,
  Stock,
  StoreName,
  textUpTo,
  Value,
  Version
} from "./LineParts.ts"

/** What the header says the text is. */
export const archiveFormat = "svc-account"

/** The version of the format; a reader takes no other. */
export const archiveVersion = 1

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

/** What these may be is `checkFlow`'s to say, which no value overwhelms. */
const FlowContents = {
  trigger: Schema.Unknown,
  stopEvents: Schema.Array(Schema.Unknown),
  steps: Schema.Array(Schema.Unknown)
}

/** A flow as it is edited and as it was published last, without its trigger token. */
export const FlowLine = Schema.Struct({
  kind: Schema.tag("flow"),
  id: Id,
  name: textUpTo(200),
  /** A Published one is taken as Paused. */
  status: Schema.Literals(flowStatuses),
  ...FlowContents,
  /** The version published last; null before the first. */
  published: maybe(Schema.Struct({ version: Version, ...FlowContents })),
  createdAt: Moment,
  updatedAt: Moment
})

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
  FlowLine,
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
  "flow",
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
