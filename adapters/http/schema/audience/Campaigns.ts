/**
 * Defines the management endpoints of campaigns.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { approvalActions, maxApprovalComment, maxReason } from "../../../../core/campaigns/Campaigns.ts"
import { exportFormats } from "../../../../core/bulk/BulkActions.ts"
import { maxTestAddresses } from "../../../../core/campaigns/CampaignTrials.ts"
import { campaignPhases } from "../../../../core/campaigns/CampaignRules.ts"
import {
  maxAudienceSegments,
  maxCampaignName,
  maxCampaignTag,
  maxCampaignTags,
  maxHoldout
} from "../../../../core/campaigns/CampaignWrite.ts"
import {
  approvalStates,
  campaignStatuses,
  copyTargets,
  lateChoices,
  paceUnits,
  pauseReasons,
  quietChoices,
  recipientReasons,
  recipientStates,
  retryChoices,
  testDecisions,
  testMetrics,
  undecidedChoices,
  variantIds
} from "../../../../core/model/Campaign.ts"
import { deliveryReasons, deliveryStatuses } from "../../../../core/model/DeliveryStatus.ts"
import { visitedBy } from "../../../../core/model/Visit.ts"
import { breakdownCounts, breakdowns } from "../../../../core/ports/CampaignStore.ts"
import { conditional, editedFields } from "../Conditional.ts"
import { envelope, IsExpensive, maybe, OptionalBody } from "../Envelope.ts"
import { email, id, listUpTo, oneOf, textUpTo, timestamp, timestampWithOffset } from "../Fields.ts"
import {
  anyOf,
  byId,
  byTime,
  listing,
  listOf,
  search,
  instant,
  sortedListing,
  timeRange,
  trueOrFalse
} from "../Lists.ts"
import { ContactShape } from "../public/Contacts.ts"
import { confirmed, confirmedByBody, requiring } from "../Requirements.ts"
import { ExplanationShape } from "./Explain.ts"
import { countsBy, VisitorsShape } from "../management/Stats.ts"
import { JobShape } from "./Jobs.ts"
import { accountPath, resourcePath } from "../management/Path.ts"

const mailbox = Schema.Union([
  Schema.String,
  Schema.Struct({ email: Schema.String, name: maybe(Schema.String) })
])

const audienceShape = Schema.Struct({
  segments: listUpTo(Schema.String, maxAudienceSegments).annotate({
    description: "Ids of segments: people in any of them"
  }),
  exclude: listUpTo(Schema.String, maxAudienceSegments).annotate({
    description: "Ids of segments: people in none of them"
  })
})

/** Fields that a request omits do not change. */
const writtenAudience = Schema.Struct({
  segments: Schema.optionalKey(audienceShape.fields.segments),
  exclude: Schema.optionalKey(audienceShape.fields.exclude)
})

const trackingShape = Schema.Struct({ opens: Schema.Boolean, clicks: Schema.Boolean })

const plainContent = {
  templateId: maybe(Schema.String),
  templateVersion: maybe(Schema.Int),
  subject: maybe(Schema.String),
  preheader: maybe(Schema.String),
  html: maybe(Schema.String),
  text: maybe(Schema.String)
}

const contentShape = Schema.Struct({
  ...plainContent,
  languages: maybe(
    Schema.Record(Schema.String, Schema.Struct(plainContent)).annotate({
      description: "The same for people of other languages, by the tag of the language (BCP 47)"
    })
  )
})

const positive = Schema.Int.annotate({ minimum: 1 })

const hoursShape = { from: Schema.String, to: Schema.String }

