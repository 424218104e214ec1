/**
 * Defines the management endpoints of accounts, their settings and their audit log.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { conditional, editedFields } from "../Conditional.ts"
import { envelope, maybe } from "../Envelope.ts"
import { requiring } from "../Requirements.ts"
import { SenderShape } from "./Emails.ts"
import { accountPath } from "./Path.ts"

const TrackingShape = Schema.Struct({ opens: Schema.Boolean, clicks: Schema.Boolean })

const ways = Schema.Array(Schema.String.annotate({ description: "`Direct`, or `relay:` with a relay's id" }))
const HoursShape = Schema.Struct({ from: Schema.String, to: Schema.String })
const CapsShape = Schema.Array(Schema.Struct({ emails: Schema.Number, days: Schema.Number }))
const LimitsShape = Schema.Struct({
  complaintPercent: Schema.NullOr(Schema.Number),
  bouncePercent: Schema.NullOr(Schema.Number),
  renderFailurePercent: Schema.NullOr(Schema.Number)
})

const ApprovalShape = Schema.Struct({
  required: Schema.Boolean,
  above: Schema.Number.annotate({ description: "Campaigns for at most this many people need none" })
})

const PoolsShape = Schema.Struct({ transactional: Schema.String, marketing: Schema.String }).annotate({
  description: "The keys of the pools whose addresses mail leaves from"
})

const SettingsShape = Schema.Struct({
  autoCreateAttributes: Schema.Boolean,
  tracking: TrackingShape,
  flowTracking: TrackingShape,
  contactLimit: Schema.NullOr(Schema.Number),
  dailySendLimit: Schema.NullOr(Schema.Number),
  retentionDays: Schema.Number,
  recipientRetentionDays: Schema.Number,
  defaultSender: Schema.NullOr(SenderShape),
  conversionWindowDays: Schema.Number,
  preserveSigned: Schema.Boolean,
  rateLimitPerMinute: Schema.Number,
  reviewFirst: Schema.Number,
  trapLink: Schema.Boolean,
  standingHolds: Schema.Boolean,
  pools: PoolsShape,
  requireTls: Schema.Boolean,
  requestLogDays: Schema.Number,
  language: Schema.String,
  keepErased: Schema.Boolean,
  delivery: Schema.NullOr(
    Schema.Struct({ transactional: Schema.NullOr(ways), marketing: Schema.NullOr(ways) })
  ),
  timeZone: Schema.String,
  timeZoneAttribute: Schema.NullOr(Schema.String),
  quietHours: Schema.NullOr(HoursShape),
  marketingCaps: CapsShape,
  holdoutPercent: Schema.Number,
  transactionalReservePercent: Schema.Number,
  campaignTracking: TrackingShape,
  campaignLimits: LimitsShape,
  campaignApproval: ApprovalShape,
  testAddresses: Schema.Array(Schema.String),
  archive: Schema.Struct({
    enabled: Schema.Boolean,
    title: Schema.NullOr(Schema.String),
    description: Schema.NullOr(Schema.String),
    url: Schema.String.annotateKey({ description: "URL with which its pages begin" })
  })
}).annotate({ identifier: "Settings" })

const SettingsPatchShape = Schema.Struct({
  autoCreateAttributes: Schema.optionalKey(Schema.Boolean),
  tracking: Schema.optionalKey(TrackingShape),
  flowTracking: Schema.optionalKey(TrackingShape),
  contactLimit: maybe(Schema.Number),
  dailySendLimit: maybe(Schema.Number),
  retentionDays: Schema.optionalKey(Schema.Number),
  recipientRetentionDays: Schema.optionalKey(Schema.Number),
  defaultSender: maybe(Schema.Struct({ email: Schema.String, name: maybe(Schema.String) })),
  conversionWindowDays: Schema.optionalKey(Schema.Number),
  preserveSigned: Schema.optionalKey(Schema.Boolean),
  rateLimitPerMinute: Schema.optionalKey(Schema.Number),
  reviewFirst: Schema.optionalKey(Schema.Number),
  trapLink: Schema.optionalKey(Schema.Boolean),
  standingHolds: Schema.optionalKey(Schema.Boolean),
  pools: Schema.optionalKey(PoolsShape),
  requireTls: Schema.optionalKey(Schema.Boolean),
  requestLogDays: Schema.optionalKey(Schema.Number),
  language: Schema.optionalKey(Schema.String),
  keepErased: Schema.optionalKey(Schema.Boolean),
  delivery: maybe(Schema.Struct({ transactional: maybe(ways), marketing: maybe(ways) })),
  timeZone: Schema.optionalKey(Schema.String),
  timeZoneAttribute: maybe(Schema.String),
  quietHours: maybe(HoursShape),
  marketingCaps: Schema.optionalKey(CapsShape),
  holdoutPercent: Schema.optionalKey(Schema.Number),
  transactionalReservePercent: Schema.optionalKey(Schema.Number),
  campaignTracking: Schema.optionalKey(TrackingShape),
  campaignLimits: Schema.optionalKey(LimitsShape),
  campaignApproval: Schema.optionalKey(ApprovalShape),
  testAddresses: Schema.optionalKey(Schema.Array(Schema.String)),
  archive: Schema.optionalKey(
    Schema.Struct({
      enabled: Schema.Boolean,
      title: maybe(Schema.String),
      description: maybe(Schema.String),
      url: Schema.optionalKey(Schema.String).annotateKey({
        description: "Ignored, so that the settings can be sent as they were returned"
      })
    })
  )
}).annotate({ identifier: "SettingsPatch" })

const AccountShape = Schema.Struct({
  id: Schema.String,
  companyId: Schema.String,
  mode: Schema.Literals(["Live", "Sandbox"]),
  name: Schema.String,
  settings: SettingsShape,
  ...editedFields
}).annotate({ identifier: "Account" })

/** The routes of accounts. */
export class AccountsGroup extends HttpApiGroup.make("accounts")
  .add(
    HttpApiEndpoint.get("get", "/accounts/:accountId", {
      params: accountPath,
      success: envelope(AccountShape)
    }),
    HttpApiEndpoint.patch("changeSettings", "/accounts/:accountId/settings", {
      params: accountPath,
      headers: conditional,
      payload: SettingsPatchShape,
      success: envelope(SettingsShape)
    })
  )
  .pipe(
    requiring({
      get: "company:read",
      changeSettings: "settings:write"
    })
  ) {}
