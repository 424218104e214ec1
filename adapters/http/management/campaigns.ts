/**
 * Handles the management endpoints of campaigns.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { BulkJobs } from "../../../core/bulk/BulkJobs.ts"
import { type Finding, problemOf } from "../../../core/campaigns/CampaignChecks.ts"
import {
  approvalOf,
  audienceOf,
  type CampaignAction,
  type CampaignCounts,
  isDeciding,
  shownApproval
} from "../../../core/campaigns/CampaignRules.ts"
import {
  CampaignReports,
  type CampaignStats,
  type SentVersion
} from "../../../core/campaigns/CampaignReports.ts"
import { liftOf } from "../../../core/campaigns/HoldoutRules.ts"
import type { ShownProgress } from "../../../core/campaigns/ProgressRules.ts"
import { CampaignTrials } from "../../../core/campaigns/CampaignTrials.ts"
import type { CampaignLink } from "../../../core/campaigns/LinkRules.ts"
import {
  CampaignRecipients,
  type RecipientQuery,
  type ShownRecipient
} from "../../../core/campaigns/CampaignRecipients.ts"
import { type CampaignPreview, Campaigns, type ShownCampaign } from "../../../core/campaigns/Campaigns.ts"
import { Explain } from "../../../core/explain/Explain.ts"
import type { Account } from "../../../core/model/Account.ts"
import type { Actor } from "../../../core/model/Actor.ts"
import { type DeliveryStatus, deliveryStatuses } from "../../../core/model/DeliveryStatus.ts"
import type { VisitVerdict } from "../../../core/model/Visit.ts"
import type { ComparedOrders } from "../../../core/ports/ConversionStore.ts"
import type { Campaign, CampaignDefinition, CampaignSchedule } from "../../../core/model/Campaign.ts"
import { catalogue } from "../../../core/shared/Problem.ts"
import { rightsAt } from "../../../core/users/Caller.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import type { Caller } from "../edge/guard.ts"
import type { Among } from "../../../core/shared/Page.ts"
import { isTrue, listed } from "../edge/lists.ts"
import { managerOf, permit, requireConfirmation, targetOf } from "../edge/permit.ts"
import { encodeEdited, tagged } from "../edge/precondition.ts"
import { accepted, created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { encodeExplanation } from "../audience/explain.ts"
import { encodeJob } from "../audience/jobs.ts"
import { encodeContact } from "../public/contacts.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { type StatusName, statusName } from "../schema/management/Stats.ts"

/** A signed-in user must confirm a launch to more people than this. */
export const confirmedAbove = 10_000

const encodeVisitors = ({ Human, Machine, Unknown }: Readonly<Record<VisitVerdict, number>>) => ({
  human: Human,
  unknown: Unknown,
  machine: Machine
})

const encodeCounts = (counts: CampaignCounts) => ({
  audience: audienceOf(counts),
  pending: counts.recipients.Pending,
  submitted: counts.recipients.Submitted,
  skipped: counts.recipients.Skipped,
  heldOut: counts.recipients.HeldOut,
  cancelled: counts.recipients.Cancelled,
  skippedBy: { ...counts.skippedBy },
  emails: Object.fromEntries(
    deliveryStatuses.map((status) => [statusName(status), counts.emails[status]])
  ) as Record<StatusName<DeliveryStatus>, number>,
  retrying: counts.retrying,
  softBounced: counts.softBounced,
  opened: encodeVisitors(counts.opened),
  clicked: encodeVisitors(counts.clicked),
  complained: counts.complained,
  unsubscribed: counts.unsubscribed,
  topicOff: counts.topicOff
})

const encodeHoldout = (
  { recipients: { HeldOut, Submitted } }: CampaignCounts,
  { heldOut, sent }: ComparedOrders
) => ({
  people: HeldOut,
  conversions: heldOut.orders,
  revenue: heldOut.revenue,
  lift: liftOf({ people: Submitted, orders: sent.orders }, { people: HeldOut, orders: heldOut.orders })
})