const writable = {
  content: Schema.optionalKey(
    Schema.NullOr(contentShape).annotate({
      description: "A template, the newest version unless one is named, or a subject with html or text"
    })
  ),
  test: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        variants: Schema.Array(
          Schema.Struct({
            id: Schema.String,
            name: maybe(Schema.String),
            content: contentShape,
            from: Schema.optionalKey(Schema.NullOr(mailbox))
          })
        ),
        share: Schema.Number,
        metric: maybe(oneOf(testMetrics, "What variants are compared by; Clicks unless given")),
        after: maybe(Schema.String.annotate({ description: "PT1H to P7D; PT4H unless given" })),
        decide: maybe(oneOf(testDecisions, "Auto unless given")),
        confidence: maybe(Schema.Number),
        undecided: maybe(
          oneOf(undecidedChoices, "Where chance may have made the difference; First unless given")
        )
      })
    ).annotate({ description: "Variants in place of content, compared by a part of the audience" })
  ),
  utm: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        source: Schema.String,
        medium: Schema.String,
        campaign: Schema.String,
        term: maybe(Schema.String),
        content: maybe(Schema.String)
      })
    ).annotate({ description: "Parameters that each link gets that does not have them" })
  ),
  pace: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({ emails: Schema.Number, per: oneOf(paceUnits, "The unit of time") })
    ).annotate({
      description: "The most emails in a unit of time, spread evenly over it"
    })
  ),
  window: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ ...hoursShape, days: maybe(Schema.Array(Schema.Number)) })).annotate({
      description: "Hours of the day, HH:MM, in each person's time zone, on days from 1 (Monday) to 7"
    })
  ),
  quietHours: Schema.optionalKey(oneOf(quietChoices, "Whether the account's quiet hours hold it")),
  whenCapped: Schema.optionalKey(
    Schema.Struct({
      action: oneOf(["Skip", "Wait"], "What follows over a frequency cap"),
      hours: maybe(Schema.Number)
    })
  ),
  from: Schema.optionalKey(
    Schema.NullOr(mailbox).annotate({ description: "Null for the account's default sender at launch" })
  ),
  replyTo: Schema.optionalKey(Schema.NullOr(mailbox)),
  topic: Schema.optionalKey(
    Schema.NullOr(Schema.String).annotate({
      description: "The key of a topic; null where consent alone decides"
    })
  ),
  audience: Schema.optionalKey(writtenAudience),
  schedule: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        at: maybe(timestampWithOffset),
        localTime: maybe(
          Schema.String.annotate({ description: "YYYY-MM-DDTHH:MM in each person's time zone" })
        ),
        late: maybe(oneOf(lateChoices, "Of people whose time has passed; SendNow unless given"))
      })
    ).annotate({ description: "Null for at launch" })
  ),
  tracking: Schema.optionalKey(
    Schema.NullOr(trackingShape).annotate({ description: "Null for the account's campaignTracking" })
  ),
  holdoutPercent: Schema.optionalKey(
    Schema.Int.annotate({
      minimum: 0,
      maximum: maxHoldout,
      description: "The percentage of people who do not get it, for comparison"
    })
  ),
  isArchived: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Whether lists leave it out unless they are asked for it" })
  ),
  archive: Schema.optionalKey(
    Schema.Struct({
      public: Schema.optionalKey(Schema.Boolean),
      slug: maybe(Schema.String.annotate({ description: "a-z, 0-9 and -; made of the name unless given" })),
      title: maybe(Schema.String.annotate({ description: "The subject unless given" })),
      summary: maybe(Schema.String)
    }).annotate({ description: "Whether and how the account's archive shows it once it is sent" })
  ),
  tags: Schema.optionalKey(listUpTo(textUpTo(maxCampaignTag), maxCampaignTags))
}

const counted = (names: ReadonlyArray<string>, description: string) =>
  Schema.Record(Schema.String, Schema.Int).annotate({ description: `${description}: ${names.join(", ")}` })

