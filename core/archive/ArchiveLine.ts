/**
 * The lines of an account's archive: newline-delimited JSON, whose first line is the header. Archives contain no ids that are
 * specific to an installation: topics are named by key, connected stores by platform and domain. Timestamps are ISO 8601 in UTC.
 *
 * Included: settings, topics, contact fields, segments, templates, flows, connected stores and webhooks (without their secrets),
 * suppressed addresses, contacts with their consent, its history and proofs, and the catalogue.
 *
 * Not included: API keys, the keys of sending domains, secrets of webhooks and stores, and trigger tokens of flows, all of which
 * the new installation creates; emails, timelines, runs, orders, carts and the audit log, which are records of this installation;
 * and the keyed hashes of erased people, which only this installation can use.
 *
 * @module
 */
import { templateFormats } from "../model/Template.ts"
import { Result, Schema } from "effect"
import { defaultSettings } from "../model/Account.ts"
import { fieldTypes } from "../model/ContactField.ts"
import { flowStatuses } from "../model/Flow.ts"
import { itemKinds, itemSources } from "../model/Item.ts"
import { consentModes } from "../model/Store.ts"
import { webhookFields } from "../model/Webhook.ts"
import { ContactLine, SuppressionLine } from "./AudienceLines.ts"
import {
  Amount,
  Count,
  Email,
  Id,
  maybe,
  Timestamp,
  Stock,
  StoreName,
  stringUpTo,
  Value,
  Version
} from "./LineParts.ts"

/** The `format` of the header. */
export const archiveFormat = "svc-account"

/** The version of the format. A reader rejects any other version. */
export const archiveVersion = 1

const Sender = Schema.Struct({ email: Email, name: maybe(stringUpTo(100)) })
const Tracking = Schema.Struct({ opens: Schema.Boolean, clicks: Schema.Boolean })

/** The first line. */
export const HeaderLine = Schema.Struct({
  kind: Schema.tag("header"),
  format: Schema.Literal(archiveFormat),
  version: Schema.Literal(archiveVersion),
  accountId: Id,
  mode: Schema.Literals(["Live", "Sandbox"]),
  exportedAt: Timestamp
})

/** All settings of the account. */
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
  rateLimitPerMinute: Count,
  // Archives of earlier versions do not have these.
  reviewFirst: Schema.optionalKey(Count),
  preserveSigned: Schema.optionalKey(Schema.Boolean),
  trapLink: Schema.optionalKey(Schema.Boolean),
  standingHolds: Schema.optionalKey(Schema.Boolean),
  requireTls: Schema.optionalKey(Schema.Boolean),
  keepErased: Schema.optionalKey(Schema.Boolean),
  requestLogDays: Schema.optionalKey(Count),
  language: Schema.optionalKey(Schema.String),
  conversionWindowDays: Schema.optionalKey(Count),
  // Names relays, which archives do not contain.
  delivery: Schema.optionalKey(Schema.Null),
  // Belongs to the installation, not to the account.
  pools: Schema.optionalKey(Schema.Null),
  timeZone: Schema.optionalKey(Schema.String),
  timeZoneAttribute: maybe(Schema.String),
  quietHours: maybe(Schema.Struct({ from: Schema.String, to: Schema.String })),
  marketingCaps: Schema.optionalKey(Schema.Array(Schema.Struct({ emails: Count, days: Count }))),
  holdoutPercent: Schema.optionalKey(Count),
  transactionalReservePercent: Schema.optionalKey(Count),
  campaignTracking: Schema.optionalKey(Tracking),
  campaignApproval: Schema.optionalKey(Schema.Struct({ required: Schema.Boolean, above: Count })),
  testAddresses: Schema.optionalKey(Schema.Array(Schema.String)),
  archive: Schema.optionalKey(
    Schema.Struct({
      enabled: Schema.Boolean,
      title: Schema.NullOr(Schema.String),
      description: Schema.NullOr(Schema.String)
    })
  ),
  campaignLimits: Schema.optionalKey(
    Schema.Struct({
      complaintPercent: Schema.NullOr(Schema.Number),
      bouncePercent: Schema.NullOr(Schema.Number),
      renderFailurePercent: Schema.NullOr(Schema.Number)
    })
  )
} satisfies Record<keyof typeof defaultSettings | "kind", unknown>)

/** A topic; contacts refer to its key. */
export const TopicLine = Schema.Struct({
  kind: Schema.tag("topic"),
  id: Id,
  key: stringUpTo(40),
  name: stringUpTo(100),
  description: maybe(stringUpTo(300)),
  defaultOn: Schema.Boolean,
  isArchived: Schema.Boolean,
  createdAt: Timestamp
})

