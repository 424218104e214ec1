/**
 * The use cases of campaigns: write, check, launch, pause, resume and cancel them, and see whom they reached. `CampaignRun`
 * does the work in the background.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { Segments } from "../audience/segments/Segments.ts"
import { campaignJob, wakeCampaigns } from "../jobs/definitions/CampaignJobs.ts"
import { userMailJob } from "../jobs/definitions/UserMailJobs.ts"
import { builtOnce } from "../kernel/builtOnce.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import { expectUnedited } from "../kernel/Precondition.ts"
import { type Account, noAccount } from "../model/Account.ts"
import { type Actor, systemActor } from "../model/Actor.ts"
import {
  type ApprovalState,
  type Campaign,
  type CampaignApproval,
  type CampaignProgress,
  type CampaignVersion,
  type CopyTarget,
  copyTargets,
  emptyBaseline,
  emptyDefinition,
  maxCampaigns,
  maxSending,
  recipientReasons,
  retryChoices,
  retryMillis
} from "../model/Campaign.ts"
import type { DeliveryReason } from "../model/DeliveryStatus.ts"
import { type Contact, newContact } from "../model/Contact.ts"
import { editedBy, type Editor } from "../model/Edited.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { type CampaignFilter, CampaignStore } from "../ports/CampaignStore.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { TokenStore } from "../ports/TokenStore.ts"
import { TopicStore } from "../ports/TopicStore.ts"
import { CampaignContents, partOf, type RenderedCampaign } from "../sending/templates/CampaignContents.ts"
import { deepEqual, type Json } from "../shared/Json.ts"
import { maxPageSize, type Page, type PageRequest } from "../shared/Page.ts"
import { type Issue, Issues, Problem, type Unavailable } from "../shared/Problem.ts"
import { isUuid } from "../shared/Uuid.ts"
import { checkText, oneOf } from "../shared/Validate.ts"
import { CampaignAdvice, type CampaignEstimate } from "./CampaignAdvice.ts"
import { type CampaignLink, linksWithClicks, linkTools } from "./LinkRules.ts"
import { type CampaignCheck, CampaignChecks, problemOf } from "./CampaignChecks.ts"
import {
  approvalOf,
  audienceOf,
  baselineOf,
  type CampaignAction,
  type CampaignCounts,
  countsOf,
  decideAction,
  isAlwaysEditable,
  isChangeUnapproved,
  isEditable,
  isSameDivision,
  phaseOf,
  releasedBy
} from "./CampaignRules.ts"
import { CampaignReports, type CampaignStats } from "./CampaignReports.ts"
import { repaced, startOf } from "./CampaignSchedules.ts"
import { type ShownProgress, shownProgress } from "./ProgressRules.ts"
import { type AudienceReach, audienceReachOf } from "./ReachRules.ts"
import { type CampaignWrite, maxSlug, parseCampaign, slugOf } from "./CampaignWrite.ts"

/** A campaign as the API shows it. */
export interface ShownCampaign extends CampaignStats {
  readonly campaign: Campaign
  /** How far the campaign has got; null in lists. */
  readonly progress: ShownProgress | null
}

/** The people of an audience: how many there are, how many of them a campaign would reach, and some of them. */
export interface AudienceEstimate extends AudienceReach {
  /** The newest people of the audience. */
  readonly sample: ReadonlyArray<Contact>
}

/** The fields of a campaign that decide whom it is for. */
export type AudienceWrite = Pick<
  CampaignWrite,
  "audience" | "holdoutPercent" | "schedule" | "topic" | "whenCapped"
>

/** The rest of a preview that has no copy. */
const nothing = { rendered: null, preheader: null, links: [] } as const

/** The name of a campaign that is not stored. */
const unnamed = "campaign"

/** A rendered campaign with its problems. */
export interface CampaignPreview {
  readonly rendered: RenderedCampaign | null
  /** The rendered preheader; null if there is none. */
  readonly preheader: string | null
  /** The tracked links, as written in the content. */
  readonly links: ReadonlyArray<Pick<CampaignLink, "number" | "url">>
  readonly problems: ReadonlyArray<Issue>
}

/** The actions on the approval of a campaign. */
export const approvalActions = ["Request", "Approve", "Reject"] as const

/** An action on the approval of a campaign. */
type ApprovalAction = (typeof approvalActions)[number]

const approvalStateOf: Readonly<Record<ApprovalAction, ApprovalState>> = {
  Request: "Requested",
  Approve: "Approved",
  Reject: "Rejected"
}

/** The maximum number of characters of a comment on an approval. */
export const maxApprovalComment = 1_000

/** The maximum number of characters of the reason of a launch, pause, resume or cancel. */
export const maxReason = 1_000

/** The prefixes of the names of segments that a copy creates. */
const resendNames: Readonly<Record<Exclude<CopyTarget, "Same">, string>> = {
  NotOpened: "Did not open",
  NotClicked: "Did not click",
  NotSent: "Was sent"
}

/** The maximum number of recipients that one transaction makes Pending again. */
const retriedAtOnce = 5_000