const countFields = {
  audience: Schema.Int.annotateKey({ description: "pending + submitted + skipped + heldOut + cancelled" }),
  pending: Schema.Int,
  submitted: Schema.Int,
  skipped: Schema.Int,
  heldOut: Schema.Int,
  cancelled: Schema.Int,
  skippedBy: counted(recipientReasons, "Those who were skipped, by reason"),
  emails: countsBy(deliveryStatuses).annotateKey({ description: "Emails by status" }),
  retrying: Schema.Int.annotateKey({ description: "Queued emails that wait for another attempt" }),
  softBounced: Schema.Int,
  opened: VisitorsShape.annotateKey({ description: "People by whether a person opened it, each once" }),
  clicked: VisitorsShape.annotateKey({ description: "The same of its links" }),
  complained: Schema.Int,
  unsubscribed: Schema.Int.annotateKey({
    description: "Number of people who unsubscribed with a link of the campaign"
  }),
  topicOff: Schema.Int.annotateKey({ description: "People who turned a topic off by a link of it" })
}

const amounts = Schema.Array(Schema.Struct({ currency: Schema.String, amount: Schema.String }))

const countsShape = Schema.Struct(countFields).annotate({ identifier: "CampaignCounts" })

const statsShape = Schema.Struct({
  ...countFields,
  conversions: Schema.Int.annotateKey({ description: "Orders that followed a click in one of its emails" }),
  revenue: amounts.annotateKey({ description: "Current value of these orders, by currency" }),
  refunded: amounts.annotateKey({
    description: "Value of the orders that were cancelled, refunded or failed, which revenue does not include"
  }),
  holdout: Schema.NullOr(
    Schema.Struct({
      people: Schema.Int,
      conversions: Schema.Int.annotateKey({
        description: "Orders of those left out within the conversion window after that"
      }),
      revenue: amounts,
      lift: Schema.NullOr(
        Schema.Struct({ value: Schema.Number, from: Schema.Number, to: Schema.Number })
      ).annotateKey({
        description:
          "How many more orders a person placed who got it, as a share, and its interval at 95 %; null below 100 orders of both"
      })
    })
  ).annotateKey({ description: "People left out for comparison; null in lists" }),
  countedAt: timestamp
}).annotate({ identifier: "CampaignStats" })

const actorShape = Schema.Struct({
  kind: Schema.String,
  id: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String)
})

const progressShape = Schema.Struct({
  phase: Schema.NullOr(Schema.Literals(campaignPhases)),
  done: Schema.Int.annotateKey({ description: "Number of people in the audience who were decided on" }),
  of: Schema.Int.annotateKey({ description: "The audience, as far as it is read" }),
  perMinute: Schema.Int.annotateKey({
    description: "Number of people who were decided on in the last minute"
  }),
  etaAt: Schema.NullOr(timestamp).annotateKey({
    description: "When the last one is decided at this rate; null while that is not known"
  }),
  nextAt: Schema.NullOr(timestamp).annotateKey({
    description: "When the next of those who are pending is due; null where none is"
  }),
  waiting: Schema.Array(
    Schema.Struct({
      reason: Schema.NullOr(Schema.String).annotateKey({
        description: "Reason of a recipient or an email; null for the time given by the schedule"
      }),
      count: Schema.Int,
      until: Schema.NullOr(timestamp).annotateKey({
        description: "When the first of them go on; null where that is not known"
      })
    })
  ).annotateKey({ description: "What people who have not got the email wait for, most frequent first" })
}).annotate({ identifier: "CampaignProgress" })