const encodeStats = ({ compared, countedAt, counts, earnings }: CampaignStats) => ({
  ...encodeCounts(counts),
  conversions: earnings.conversions,
  revenue: earnings.revenue,
  refunded: earnings.lost,
  holdout: compared && encodeHoldout(counts, compared),
  countedAt: formatDateTime(countedAt)
})

const encodeProgress = ({ etaAt, nextAt, waiting, ...progress }: ShownProgress) => ({
  ...progress,
  etaAt: dateTimeOrNull(etaAt),
  nextAt: dateTimeOrNull(nextAt),
  waiting: waiting.map(({ count, reason, until }) => ({ reason, count, until: dateTimeOrNull(until) }))
})

const encodeSchedule = (schedule: CampaignSchedule | null) =>
  schedule !== null && "at" in schedule ? { at: formatDateTime(schedule.at) } : schedule

const encodeContent = ({ content, languages }: Pick<CampaignDefinition, "content" | "languages">) =>
  content === null || Object.keys(languages).length === 0 ? content : { ...content, languages }

const encodeApproval = (account: Account, campaign: Campaign) => {
  const { at, by, comment } = approvalOf(campaign)
  return { state: shownApproval(campaign, account), by, at: dateTimeOrNull(at), comment }
}

/** A campaign as it is read, with the fields that lists omit. */
export const encodeCampaign = (account: Account, { campaign, progress, ...stats }: ShownCampaign) => {
  const { definition } = campaign
  return {
    id: campaign.id,
    name: campaign.name,
    status: campaign.status,
    statusReason: campaign.statusReason,
    statusAt: formatDateTime(campaign.statusAt),
    phase: progress?.phase ?? null,
    progress: progress && encodeProgress(progress),
    version: campaign.version,
    content: encodeContent(definition),
    test: definition.test && {
      ...definition.test,
      variants: definition.test.variants.map((variant) => ({
        id: variant.id,
        name: variant.name,
        content: encodeContent(variant),
        from: variant.from
      }))
    },
    winner: campaign.test?.winner ?? null,
    utm: definition.utm,
    pace: definition.pace,
    window: definition.window,
    quietHours: definition.quietHours,
    whenCapped: definition.whenCapped,
    from: definition.from,
    replyTo: definition.replyTo,
    topic: definition.topic,
    audience: definition.audience,
    schedule: encodeSchedule(definition.schedule),
    tracking: definition.tracking,
    holdoutPercent: definition.holdoutPercent,
    archive: definition.archive,
    isArchived: definition.isArchived,
    tags: definition.tags,
    startAt: dateTimeOrNull(campaign.startAt),
    launchedAt: dateTimeOrNull(campaign.launchedAt),
    isUnsubscribingReported: campaign.baseline.isUnsubscribingReported === true,
    approval: encodeApproval(account, campaign),
    stats: encodeStats(stats),
    createdAt: formatDateTime(campaign.createdAt),
    createdBy: campaign.createdBy,
    ...encodeEdited(campaign)
  }
}

/** A campaign of a list, without its contents. */
const encodeListed = (account: Account) => (shown: ShownCampaign) => ({
  ...encodeCampaign(account, shown),
  phase: isDeciding(shown.campaign) ? ("Deciding" as const) : null,
  content: null,
  test: null
})

const encodeVersion = ({ received, version }: SentVersion) => ({
  version: version.version,
  name: version.name,
  subject: version.subject,
  preheader: version.preheader,
  html: version.html,
  text: version.text,
  parts: version.parts ?? [],
  from: version.from,
  replyTo: version.replyTo,
  tracking: version.tracking,
  utm: version.utm,
  createdAt: formatDateTime(version.createdAt),
  createdBy: version.createdBy,
  received
})