/** A contact field. */
export const FieldLine = Schema.Struct({
  kind: Schema.tag("field"),
  key: stringUpTo(40),
  label: stringUpTo(80),
  type: Schema.Literals(fieldTypes),
  description: maybe(stringUpTo(300)),
  createdFrom: Schema.Literals(["Ui", "Api", "Csv"]),
  createdAt: Timestamp,
  archivedAt: maybe(Timestamp)
})

/** A segment of the account's own. */
export const SegmentLine = Schema.Struct({
  kind: Schema.tag("segment"),
  id: Id,
  name: stringUpTo(200),
  description: maybe(stringUpTo(1000)),
  definition: Schema.Struct({
    join: Schema.String,
    rules: Schema.Array(
      Schema.Struct({ fieldKey: Schema.String, operator: Schema.String, value: Schema.Json })
    )
  }),
  createdAt: Timestamp
})

/** The source of a template, which the import compiles. */
export const TemplateLine = Schema.Struct({
  kind: Schema.tag("template"),
  id: Id,
  name: Schema.String,
  subject: Schema.String,
  format: maybe(Schema.Literals(templateFormats)),
  source: maybe(Schema.String),
  preheader: maybe(Schema.String),
  html: maybe(Schema.String),
  text: maybe(Schema.String),
  createdAt: Timestamp,
  updatedAt: Timestamp
})

/** `validateFlow` validates the definition; it accepts any value. */
const definition = {
  trigger: Schema.Unknown,
  stopEvents: Schema.Array(Schema.Unknown),
  steps: Schema.Array(Schema.Unknown)
}

/** A flow with its edited and its last published definition, without its trigger token. */
export const FlowLine = Schema.Struct({
  kind: Schema.tag("flow"),
  id: Id,
  name: stringUpTo(200),
  /** A Published flow is imported as Paused. */
  status: Schema.Literals(flowStatuses),
  ...definition,
  /** The version published last; null before the first. */
  published: maybe(Schema.Struct({ version: Version, ...definition })),
  createdAt: Timestamp,
  updatedAt: Timestamp
})

/** A connected store, without its token and secret. */
export const StoreLine = Schema.Struct({
  kind: Schema.tag("store"),
  ...StoreName.fields,
  name: stringUpTo(100),
  consentMode: Schema.Literals(consentModes),
  currency: maybe(stringUpTo(3)),
  connectedAt: Timestamp
})

/** A webhook, without its secret. */
export const WebhookLine = Schema.Struct({
  kind: Schema.tag("webhook"),
  id: Id,
  url: stringUpTo(2048),
  events: Schema.Array(stringUpTo(100)),
  // Archives of earlier versions have none.
  fields: Schema.optionalKey(Schema.Array(Schema.Literals(webhookFields))),
  description: maybe(stringUpTo(300)),
  status: Schema.Literals(["Active", "Stopped"]),
  stoppedReason: maybe(stringUpTo(1000)),
  createdAt: Timestamp
})

/** An item of the catalogue. */
export const ItemLine = Schema.Struct({
  kind: Schema.tag("item"),
  /** The connected store that owns it; null for the customer itself. */
  store: maybe(StoreName),
  source: Schema.Literals(itemSources),
  id: stringUpTo(200),
  itemKind: Schema.Literals(itemKinds),
  name: stringUpTo(300),
  description: maybe(stringUpTo(10_000)),
  url: maybe(stringUpTo(2000)),
  imageUrl: maybe(stringUpTo(2000)),
  price: maybe(Amount),
  comparePrice: maybe(Amount),
  currency: maybe(stringUpTo(3)),
  inStock: Schema.Boolean,
  stockQuantity: maybe(Stock),
  categories: Schema.Array(stringUpTo(200)),
  attributes: Schema.Record(stringUpTo(100), Value),
  active: Schema.Boolean,
  createdAt: Timestamp,
  updatedAt: maybe(Timestamp)
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

/** The kinds of lines except the header, in the order of an archive: lines follow those to which they refer. */
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

/** A kind of line except the header. */
export type ArchiveKind = (typeof archiveKinds)[number]

const decode = Schema.decodeUnknownResult(ArchiveLine, { onExcessProperty: "error" })

/** Decodes a parsed line; null if it is invalid. Never throws. */
export const parseLine = (value: unknown): ArchiveLine | null => {
  const decoded = decode(value)
  return Result.isSuccess(decoded) ? decoded.success : null
}

/** Encodes a line as a JSON value. */
export const encodeLine: (line: ArchiveLine) => unknown = Schema.encodeSync(ArchiveLine, {
  disableChecks: true
})