const CampaignShape = Schema.Struct({
  id,
  name: Schema.String,
  status: Schema.Literals(campaignStatuses),
  statusReason: Schema.NullOr(Schema.Literals(pauseReasons)),
  statusAt: timestamp,
  phase: Schema.NullOr(Schema.Literals(campaignPhases)).annotateKey({
    description: "What a campaign that is Sending does; in lists only Deciding, otherwise null"
  }),
  progress: Schema.NullOr(progressShape).annotateKey({ description: "Null in lists" }),
  version: Schema.Int,
  content: Schema.NullOr(Schema.Unknown),
  test: Schema.NullOr(Schema.Unknown),
  winner: Schema.NullOr(Schema.Literals(variantIds)),
  utm: Schema.NullOr(Schema.Unknown),
  pace: Schema.NullOr(Schema.Unknown),
  window: Schema.NullOr(Schema.Unknown),
  quietHours: Schema.Literals(quietChoices),
  whenCapped: Schema.Unknown,
  from: Schema.NullOr(Schema.Struct({ email, name: Schema.NullOr(Schema.String) })),
  replyTo: Schema.NullOr(Schema.Struct({ email, name: Schema.NullOr(Schema.String) })),
  topic: Schema.NullOr(Schema.String),
  audience: audienceShape,
  schedule: Schema.NullOr(Schema.Unknown),
  tracking: Schema.NullOr(trackingShape),
  holdoutPercent: Schema.Int,
  archive: Schema.Struct({
    public: Schema.Boolean,
    slug: Schema.NullOr(Schema.String),
    title: Schema.NullOr(Schema.String),
    summary: Schema.NullOr(Schema.String)
  }),
  isArchived: Schema.Boolean,
  tags: Schema.Array(Schema.String),
  startAt: Schema.NullOr(timestamp),
  launchedAt: Schema.NullOr(timestamp),
  isUnsubscribingReported: Schema.Boolean.annotateKey({
    description:
      "Whether 2 % or more of at least 1,000 people to whom it was delivered unsubscribed by it, as was reported"
  }),
  approval: Schema.Struct({
    state: Schema.Literals(approvalStates),
    by: Schema.NullOr(actorShape),
    at: Schema.NullOr(timestamp),
    comment: Schema.NullOr(Schema.String)
  }).annotateKey({ description: "Voided by a change. NotNeeded unless campaignApproval requires one" }),
  stats: statsShape,
  createdAt: timestamp,
  createdBy: actorShape,
  ...editedFields
}).annotate({ identifier: "Campaign" })

const RecipientShape = Schema.Struct({
  contactId: id,
  email: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String),
  state: Schema.Literals(recipientStates),
  reason: Schema.NullOr(Schema.Literals(recipientReasons)),
  status: Schema.NullOr(Schema.Literals(deliveryStatuses)),
  statusReason: Schema.NullOr(Schema.Literals(deliveryReasons)),
  variantId: Schema.NullOr(Schema.Literals(variantIds)),
  version: Schema.NullOr(Schema.Int),
  dueAt: timestamp,
  decidedAt: Schema.NullOr(timestamp),
  submittedAt: Schema.NullOr(timestamp),
  messageId: Schema.NullOr(id),
  openedAt: Schema.NullOr(timestamp),
  openedBy: Schema.Literals(visitedBy).annotateKey({ description: "None also of who got no email" }),
  clickedAt: Schema.NullOr(timestamp),
  clickedBy: Schema.Literals(visitedBy),
  links: Schema.Array(Schema.Int).annotateKey({
    description: "The numbers of the links that were clicked, as `links` of the campaign has them"
  }),
  conversions: Schema.Int.annotateKey({ description: "Orders that followed a click in the email" }),
  unsubscribedAt: Schema.NullOr(timestamp).annotateKey({
    description: "When the person unsubscribed with a link of the email"
  }),
  renderError: Schema.NullOr(
    Schema.Struct({
      code: Schema.String,
      line: Schema.NullOr(Schema.Int),
      column: Schema.NullOr(Schema.Int)
    })
  ).annotateKey({ description: "Why the content did not render for one who was skipped for that" })
}).annotate({ identifier: "CampaignRecipient" })

const ExplainedRecipientShape = Schema.Struct({
  ...RecipientShape.fields,
  explanation: ExplanationShape
}).annotate({ identifier: "ExplainedCampaignRecipient" })