/** The reasons of failed emails that no server accepted or rejected, so that they may be sent again. */
const undelivered: ReadonlyArray<DeliveryReason> = ["sending.retries_exhausted", "sending.held_too_long"]

/** The number of people that an estimate shows. */
const sampleSize = 10

type Failure = Problem | Unavailable

/** Manages the campaigns of accounts. */
export class Campaigns extends Context.Service<
  Campaigns,
  {
    /**
     * Creates a draft. Fails with the issues of `parseCampaign` and of its content, campaigns.segment_not_found and
     * campaigns.limit_reached.
     */
    readonly create: (
      accountId: string,
      write: CampaignWrite,
      actor: Actor
    ) => Effect.Effect<ShownCampaign, Failure>
    /** Lists an account's campaigns, newest first unless the page asks for another order. */
    readonly list: (
      accountId: string,
      filter: CampaignFilter,
      page: PageRequest
    ) => Effect.Effect<Page<ShownCampaign>, Unavailable>
    /** Returns a campaign. Fails with common.not_found. */
    readonly get: (accountId: string, id: string) => Effect.Effect<ShownCampaign, Failure>
    /**
     * Changes the given fields. A change to a paused campaign creates a new version for the people who have not got the
     * campaign yet. Fails as `create`, and with campaigns.not_editable of each field that the status does not allow. In a
     * paused campaign's test, only the content of the variants can be changed.
     */
    readonly change: (
      accountId: string,
      id: string,
      write: CampaignWrite,
      actor: Actor
    ) => Effect.Effect<ShownCampaign, Failure>
    /**
     * Deletes a draft, or a cancelled campaign that was sent to no one. Fails with common.not_found and
     * campaigns.status_conflict.
     */
    readonly remove: (accountId: string, id: string, actor: Actor) => Effect.Effect<void, Failure>
    /**
     * Creates a draft with the same definition, without its schedule. The audience of the copy uses a segment with a rule
     * about the campaign, which is created if the account does not have it yet. A copy for people who did not open or click
     * includes this segment: it has the people to whom the campaign was delivered. A copy for people to whom the campaign was
     * not sent excludes the segment of those to whom it was. Fails with common.not_found, validation.format of `to`,
     * campaigns.limit_reached, segments.limit_reached, and validation.max_length of the excluded segments.
     */
    readonly copy: (
      accountId: string,
      id: string,
      copied: { readonly name?: string; readonly to?: string },
      actor: Actor
    ) => Effect.Effect<ShownCampaign, Failure>
    /** Returns what prevents a launch now, warnings, and how long sending would take. Fails with common.not_found. */
    readonly check: (
      account: Account,
      id: string,
      actor: Actor
    ) => Effect.Effect<CampaignCheck & { readonly estimate: CampaignEstimate }, Failure>
    /**
     * Renders the campaign, or one of its variants, as a contact would get it now; without a contact, as a person about whom
     * nothing is stored. Fails with common.not_found, audience.contact_not_found and campaigns.variant_not_found.
     */
    readonly preview: (
      accountId: string,
      id: string,
      contactId: string | null,
      variantId?: string | null
    ) => Effect.Effect<CampaignPreview, Failure>
    /** As `preview`, for content that is not stored. Fails with the issues of `parseCampaign`. */
    readonly previewUnsaved: (
      accountId: string,
      write: CampaignWrite,
      contactId: string | null,
      variantId: string | null
    ) => Effect.Effect<CampaignPreview, Failure>
    /**
     * Returns the people whom an audience selects now, and how many of them a campaign would reach. Fails with the issues of
     * `parseCampaign`, campaigns.segment_not_found and campaigns.audience_required.
     */
    readonly audience: (account: Account, write: AudienceWrite) => Effect.Effect<AudienceEstimate, Failure>
    /**
     * Launches, unschedules, pauses, resumes or cancels a campaign. An action whose result already holds changes nothing. Once
     * a pause or a cancel has returned, no email of the campaign passes its last byte. The history and the audit log show the
     * reason.
     *
     * Fails with common.not_found and campaigns.status_conflict; a launch also with every error that a check finds; a launch
     * or a resume with campaigns.limit_reached; a resume after a change with campaigns.approval_required; and with
     * validation.max_length and validation.format of the reason.
     */
    readonly act: (
      accountId: string,
      id: string,
      action: CampaignAction,
      actor: Actor,
      reason?: string | null
    ) => Effect.Effect<ShownCampaign, Failure>
    /**
     * Requests, gives or rejects the approval of a campaign that is Draft or Paused. Fails with common.not_found,
     * campaigns.status_conflict, validation.format of the action, and validation.max_length of the comment; to approve also
     * with campaigns.approval_own, and with the errors that a check finds in a draft's content, sender or segments.
     */
    readonly approve: (
      accountId: string,
      id: string,
      action: string,
      comment: string | null,
      actor: Actor
    ) => Effect.Effect<ShownCampaign, Failure>
    /**
     * Makes recipients Pending again for whom the content did not render, or whose email no server accepted. A campaign that
     * is Sent becomes Sending again. Returns the number of recipients. Fails with common.not_found, validation.required and
     * validation.format of `what`, campaigns.limit_reached, and campaigns.status_conflict of a campaign that is neither
     * Sending, Paused, nor Sent in the last 7 days.
     */
    readonly retry: (
      accountId: string,
      id: string,
      what: ReadonlyArray<string>,
      actor: Actor
    ) => Effect.Effect<number, Failure>
    /**
     * Gives the rest of the audience a variant, before the test is decided or when a person is asked to decide it. Fails with
     * common.not_found, campaigns.variant_not_found, and campaigns.status_conflict of a campaign that is not Sending or
     * Paused, whose test is decided, or that has no test with a rest.
     */
    readonly pickWinner: (
      accountId: string,
      id: string,
      variantId: string,
      actor: Actor
    ) => Effect.Effect<ShownCampaign, Failure>
    /** Returns the stored counts of a campaign, and the counts computed from its rows now. Fails with common.not_found. */
    readonly recount: (
      accountId: string,
      id: string
    ) => Effect.Effect<{ readonly kept: CampaignCounts; readonly counted: CampaignCounts }, Failure>
  }