const encodeLink = ({ clicks, firstAt, lastAt, number, people, text, url, variant }: CampaignLink) => ({
  number,
  variantId: variant,
  url,
  text,
  people: { human: people.Human, unknown: people.Unknown, machine: people.Machine },
  clicks,
  firstAt: dateTimeOrNull(firstAt),
  lastAt: dateTimeOrNull(lastAt)
})

/** The recipient filters of a request. */
const toRecipientQuery = ({
  converted = null,
  unsubscribed = null,
  ...query
}: Omit<RecipientQuery, "isConverted" | "isUnsubscribed"> & {
  readonly converted?: Among<"false" | "true">
  readonly unsubscribed?: Among<"false" | "true">
}): RecipientQuery => ({
  ...query,
  isConverted: isTrue(converted),
  isUnsubscribed: isTrue(unsubscribed)
})

const encodeRecipient = ({
  clickedBy,
  contact,
  conversions,
  delivery,
  links,
  openedBy,
  recipient
}: ShownRecipient) => {
  const name = [contact?.firstName, contact?.lastName].filter((part) => part != null).join(" ")
  return {
    contactId: recipient.contactId,
    email: contact?.email ?? null,
    name: name === "" ? null : name,
    state: recipient.state,
    reason: recipient.reason,
    status: delivery?.status ?? null,
    statusReason: delivery?.reason ?? null,
    variantId: recipient.variant,
    version: recipient.version,
    dueAt: formatDateTime(recipient.dueAt),
    decidedAt: dateTimeOrNull(recipient.state === "Pending" ? null : recipient.decidedAt),
    submittedAt: dateTimeOrNull(recipient.state === "Submitted" ? recipient.decidedAt : null),
    messageId: delivery?.id ?? null,
    openedAt: dateTimeOrNull(delivery?.openedAt ?? null),
    openedBy,
    clickedAt: dateTimeOrNull(delivery?.clickedAt ?? null),
    clickedBy,
    links,
    conversions,
    unsubscribedAt: dateTimeOrNull(delivery?.unsubscribedAt ?? null),
    renderError: recipient.renderError
  }
}

const encodeFinding = ({ count, issue, severity }: Finding) => ({
  code: issue.code,
  severity,
  field: issue.field,
  message: catalogue[issue.code].message,
  count
})

const bytesOf = (text: string | null | undefined): number => new TextEncoder().encode(text ?? "").length

const encodePreview = ({ links, preheader, problems, rendered }: CampaignPreview) => ({
  subject: rendered?.subject ?? null,
  preheader,
  html: rendered?.html ?? null,
  text: rendered?.text ?? null,
  links,
  bytes: bytesOf(rendered?.html) + bytesOf(rendered?.text),
  problems: problems.map(({ code, field, params }) => ({
    code,
    field,
    message: catalogue[code].message,
    line: params?.["line"] ?? null,
    column: params?.["column"] ?? null
  }))
})

/** A reply that shows a campaign, with its ETag. */
const reply = (account: Account) => (shown: ShownCampaign) =>
  tagged(ok(encodeCampaign(account, shown)), shown.campaign)