/** The filters of recipients. Filters about emails omit recipients without an email. */
const listedRecipients = {
  state: anyOf(Schema.Literals(recipientStates)),
  reason: anyOf(Schema.Literals(recipientReasons)),
  variant: anyOf(Schema.Literals(variantIds)),
  version: anyOf(positive),
  status: anyOf(Schema.Literals(deliveryStatuses), "Status of the email"),
  opened: anyOf(Schema.Literals(visitedBy), "Who opened it; None where none did"),
  clicked: anyOf(Schema.Literals(visitedBy), "Who clicked a link of it; None where none did"),
  link: anyOf(positive, "The number of a link that was clicked"),
  converted: trueOrFalse("Whether an order followed a click in the email"),
  unsubscribed: trueOrFalse("Whether the person unsubscribed by a link of the email")
}

const findingShape = Schema.Struct({
  code: Schema.String,
  severity: Schema.Literals(["Error", "Warning"]),
  field: Schema.NullOr(Schema.String),
  message: Schema.String,
  count: Schema.NullOr(Schema.Int)
})

const previewed = { contactId: maybe(Schema.String), variantId: maybe(Schema.String) }

const previewShape = Schema.Struct({
  subject: Schema.NullOr(Schema.String),
  preheader: Schema.NullOr(Schema.String),
  html: Schema.NullOr(Schema.String),
  text: Schema.NullOr(Schema.String),
  links: Schema.Array(
    Schema.Struct({ number: Schema.NullOr(Schema.Int), url: Schema.NullOr(Schema.String) })
  ).annotateKey({ description: "The links that are tracked, as they are written" }),
  bytes: Schema.Int.annotateKey({ description: "Size of html and text in UTF-8" }),
  problems: Schema.Array(
    Schema.Struct({
      code: Schema.String,
      field: Schema.NullOr(Schema.String),
      message: Schema.String,
      line: Schema.NullOr(Schema.Union([Schema.Int, Schema.String])),
      column: Schema.NullOr(Schema.Union([Schema.Int, Schema.String]))
    })
  )
}).annotate({ identifier: "CampaignPreview" })

const versionShape = Schema.Struct({
  version: Schema.Int,
  name: Schema.String,
  subject: Schema.String,
  preheader: Schema.NullOr(Schema.String),
  html: Schema.NullOr(Schema.String),
  text: Schema.NullOr(Schema.String),
  parts: Schema.Array(Schema.Unknown).annotateKey({
    description: "The content of each variant and language"
  }),
  from: Schema.Struct({ email, name: Schema.NullOr(Schema.String) }),
  replyTo: Schema.NullOr(Schema.Struct({ email, name: Schema.NullOr(Schema.String) })),
  tracking: trackingShape,
  utm: Schema.NullOr(Schema.Unknown),
  createdAt: timestamp,
  createdBy: actorShape,
  received: Schema.Int.annotateKey({ description: "Number of people who got it" })
}).annotate({ identifier: "CampaignVersion" })

const linkShape = Schema.Struct({
  number: Schema.NullOr(Schema.Int).annotateKey({
    description: "In the order of the content; null for all links that are not written in it"
  }),
  variantId: Schema.NullOr(Schema.Literals(variantIds)),
  url: Schema.NullOr(Schema.String).annotateKey({ description: "The URL as written, with its Liquid" }),
  text: Schema.NullOr(Schema.String).annotateKey({ description: "Its text as it is written, on one line" }),
  people: Schema.Struct({ human: Schema.Int, unknown: Schema.Int, machine: Schema.Int }).annotateKey({
    description: "Number of people who clicked it"
  }),
  clicks: Schema.Int.annotateKey({ description: "All clicks, those of machines too" }),
  firstAt: Schema.NullOr(timestamp),
  lastAt: Schema.NullOr(timestamp)
}).annotate({ identifier: "CampaignLink" })