>()("svc/campaigns/Campaigns") {
  static readonly layer = Layer.effect(
    Campaigns,
    Effect.suspend(() => make)
  ).pipe(
    Layer.provide([
      CampaignAdvice.layer,
      CampaignChecks.layer,
      CampaignContents.layer,
      CampaignReports.layer,
      Segments.layer
    ]),
    builtOnce
  )
}

const editorOf = ({ id, kind, name }: Actor): Editor => ({ id, kind, name })

/** A campaign as the audit log shows it: without its content, which its versions have. */
const summaryOf = ({ definition, name, status, version }: Campaign): Json => {
  const { content: _content, ...rest } = definition
  return { name, status, version, ...(rest as unknown as Record<string, Json>) }
}

const make = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const atomically = yield* Atomically
  const advice = yield* CampaignAdvice
  const tools = yield* linkTools
  const checks = yield* CampaignChecks
  const contactStore = yield* ContactStore
  const contents = yield* CampaignContents
  const ids = yield* Ids
  const queue = yield* JobQueue
  const { record } = yield* AuditTrail
  const segments = yield* Segments
  const reports = yield* CampaignReports
  const store = yield* CampaignStore
  const tokens = yield* TokenStore
  const topics = yield* TopicStore

  const find = Effect.fnUntraced(function* (accountId: string, id: string) {
    const [campaign] = isUuid(id) ? yield* store.find(accountId, [id.toLowerCase()]) : []
    return campaign ?? (yield* Problem.of("common.not_found"))
  })

  const lock = Effect.fnUntraced(function* (accountId: string, id: string) {
    const campaign = isUuid(id) ? yield* store.lock(accountId, id.toLowerCase()) : null
    return campaign ?? (yield* Problem.of("common.not_found"))
  })

  const shown = Effect.fnUntraced(function* (campaign: Campaign) {
    const { accountId, id, status } = campaign
    const stats = yield* reports.statsOf(campaign)
    const { counts } = stats
    const isOpen = status === "Sending" || status === "Paused"
    const stored: CampaignProgress | null = isOpen ? yield* store.progress(accountId, id) : null
    const nextAt = isOpen ? yield* store.nextDueAt(accountId, id) : null
    const reasons = isOpen ? recipientReasons.filter((reason) => (counts.pendingBy[reason] ?? 0) > 0) : []
    const dueBy = yield* store.nextDueBy(accountId, id, reasons)
    const now = yield* Clock.currentTimeMillis
    const phase = phaseOf(campaign, stored, counts, nextAt, now)
    const progress = shownProgress({ campaign, progress: stored, counts, phase, nextAt, dueBy, now })
    return { campaign, ...stats, progress }
  })

  /** Rejects invalid content and segments. */
  const checkParts = Effect.fnUntraced(function* (accountId: string, definition: Campaign["definition"]) {
    if (definition.content !== null || definition.test !== null) yield* checks.partsOf(accountId, definition)
    yield* checks.documentsOf(accountId, definition.audience)
  })

  const limited = Effect.fnUntraced(function* (
    accountId: string,
    status: "Sending" | null,
    max: number
  ): Effect.fn.Return<void, Failure> {
    // If two calls are concurrent, the second counts the first.
    yield* accounts.lock([accountId])
    if ((yield* store.count(accountId, status)) >= max) {
      return yield* Problem.of("campaigns.limit_reached", null, { max })
    }
  })

  /** Returns the definition with a slug that no other campaign has. Fails with campaigns.slug_taken. Locks the account. */
  const withSlug = Effect.fnUntraced(function* (
    accountId: string,
    { id, name }: Pick<Campaign, "id" | "name">,
    definition: Campaign["definition"]
  ) {
    const { archive } = definition
    const isTaken = (slug: string) =>
      Effect.map(store.bySlug(accountId, slug), (found) => found !== null && found.id !== id)
    if (archive.slug !== null) {
      if (yield* isTaken(archive.slug)) return yield* Problem.of("campaigns.slug_taken", "archive.slug")
      return definition
    }
    if (!archive.public) return definition
    const short = slugOf(name)
    // The end of an id is random.
    const slug = (yield* isTaken(short)) ? `${short.slice(0, maxSlug - 13)}-${id.slice(-12)}` : short
    return { ...definition, archive: { ...archive, slug } }
  })

  const insert = Effect.fnUntraced(function* (
    accountId: string,
    name: string,
    definition: Campaign["definition"],
    actor: Actor
  ) {
    const now = yield* Clock.currentTimeMillis
    const id = yield* ids.next
    yield* limited(accountId, null, maxCampaigns)
    const campaign: Campaign = {
      id,
      accountId,
      name,
      status: "Draft",
      statusReason: null,
      statusAt: now,
      definition: yield* withSlug(accountId, { id, name }, definition),
      version: 0,
      startAt: null,
      launchedAt: null,
      baseline: emptyBaseline,
      test: null,
      approval: null,
      createdBy: editorOf(actor),
      createdAt: now,
      ...editedBy(actor, now)
    }
    yield* store.insert(campaign)
    yield* record(actor, {
      accountId,
      action: "campaign.created",
      target: campaign.id,
      before: null,
      after: summaryOf(campaign)
    })
    return campaign
  }, atomically)

  /** The audience of a copy, with the segment that its target needs. */
  const audienceFor = Effect.fnUntraced(function* (campaign: Campaign, target: CopyTarget, actor: Actor) {
    const { audience } = campaign.definition
    if (target === "Same") return audience
    const operator = target === "NotSent" ? "WasSent" : target
    const rule = { fieldKey: `campaigns.${campaign.id}`, operator, value: null }
    const write = {
      name: `${resendNames[target]}: ${campaign.name}`,
      definition: { join: "All", rules: [rule] }
    }
    const segment = yield* segments.require(campaign.accountId, write, actor)
    return target === "NotSent"
      ? { segments: audience.segments, exclude: [...audience.exclude, segment] }
      : { segments: [segment], exclude: audience.exclude }
  })

  /** Enqueues the campaign's job to run at a time. */
  const wake = ({ accountId, id }: Campaign, runAt: number) =>
    wakeCampaigns(queue, ids, accountId, [id], runAt)

  /** Stores a transition with its audit entry, and wakes the campaign's job. */
  const move = Effect.fnUntraced(function* (
    before: Campaign,
    change: Partial<Campaign>,
    actor: Actor,
    runAt: number,
    reason: string | null = null
  ) {
    const { accountId, id } = before
    const now = yield* Clock.currentTimeMillis
    const after: Campaign = {
      ...before,
      statusReason: null,
      statusAt: now,
      ...change,
      ...editedBy(actor, now, before)
    }
    yield* store.save(after)
    yield* record(actor, {
      accountId,
      action: "campaign.status_changed",
      target: id,
      before: { name: before.name, status: before.status },
      after: { name: after.name, status: after.status, reason: reason ?? after.statusReason }
    })
    yield* wake(after, runAt)
    return after
  })

  const conflict = ({ status }: Campaign) => Problem.of("campaigns.status_conflict", null, null, { status })

  /** Checks a launch or a resume. Fails with what prevents it, and returns the version that it creates. */
  const passed = Effect.fnUntraced(function* (campaign: Campaign, actor: Actor, isDue: boolean) {
    const check = yield* checks.check(campaign, editorOf(actor), isDue)
    const problem = problemOf(check)
    if (problem !== undefined) return yield* problem
    return check.version!
  })

  const launch = Effect.fnUntraced(function* (
    campaign: Campaign,
    version: CampaignVersion,
    actor: Actor,
    reason: string | null
  ) {
    const now = yield* Clock.currentTimeMillis
    const startAt = startOf(campaign.definition.schedule, now)
    // A campaign that starts later is counted when it starts.
    if (startAt <= now) yield* limited(campaign.accountId, "Sending", maxSending)
    else yield* accounts.lock([campaign.accountId])
    const number = campaign.version + 1
    const approval = approvalOf(campaign)
    yield* store.addVersion({ ...version, version: number })
    return yield* move(
      campaign,
      {
        status: startAt > now ? "Scheduled" : "Sending",
        version: number,
        startAt,
        launchedAt: now,
        baseline: emptyBaseline,
        test: null,
        approval: approval.state === "Approved" ? approval : { ...approval, state: "NotNeeded" }
      },
      actor,
      startAt,
      reason
    )
  })

  /** Whether a change made while the campaign was paused must be approved before a resume. */
  const lacksApproval = Effect.fnUntraced(function* (campaign: Campaign, counts: CampaignCounts) {
    const { accountId, id } = campaign
    const [account] = yield* accounts.find([accountId])
    const progress = yield* store.progress(accountId, id)
    const people = progress?.isComplete === true ? audienceOf(counts) : Infinity
    return account !== undefined && isChangeUnapproved(campaign, account, people)
  })

  /**
   * Whether an actor must not approve what an editor changed, because they are the same user or not known to be different
   * users.
   */
  const isOwnChange = Effect.fnUntraced(function* (actor: Actor, editor: Editor) {
    if (actor.kind !== "User" || actor.id === null) return true
    if (editor.kind === "User") return editor.id === actor.id
    // Personal tokens act for their user.
    const owner = { companyId: null, userId: actor.id }
    for (let page = 1; ; page++) {
      const { items } = yield* tokens.list(owner, { page, pageSize: maxPageSize })
      if (items.some(({ id }) => id === editor.id)) return true
      if (items.length < maxPageSize) return false
    }
  })

  const approve = Effect.fn("Campaigns.approve")(function* (
    accountId: string,
    id: string,
    wanted: string,
    given: string | null,
    actor: Actor
  ) {
    const issues = new Issues()
    const action = approvalActions.find((one) => one === wanted) ?? "Request"
    if (action !== wanted) {
      issues.add("validation.format", "action", null, { expected: oneOf(approvalActions) })
    }
    const text = checkText(given ?? "", "comment", maxApprovalComment, issues)
    const comment = (yield* Effect.fromResult(issues.result(text))) || null
    const seen = yield* find(accountId, id)
    // The check renders, so it runs outside the transaction. The transaction compares that the campaign is still what was
    // checked.
    const isChecked = action === "Approve" && seen.status === "Draft"
    const check = isChecked ? yield* checks.check(seen, editorOf(actor), false) : null
    if (check?.digest === null) return yield* problemOf(check)!
    const after = yield* atomically(
      Effect.gen(function* () {
        const campaign = yield* lock(accountId, id)
        const { status } = campaign
        if ((status !== "Draft" && status !== "Paused") || status !== seen.status) {
          return yield* conflict(campaign)
        }
        yield* expectUnedited(campaign)
        if (campaign.updatedAt !== seen.updatedAt) return yield* conflict(campaign)
        const before = approvalOf(campaign)
        if (action === "Approve" && (yield* isOwnChange(actor, before.editor))) {
          return yield* Problem.of("campaigns.approval_own")
        }
        const approval: CampaignApproval = {
          state: approvalStateOf[action],
          by: editorOf(actor),
          at: yield* Clock.currentTimeMillis,
          comment,
          digest: check?.digest ?? null,
          editor: before.editor
        }
        // This is not an edit of what is sent. The campaign keeps its tag, so that a caller can launch what was approved by
        // that tag.
        yield* store.save({ ...campaign, approval })
        if (action === "Request" && before.state !== "Requested") {
          yield* queue.enqueue([
            userMailJob.job({
              id: yield* ids.next,
              accountId: noAccount,
              payload: { kind: "ApprovalRequested", accountId, campaignId: campaign.id },
              runAt: approval.at!
            })
          ])
        }
        yield* record(actor, {
          accountId,
          action: "campaign.approval_changed",
          target: campaign.id,
          before: { name: campaign.name, approval: before.state },
          after: { name: campaign.name, approval: approval.state, comment }
        })
        return { ...campaign, approval }
      })
    )
    return yield* shown(after)
  })

  const act = Effect.fn("Campaigns.act")(function* (
    accountId: string,
    id: string,
    action: CampaignAction,
    actor: Actor,
    given: string | null = null
  ) {
    const issues = new Issues()
    const text = checkText(given ?? "", "reason", maxReason, issues)
    const reason = (yield* Effect.fromResult(issues.result(text))) || null
    const seen = yield* find(accountId, id)
    // The check renders, so it runs outside the transaction. The transaction compares the tag of what was checked.
    const isStarted =
      action === "launch" || (action === "resume" && seen.statusReason === "campaigns.check_failed")
    const wanted = isStarted && decideAction(action, seen.status, 0) === "Make"
    const version = wanted ? yield* passed(seen, actor, action === "resume") : null
    const after = yield* atomically(
      Effect.gen(function* () {
        const campaign = yield* lock(accountId, id)
        const counts = countsOf((yield* store.counts(accountId, [campaign.id]))[0]!)
        const decision = decideAction(action, campaign.status, counts.retrying)
        if (decision === "Holds") return campaign
        if (decision === "Conflict") return yield* conflict(campaign)
        yield* expectUnedited(campaign)
        const now = yield* Clock.currentTimeMillis
        switch (action) {
          case "launch":
            if (version === null || campaign.updatedAt !== seen.updatedAt) return yield* conflict(campaign)
            return yield* launch(campaign, version, actor, reason)
          case "unschedule":
            return yield* move(
              campaign,
              { status: "Draft", startAt: null, launchedAt: null, approval: reopened(campaign) },
              actor,
              now
            )
          case "pause":
            return yield* move(
              campaign,
              { status: "Paused", statusReason: "campaigns.paused_by_operator" },
              actor,
              now,
              reason
            )
          case "resume":
            if (yield* lacksApproval(campaign, counts))
              return yield* Problem.of("campaigns.approval_required")
            yield* limited(accountId, "Sending", maxSending)
            return yield* move(
              campaign,
              { status: "Sending", baseline: baselineOf(counts, campaign.baseline) },
              actor,
              now,
              reason
            )
          case "cancel":
            return yield* move(campaign, { status: "Cancelled" }, actor, now, reason)
        }
      })
    )
    return yield* shown(after)
  })

  const retry = Effect.fn("Campaigns.retry")(function* (
    accountId: string,
    id: string,
    what: ReadonlyArray<string>,
    actor: Actor
  ) {
    const issues = new Issues()
    if (what.length === 0) issues.add("validation.required", "what")
    for (const [index, one] of what.entries()) {
      if (retryChoices.every((known) => known !== one)) {
        issues.add("validation.format", `what[${index}]`, null, { expected: oneOf(retryChoices) })
      }
    }
    yield* Effect.fromResult(issues.result(null))
    const chosen = {
      isUnrendered: what.includes("RenderFailed"),
      reasons: what.includes("NotDelivered") ? undelivered : []
    }
    let [total, after]: [number, string | null] = [0, null]
    while (true) {
      const isFirst = total === 0
      // Each part has its own transaction, so that the campaign's batches do not wait longer.
      const retried: { readonly count: number; readonly last: string | null } = yield* atomically(
        Effect.gen(function* () {
          const campaign = yield* lock(accountId, id)
          const { status, statusAt } = campaign
          const now = yield* Clock.currentTimeMillis
          const isOpen =
            status === "Sending" ||
            status === "Paused" ||
            (status === "Sent" && now - statusAt <= retryMillis)
          if (!isOpen) return yield* conflict(campaign)
          if (isFirst) yield* expectUnedited(campaign)
          const counts = countsOf((yield* store.counts(accountId, [campaign.id]))[0]!)
          // Recipients of an earlier part may have been skipped again since.
          const part = yield* store.retry(accountId, campaign.id, chosen, after, retriedAtOnce, now)
          if (part.count === 0) return part
          if (status === "Sent") {
            yield* limited(accountId, "Sending", maxSending)
            yield* move(
              campaign,
              { status: "Sending", baseline: baselineOf(counts, campaign.baseline) },
              actor,
              now
            )
          } else if (status === "Sending") yield* wake(campaign, now)
          yield* record(actor, {
            accountId,
            action: "campaign.retried",
            target: campaign.id,
            before: null,
            after: { name: campaign.name, what: [...what], recipients: part.count }
          })
          return part
        })
      )
      total += retried.count
      after = retried.last
      if (retried.count < retriedAtOnce) return total
    }
  })

  /** Renders a campaign, stored or not, as a contact would get it. */
  const previewOf = Effect.fnUntraced(function* (
    accountId: string,
    campaign: Pick<Campaign, "createdBy" | "definition" | "id" | "name">,
    contactId: string | null,
    variantId: string | null
  ) {
    const { replyTo, test, utm } = campaign.definition
    const keys = { ids: [contactId?.toLowerCase() ?? ""], externalIds: [], emails: [] }
    const [contact] = contactId !== null && isUuid(contactId) ? yield* contactStore.find(accountId, keys) : []
    if (contactId !== null && contact?.erasedAt !== null) {
      return yield* Problem.of("audience.contact_not_found", "contactId")
    }
    const variants = test?.variants.map((one) => one.id) ?? []
    const variant = variantId === null ? (variants[0] ?? null) : variants.find((one) => one === variantId)
    if (variant === undefined) return yield* Problem.of("campaigns.variant_not_found", "variantId")
    const compiled = yield* Effect.result(checks.partsOf(accountId, campaign.definition))
    if (Result.isFailure(compiled)) {
      const { failure } = compiled
      if (failure._tag !== "Problem" || failure.issues[0].code === "campaigns.content_required") {
        return yield* Effect.fail(failure)
      }
      return { ...nothing, problems: failure.issues }
    }
    const now = yield* Clock.currentTimeMillis
    const parts = compiled.success
    const { html, preheader, subject, text } = parts[0]!
    const version: CampaignVersion = {
      accountId,
      campaignId: campaign.id,
      version: 0,
      name: campaign.name,
      templateId: null,
      templateVersion: null,
      subject,
      preheader,
      html,
      text,
      parts,
      from: { email: "", name: null },
      replyTo,
      utm,
      topicId: null,
      tracking: { opens: false, clicks: false },
      createdAt: now,
      createdBy: campaign.createdBy
    }
    const person = contact ?? anyone(campaign.id, now)
    const part = partOf(version, variant, person.language)
    const only = { ...version, parts: null, subject: part.preheader ?? "", html: null, text: "" }
    const [rendered, before] = yield* contents.render(accountId, [
      { version, contact: person, variant, at: now },
      { version: only, contact: person, variant: null, at: now }
    ])
    if (Result.isFailure(rendered!)) return { ...nothing, problems: rendered.failure.issues }
    const links = linksWithClicks([{ ...version, parts: null, html: part.html }], [], tools)
    return {
      rendered: rendered!.success,
      preheader: Result.isFailure(before!) ? null : before!.success.subject || null,
      links: links.map(({ number, url }) => ({ number, url })),
      problems: []
    }
  })

  return Campaigns.of({
    create: Effect.fn("Campaigns.create")(function* (accountId, write, actor) {
      const parsed = yield* Effect.fromResult(parseCampaign(write, null, yield* topics.list(accountId)))
      yield* checkParts(accountId, parsed.definition)
      return yield* shown(yield* insert(accountId, parsed.name, parsed.definition, actor))
    }),
    list: Effect.fn("Campaigns.list")(function* (accountId, filter, request) {
      const page = yield* store.list(accountId, filter, request)
      const found = page.items.map(({ id }) => id)
      const stats = yield* reports.listedStats(accountId, found)
      const items = page.items.map((campaign, index) => ({ campaign, ...stats[index]!, progress: null }))
      return { ...page, items }
    }),
    get: Effect.fn("Campaigns.get")(function* (accountId, id) {
      return yield* shown(yield* find(accountId, id))
    }),
    change: Effect.fn("Campaigns.change")(function* (accountId, id, write, actor) {
      const seen = yield* find(accountId, id)
      const refused = Object.keys(write).filter((field) => !isEditable(seen.status, field))
      const problem = Problem.from(
        refused.flatMap(
          (field) => Problem.of("campaigns.not_editable", field, null, { status: seen.status }).issues
        )
      )
      if (problem !== undefined) return yield* problem
      const parsed = yield* Effect.fromResult(parseCampaign(write, seen, yield* topics.list(accountId)))
      if (seen.status === "Paused" && !isSameDivision(seen.definition.test, parsed.definition.test)) {
        return yield* Problem.of("campaigns.not_editable", "test", null, { status: seen.status })
      }
      const isNewVersion =
        seen.status === "Paused" && Object.keys(write).some((field) => !isAlwaysEditable(field))
      if (write.content !== undefined || write.test !== undefined || write.audience !== undefined) {
        yield* checkParts(accountId, parsed.definition)
      }
      const version = isNewVersion ? yield* passed({ ...seen, ...parsed }, actor, true) : null
      const after = yield* atomically(
        Effect.gen(function* () {
          const before = yield* lock(accountId, id)
          yield* expectUnedited(before)
          // Edited or moved since it was read above.
          if (before.updatedAt !== seen.updatedAt || before.status !== seen.status) {
            return yield* Problem.of("campaigns.status_conflict", null, null, { status: before.status })
          }
          if (write.archive !== undefined) yield* accounts.lock([accountId])
          const definition =
            write.archive === undefined
              ? parsed.definition
              : yield* withSlug(accountId, { id: before.id, name: parsed.name }, parsed.definition)
          const now = yield* Clock.currentTimeMillis
          const changed: Campaign = {
            ...before,
            name: parsed.name,
            definition,
            version: version === null ? before.version : version.version,
            // A change of the name or the tags of a launched campaign changes nothing that is sent.
            approval:
              before.status === "Draft" || version !== null
                ? { ...approvalOf(before), ...voided, editor: editorOf(actor) }
                : before.approval,
            ...editedBy(actor, now, before)
          }
          if (version !== null) {
            yield* store.addVersion(version)
            const { pace } = definition
            if (pace !== null && !deepEqual(pace, before.definition.pace)) {
              const { progress } = (yield* store.lockBatch(accountId, before.id, now))!
              yield* store.saveProgress({ ...progress, pacedAt: repaced(pace, progress.pacedAt, now) })
            }
            const reasons = releasedBy(before.definition, definition)
            const jobIds = yield* ids.many(reasons.length)
            yield* queue.enqueue(
              reasons.map((reason, index) =>
                campaignJob.job({
                  id: jobIds[index]!,
                  accountId,
                  payload: { campaignId: before.id, reason },
                  runAt: now
                })
              )
            )
          }
          yield* store.save(changed)
          yield* record(actor, {
            accountId,
            action: "campaign.changed",
            target: before.id,
            before: summaryOf(before),
            after: summaryOf(changed)
          })
          return changed
        })
      )
      return yield* shown(after)
    }),
    remove: Effect.fn("Campaigns.remove")(function* (accountId, id, actor) {
      const before = yield* lock(accountId, id)
      const { emails, recipients } = countsOf((yield* store.counts(accountId, [before.id]))[0]!)
      const sent = recipients.Submitted + Object.values(emails).reduce((sum, count) => sum + count, 0)
      const isDraft = before.status === "Draft"
      if (!isDraft && !(before.status === "Cancelled" && sent === 0)) return yield* conflict(before)
      yield* expectUnedited(before)
      yield* store.remove(accountId, before.id)
      yield* record(actor, {
        accountId,
        action: "campaign.removed",
        target: before.id,
        before: summaryOf(before),
        after: null
      })
    }, atomically),
    copy: Effect.fn("Campaigns.copy")(function* (accountId, id, { name, to = "Same" }, actor) {
      const campaign = yield* find(accountId, id)
      const target = copyTargets.find((one) => one === to)
      if (target === undefined) {
        return yield* Problem.of("validation.format", "to", null, { expected: oneOf(copyTargets) })
      }
      const { archive } = emptyDefinition
      const definition = {
        ...emptyDefinition,
        ...campaign.definition,
        archive,
        isArchived: false,
        schedule: null
      }
      const known = yield* topics.list(accountId)
      const added = yield* atomically(
        Effect.gen(function* () {
          const audience = yield* audienceFor(campaign, target, actor)
          const parsed = yield* Effect.fromResult(
            parseCampaign(
              { audience, ...(name === undefined ? {} : { name }) },
              { name: campaign.name, definition },
              known
            )
          )
          return yield* insert(accountId, parsed.name, parsed.definition, actor)
        })
      )
      return yield* shown(added)
    }),
    check: Effect.fn("Campaigns.check")(function* (account, id, actor) {
      const campaign = yield* find(account.id, id)
      const check = yield* checks.check(campaign, editorOf(actor), false)
      const { estimate, findings } = yield* advice.advise(account, campaign)
      return { ...check, findings: [...check.findings, ...findings], estimate }
    }),
    preview: Effect.fn("Campaigns.preview")(function* (accountId, id, contactId, variantId = null) {
      return yield* previewOf(accountId, yield* find(accountId, id), contactId, variantId)
    }),
    previewUnsaved: Effect.fn("Campaigns.previewUnsaved")(function* (accountId, write, contactId, variantId) {
      const before = { name: unnamed, definition: emptyDefinition }
      const known = yield* topics.list(accountId)
      const { definition, name } = yield* Effect.fromResult(parseCampaign(write, before, known))
      // The campaign exists nowhere, so its links lead nowhere.
      const campaign = { id: yield* ids.next, name, definition, createdBy: editorOf(systemActor) }
      return yield* previewOf(accountId, campaign, contactId, variantId)
    }),
    pickWinner: Effect.fn("Campaigns.pickWinner")(function* (accountId, id, variantId, actor) {
      const after = yield* atomically(
        Effect.gen(function* () {
          const campaign = yield* lock(accountId, id)
          const { definition, status, test: state } = campaign
          const { test } = definition
          const variant = test?.variants.find((one) => one.id === variantId)
          const isOpen =
            test !== null &&
            test.share < 100 &&
            (state?.winner ?? null) === null &&
            (status === "Sending" || status === "Paused")
          if (!isOpen) {
            // A repeated call changes nothing.
            if (variant !== undefined && state?.winner === variant.id) return campaign
            return yield* conflict(campaign)
          }
          if (variant === undefined) return yield* Problem.of("campaigns.variant_not_found", "variantId")
          yield* expectUnedited(campaign)
          const now = yield* Clock.currentTimeMillis
          return yield* move(
            campaign,
            {
              statusReason: campaign.statusReason,
              statusAt: campaign.statusAt,
              test: { sentAt: state?.sentAt ?? now, winner: variant.id, isAsked: false }
            },
            actor,
            now
          )
        })
      )
      return yield* shown(after)
    }),
    audience: Effect.fn("Campaigns.audience")(function* ({ id: accountId, settings }, write) {
      const known = yield* topics.list(accountId)
      const before = { name: unnamed, definition: emptyDefinition }
      const { definition } = yield* Effect.fromResult(parseCampaign(write, before, known))
      const { audience } = definition
      if (audience.segments.length === 0) {
        return yield* Problem.of("campaigns.audience_required", "audience.segments")
      }
      const chosen = yield* checks.documentsOf(accountId, audience)
      const now = yield* Clock.currentTimeMillis
      const page = { page: 1, pageSize: sampleSize }
      const { items } = yield* segments.select(accountId, chosen, page, now)
      const estimate = yield* segments.estimate(accountId, chosen, {
        topic: known.find(({ key }) => key === definition.topic) ?? null,
        timeZoneAttribute: settings.timeZoneAttribute,
        caps: settings.marketingCaps
      })
      return { ...audienceReachOf(estimate, definition, settings), sample: items }
    }),
    act,
    retry,
    approve,
    recount: Effect.fn("Campaigns.recount")(function* (accountId, id) {
      const campaign = yield* find(accountId, id)
      const [kept] = yield* store.counts(accountId, [campaign.id])
      const counted = yield* store.recount(accountId, campaign.id)
      return { kept: countsOf(kept!), counted: countsOf(counted) }
    })
  })
})

/** A person about whom nothing is stored. */
const anyone = (id: string, now: number): Contact => ({ ...newContact(id, "", now), email: null })

/** The fields of an approval after a change has voided it. */
const voided = { state: "Missing", by: null, at: null, comment: null, digest: null } as const

/** The approval of a campaign that is a draft again. A campaign that was launched without approval may need one now. */
const reopened = (campaign: Campaign): CampaignApproval => {
  const approval = approvalOf(campaign)
  return approval.state === "Approved" ? approval : { ...approval, ...voided }
}