/** Campaigns. */
export const campaignsRoutes = Effect.gen(function* () {
  const campaigns = yield* Campaigns
  const reports = yield* CampaignReports
  const trials = yield* CampaignTrials
  const jobs = yield* BulkJobs
  const explain = yield* Explain
  const recipients = yield* CampaignRecipients

  const act =
    (action: CampaignAction) =>
    ({
      account,
      actor,
      params,
      payload
    }: {
      readonly account: Account
      readonly actor: Actor
      readonly params: { readonly id: string }
      readonly payload: { readonly reason?: string | null | undefined } | null
    }) =>
      Effect.map(campaigns.act(account.id, params.id, action, actor, payload?.reason ?? null), reply(account))

  /** Whether the caller may read contacts, and so see the people themselves. */
  const mayReadContacts = Effect.fnUntraced(function* (caller: Caller, account: Account) {
    return rightsAt(yield* managerOf(caller), targetOf(account)).has("contacts:read")
  })

  return bind(ManagementApi.groups.campaigns, {
    create: Effect.fnUntraced(function* ({ account, actor, payload }) {
      const shown = yield* campaigns.create(account.id, payload, actor)
      return tagged(created(encodeCampaign(account, shown)), shown.campaign)
    }),
    audience: Effect.fnUntraced(function* ({ account, caller, payload }) {
      const { by, count, reachable, sample, zones } = yield* campaigns.audience(account, payload)
      const people = (yield* mayReadContacts(caller, account)) ? sample : []
      return ok({
        count,
        reachable,
        by,
        zones: zones.map((one) => ({ ...one, at: dateTimeOrNull(one.at) })),
        sample: people.map(encodeContact)
      })
    }),
    list: Effect.fnUntraced(function* ({ account, page, query }) {
      const { approval, isArchived, ...rest } = query
      const filter = {
        ...rest,
        isApprovalRequested: approval === "Requested",
        isArchived: isArchived === null ? false : isTrue(isArchived)
      }
      return ok(listed(page, yield* campaigns.list(account.id, filter, page), encodeListed(account)))
    }),
    get: Effect.fnUntraced(function* ({ account, params }) {
      return reply(account)(yield* campaigns.get(account.id, params.id))
    }),
    update: Effect.fnUntraced(function* ({ account, actor, params, payload }) {
      return reply(account)(yield* campaigns.change(account.id, params.id, payload, actor))
    }),
    remove: Effect.fnUntraced(function* ({ account, actor, params }) {
      yield* campaigns.remove(account.id, params.id, actor)
      return ok(null)
    }),
    copy: Effect.fnUntraced(function* ({ account, actor, params, payload }) {
      const shown = yield* campaigns.copy(account.id, params.id, payload, actor)
      return tagged(created(encodeCampaign(account, shown)), shown.campaign)
    }),
    check: Effect.fnUntraced(function* ({ account, actor, params }) {
      const check = yield* campaigns.check(account, params.id, actor)
      return ok({
        canLaunch: problemOf(check) === undefined,
        recipients: check.recipients,
        findings: check.findings.map(encodeFinding),
        estimate: check.estimate
      })
    }),
    preview: Effect.fnUntraced(function* ({ account, caller, params, payload }) {
      const contactId = payload.contactId ?? null
      if (contactId !== null) yield* permit(yield* managerOf(caller), "contacts:read", targetOf(account))
      const variantId = payload.variantId ?? null
      return ok(encodePreview(yield* campaigns.preview(account.id, params.id, contactId, variantId)))
    }),
    previewUnsaved: Effect.fnUntraced(function* ({ account, caller, payload }) {
      const { contactId = null, variantId = null, ...write } = payload
      if (contactId !== null) yield* permit(yield* managerOf(caller), "contacts:read", targetOf(account))
      return ok(encodePreview(yield* campaigns.previewUnsaved(account.id, write, contactId, variantId)))
    }),
    test: Effect.fnUntraced(function* ({ account, actor, caller, params, payload }) {
      const { contactId = null, to, variantId = null } = payload
      if (contactId !== null) yield* permit(yield* managerOf(caller), "contacts:read", targetOf(account))
      return accepted(yield* trials.send(account, params.id, { to, contactId, variantId }, actor))
    }),
    approval: Effect.fnUntraced(function* ({ account, actor, caller, params, payload }) {
      const { action, comment = null } = payload
      const right = action === "Request" ? "campaigns:write" : "campaigns:send"
      yield* permit(yield* managerOf(caller), right, targetOf(account))
      return reply(account)(yield* campaigns.approve(account.id, params.id, action, comment, actor))
    }),
    winner: Effect.fnUntraced(function* ({ account, actor, params, payload }) {
      return reply(account)(yield* campaigns.pickWinner(account.id, params.id, payload.variantId, actor))
    }),
    stats: Effect.fnUntraced(function* ({ account, params, query }) {
      const { items, ...stats } = yield* reports.stats(account.id, params.id, query.by ?? null)
      return ok({ total: encodeStats(stats), items })
    }),
    links: Effect.fnUntraced(function* ({ account, params, query }) {
      const links = yield* reports.links(account.id, params.id, query.variant ?? null)
      return ok(links.map(encodeLink))
    }),
    versions: Effect.fnUntraced(function* ({ account, params }) {
      return ok((yield* reports.versions(account.id, params.id)).map(encodeVersion))
    }),
    version: Effect.fnUntraced(function* ({ account, params }) {
      return ok(encodeVersion(yield* reports.version(account.id, params.id, Number(params.version))))
    }),
    history: Effect.fnUntraced(function* ({ account, params }) {
      const entries = yield* reports.history(account.id, params.id)
      return ok(
        entries.map(({ actor: { id, kind, name }, at, from, reason, to }) => ({
          at: formatDateTime(at),
          from,
          to,
          reason,
          actor: { kind, id, name }
        }))
      )
    }),
    compare: Effect.fnUntraced(function* ({ account, query }) {
      const found = yield* reports.compare(account.id, query.ids.split(","))
      return ok(
        found.map(({ campaign: { id, name, status }, ...stats }) => ({
          id,
          name,
          status,
          stats: encodeStats(stats)
        }))
      )
    }),
    launch: Effect.fnUntraced(function* ({ account, actor, caller, params, payload }) {
      const { campaign } = yield* campaigns.get(account.id, params.id)
      const { audience } = campaign.definition
      const manager = yield* managerOf(caller)
      // Only in a session, so that programs do not count the audience twice.
      if (manager._tag === "Session" && campaign.status === "Draft" && audience.segments.length > 0) {
        const check = yield* campaigns.check(account, params.id, actor)
        if (check.recipients > confirmedAbove) yield* requireConfirmation(manager)
      }
      return yield* act("launch")({ account, actor, params, payload })
    }),
    unschedule: act("unschedule"),
    pause: act("pause"),
    resume: act("resume"),
    cancel: act("cancel"),
    retry: Effect.fnUntraced(function* ({ account, actor, params, payload }) {
      return ok({ recipients: yield* campaigns.retry(account.id, params.id, payload.what, actor) })
    }),
    export: Effect.fnUntraced(function* ({ account, actor, caller, params, payload }) {
      yield* permit(yield* managerOf(caller), "campaigns:read", targetOf(account))
      const { format, ...query } = payload
      const filter = yield* recipients.filterOf(account.id, params.id, toRecipientQuery(query))
      const job = yield* jobs.exportRecipients(account.id, params.id, filter, format, actor)
      return accepted(encodeJob(yield* Clock.currentTimeMillis)(job))
    }),
    recipients: Effect.fnUntraced(function* ({ account, caller, page, params, query }) {
      yield* permit(yield* managerOf(caller), "campaigns:read", targetOf(account))
      const found = yield* recipients.list(account.id, params.id, toRecipientQuery(query), page)
      return ok(listed(page, found, encodeRecipient))
    }),
    recipient: Effect.fnUntraced(function* ({ account, caller, params }) {
      yield* permit(yield* managerOf(caller), "campaigns:read", targetOf(account))
      const shown = yield* recipients.get(account.id, params.id, params.contactId)
      const { campaignId, contactId } = shown.recipient
      const explanation = yield* explain.explain(account.id, contactId, { _tag: "Campaign", id: campaignId })
      return ok({ ...encodeRecipient(shown), explanation: encodeExplanation(explanation) })
    }),
    recount: Effect.fnUntraced(function* ({ account, params }) {
      const { counted, kept } = yield* campaigns.recount(account.id, params.id)
      const [counters, recount] = [encodeCounts(kept), encodeCounts(counted)]
      return ok({ counters, recount, equal: JSON.stringify(counters) === JSON.stringify(recount) })
    })
  })
})