const breakdownShape = Schema.Struct({
  key: Schema.NullOr(Schema.String),
  ...Object.fromEntries(breakdownCounts.map((name) => [name, Schema.Int]))
} as { readonly key: Schema.NullOr<typeof Schema.String> } & Record<
  (typeof breakdownCounts)[number],
  typeof Schema.Int
>)

const shown = { params: resourcePath, success: envelope(CampaignShape) }
const change = { ...shown, headers: conditional }
const explained = {
  ...change,
  payload: Schema.Struct({
    reason: maybe(textUpTo(maxReason)).annotateKey({ description: "Kept in the history and the audit log" })
  })
}
const path = "/accounts/:accountId/campaigns"

/** The routes of campaigns. */
export class CampaignsGroup extends HttpApiGroup.make("campaigns")
  .add(
    HttpApiEndpoint.post("create", path, {
      params: accountPath,
      payload: Schema.Struct({ name: textUpTo(maxCampaignName), ...writable }),
      success: envelope(CampaignShape)
    }),
    HttpApiEndpoint.post("audience", `${path}/audience`, {
      params: accountPath,
      payload: Schema.Struct({
        audience: writtenAudience,
        topic: writable.topic,
        whenCapped: writable.whenCapped,
        holdoutPercent: writable.holdoutPercent,
        schedule: writable.schedule
      }),
      success: envelope(
        Schema.Struct({
          count: Schema.Int,
          reachable: Schema.Int,
          by: Schema.Record(Schema.String, Schema.Int).annotateKey({
            description: "The others by the reason they would have as recipients"
          }),
          zones: Schema.Array(
            Schema.Struct({ zone: Schema.String, count: Schema.Int, at: Schema.NullOr(timestamp) })
          ).annotateKey({ description: "All of them by time zone, with when a local time is there" }),
          sample: Schema.Array(ContactShape)
        })
      )
    }).annotate(OpenApi.Summary, "Count the people of an audience; the sample with contacts:read"),
    HttpApiEndpoint.get("list", path, {
      params: accountPath,
      query: {
        ...sortedListing({ time: byTime, updated: byTime, started: byTime, name: ["Text", "Id"] }, "-time"),
        ...timeRange,
        status: anyOf(Schema.Literals(campaignStatuses)),
        isArchived: trueOrFalse("true for those that are archived alone, which are left out else"),
        approval: Schema.optionalKey(
          Schema.Literals(["Requested"]).annotate({
            description: "Drafts and paused campaigns that wait for an approval"
          })
        ),
        currentSince: instant(
          "Those that are being sent, paused or waiting for an approval, and those sent at this time or later"
        ),
        tag: anyOf(Schema.String),
        topic: anyOf(Schema.String, "The key of a topic"),
        segment: anyOf(Schema.String, "Id of a segment that it includes"),
        q: search("A part of the name, or of a subject of its own")
      },
      success: envelope(listOf(CampaignShape))
    }),
    HttpApiEndpoint.get("compare", `${path}/compare`, {
      params: accountPath,
      query: {
        ids: Schema.String.annotate({ description: "Ids of 2 to 10 campaigns, with commas between" })
      },
      success: envelope(
        Schema.Array(
          Schema.Struct({
            id,
            name: Schema.String,
            status: Schema.Literals(campaignStatuses),
            stats: statsShape
          })
        )
      )
    }).annotate(OpenApi.Summary, "Show campaigns' numbers side by side"),
    HttpApiEndpoint.get("get", `${path}/:id`, shown),
    HttpApiEndpoint.patch("update", `${path}/:id`, {
      ...change,
      payload: Schema.Struct({ name: Schema.optionalKey(textUpTo(maxCampaignName)), ...writable })
    }),
    HttpApiEndpoint.delete("remove", `${path}/:id`, {
      params: resourcePath,
      headers: conditional,
      success: envelope(Schema.Null)
    }).annotate(OpenApi.Summary, "Delete a draft, or a cancelled campaign that was sent to no one"),
    HttpApiEndpoint.post("copy", `${path}/:id/copy`, {
      ...shown,
      payload: Schema.Struct({
        name: Schema.optionalKey(textUpTo(maxCampaignName)),
        to: Schema.optionalKey(oneOf(copyTargets, "Whom it is for, by what became of the campaign"))
      })
    }).annotate(OpenApi.Summary, "Copy a campaign, for the same people or those it did not reach"),
    HttpApiEndpoint.post("check", `${path}/:id/check`, {
      params: resourcePath,
      success: envelope(
        Schema.Struct({
          canLaunch: Schema.Boolean,
          recipients: Schema.Int,
          findings: Schema.Array(findingShape),
          estimate: Schema.Struct({
            recipients: Schema.Int,
            seconds: Schema.Int,
            days: Schema.Int
          }).annotateKey({
            description:
              "How many people it would reach now, and how long that takes at its pace and the daily limit"
          })
        })
      )
    }).annotate(OpenApi.Summary, "Find what prevents a launch"),
    HttpApiEndpoint.post("preview", `${path}/:id/preview`, {
      params: resourcePath,
      payload: Schema.Struct(previewed),
      success: envelope(previewShape)
    }).annotate(OpenApi.Summary, "Render a campaign for a contact; its links do not work"),
    HttpApiEndpoint.post("previewUnsaved", `${path}/preview`, {
      params: accountPath,
      payload: Schema.Struct({
        ...previewed,
        content: writable.content,
        test: writable.test,
        utm: writable.utm
      }),
      success: envelope(previewShape)
    }).annotate(OpenApi.Summary, "Render content that is not saved for a contact; its links do not work"),
    HttpApiEndpoint.post("test", `${path}/:id/test`, {
      params: resourcePath,
      payload: Schema.Struct({
        to: listUpTo(Schema.String, maxTestAddresses),
        contactId: maybe(Schema.String),
        variantId: maybe(Schema.String)
      }),
      success: envelope(
        Schema.Struct({
          sent: Schema.Array(Schema.String),
          refused: Schema.Array(Schema.Struct({ email: Schema.String, reason: Schema.String }))
        })
      )
    }).annotate(OpenApi.Summary, "Send a test to addresses of members, or of testAddresses"),
    HttpApiEndpoint.post("approval", `${path}/:id/approval`, {
      ...change,
      payload: Schema.Struct({
        action: oneOf(approvalActions, "Request with campaigns:write, the others with campaigns:send"),
        comment: maybe(textUpTo(maxApprovalComment))
      })
    }).annotate(OpenApi.Summary, "Request, give or refuse the approval of a campaign"),
    HttpApiEndpoint.post("winner", `${path}/:id/winner`, {
      ...change,
      payload: Schema.Struct({ variantId: Schema.String })
    }).annotate(OpenApi.Summary, "Pick the variant that the rest of the audience gets"),
    HttpApiEndpoint.get("stats", `${path}/:id/stats`, {
      params: resourcePath,
      query: { by: Schema.optionalKey(Schema.Literals(breakdowns)) },
      success: envelope(Schema.Struct({ total: statsShape, items: Schema.Array(breakdownShape) }))
    }).annotate(OpenApi.Summary, "Count a campaign's emails by what tells them apart"),
    HttpApiEndpoint.get("links", `${path}/:id/links`, {
      params: resourcePath,
      query: { variant: Schema.optionalKey(Schema.Literals(variantIds)) },
      success: envelope(Schema.Array(linkShape))
    }).annotate(OpenApi.Summary, "Count the clicks of a campaign's links"),
    HttpApiEndpoint.get("versions", `${path}/:id/versions`, {
      params: resourcePath,
      success: envelope(Schema.Array(versionShape))
    }),
    HttpApiEndpoint.get("version", `${path}/:id/versions/:version`, {
      params: { ...resourcePath, version: Schema.String },
      success: envelope(versionShape)
    }),
    HttpApiEndpoint.get("history", `${path}/:id/history`, {
      params: resourcePath,
      success: envelope(
        Schema.Array(
          Schema.Struct({
            at: timestamp,
            from: Schema.NullOr(Schema.String),
            to: Schema.String,
            reason: Schema.NullOr(Schema.String),
            actor: actorShape
          })
        )
      )
    }).annotate(OpenApi.Summary, "List a campaign's transitions, newest first"),
    HttpApiEndpoint.post("launch", `${path}/:id/launch`, explained).annotate(OptionalBody, true),
    HttpApiEndpoint.post("unschedule", `${path}/:id/unschedule`, change),
    HttpApiEndpoint.post("pause", `${path}/:id/pause`, explained).annotate(OptionalBody, true),
    HttpApiEndpoint.post("resume", `${path}/:id/resume`, explained).annotate(OptionalBody, true),
    HttpApiEndpoint.post("cancel", `${path}/:id/cancel`, explained).annotate(OptionalBody, true),
    HttpApiEndpoint.post("retry", `${path}/:id/retry`, {
      params: resourcePath,
      headers: conditional,
      payload: Schema.Struct({
        what: listUpTo(oneOf(retryChoices, "Content that did not render, email that no server accepted"), 2)
      }),
      success: envelope(Schema.Struct({ recipients: Schema.Int }))
    }).annotate(OpenApi.Summary, "Send again to those whom it did not reach"),
    HttpApiEndpoint.post("export", `${path}/:id/recipients/export`, {
      params: resourcePath,
      payload: Schema.Struct({
        format: oneOf(exportFormats, "The format of the file"),
        ...listedRecipients,
        q: search("The beginning of the address")
      }),
      success: envelope(JobShape)
    }).annotate(OpenApi.Summary, "Export recipients by a job, whose report is the file"),
    HttpApiEndpoint.get("recipients", `${path}/:id/recipients`, {
      params: resourcePath,
      query: {
        ...listing(byId),
        ...listedRecipients,
        q: search("The beginning of the address")
      },
      success: envelope(listOf(RecipientShape))
    }).annotate(OpenApi.Summary, "List whom a campaign is for, with what became of each"),
    HttpApiEndpoint.get("recipient", `${path}/:id/recipients/:contactId`, {
      params: { ...resourcePath, contactId: Schema.String },
      success: envelope(ExplainedRecipientShape)
    }).annotate(OpenApi.Summary, "Show what became of a person, and why"),
    HttpApiEndpoint.post("recount", `${path}/:id/recount`, {
      params: resourcePath,
      success: envelope(Schema.Struct({ counters: countsShape, recount: countsShape, equal: Schema.Boolean }))
    }).annotate(OpenApi.Summary, "Compare the counts with those of the rows")
  )
  .annotateEndpoints(IsExpensive, true)
  .annotate(OpenApi.Title, "Campaigns")
  .pipe(
    requiring({
      create: "campaigns:write",
      audience: "campaigns:read",
      list: "campaigns:read",
      get: "campaigns:read",
      update: "campaigns:write",
      remove: "campaigns:write",
      copy: "campaigns:write",
      check: "campaigns:read",
      preview: "campaigns:read",
      previewUnsaved: "campaigns:read",
      test: "campaigns:write",
      approval: "campaigns:read",
      winner: "campaigns:send",
      stats: "campaigns:read",
      links: "campaigns:read",
      versions: "campaigns:read",
      version: "campaigns:read",
      history: "campaigns:read",
      compare: "campaigns:read",
      launch: confirmedByBody("campaigns:send"),
      unschedule: "campaigns:write",
      pause: "campaigns:send",
      resume: "campaigns:send",
      cancel: "campaigns:send",
      retry: "campaigns:send",
      export: confirmed("contacts:export"),
      recipients: "contacts:read",
      recipient: "contacts:read",
      recount: "campaigns:read"
    })
  ) {}
