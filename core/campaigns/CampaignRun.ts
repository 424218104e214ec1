/**
 * Runs campaigns in the background: starts them, reads their audience, decides on the recipients who are due, pauses campaigns
 * and ends them.
 *
 * A campaign advances in steps. Each step is one transaction that also stores how far the campaign has got, so after a crash
 * the campaign continues where it stopped. Each step first locks its job's claim: a worker whose lease has expired and been
 * taken by another worker writes nothing.
 *
 * If many recipients are due, the campaign is divided among workers, in this process and on other nodes, by the hash slots of
 * the recipients, with one job for each part. A batch locks the recipients that it decides on, and takes a shared lock on the
 * campaign, so that the campaign's status cannot change during the batch. Unique constraints ensure that a campaign has each
 * recipient once and submits to each address once.
 *
 * @module
 */
import { Clock, Context, Data, Effect, Layer, Result } from "effect"
import { AddressHash } from "../audience/contacts/AddressHash.ts"
import { type SegmentSelection, Segments } from "../audience/segments/Segments.ts"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { campaignJob, type CampaignWork, wakeCampaigns } from "../jobs/definitions/CampaignJobs.ts"
import { userMailJob } from "../jobs/definitions/UserMailJobs.ts"
import { deliveryJob } from "../jobs/definitions/DeliveryJobs.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import { type Account, campaignDailyLimit, noAccount } from "../model/Account.ts"
import { systemActor } from "../model/Actor.ts"
import {
  type Campaign,
  type CampaignProgress,
  type CampaignRecipient,
  type CampaignVersion,
  emptyBaseline,
  maxSending,
  type PauseReason,
  type RecipientDecision,
  type RecipientReason,
  type RenderError,
  serverReasons,
  type TestState,
  type VariantId
} from "../model/Campaign.ts"
import type { Contact } from "../model/Contact.ts"
import type { Delivery } from "../model/Submission.ts"
import type { CampaignNews } from "../model/UserMail.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { CampaignStore } from "../ports/CampaignStore.ts"
import { ContactStore } from "../ports/ContactStore.ts"
import { Crypto } from "../ports/Crypto.ts"
import { type Job, JobQueue } from "../ports/JobQueue.ts"
import { SendQuota } from "../ports/SendQuota.ts"
import { SourceStore } from "../ports/SourceStore.ts"
import { SubmissionStore } from "../ports/SubmissionStore.ts"
import { TopicStore } from "../ports/TopicStore.ts"
import { WriteConflict } from "../ports/Transaction.ts"
import { domainOfAddress } from "../shared/EmailAddress.ts"
import { capDay, moveUnclaimed } from "../sending/delivery/DeliveryRules.ts"
import { DestinationHolds } from "../sending/delivery/DestinationHolds.ts"
import { checkRendered } from "../sending/emails/EmailContent.ts"
import type { ReadyEmail } from "../sending/emails/EmailDraft.ts"
import { EmailQueue } from "../sending/emails/EmailQueue.ts"
import { EmailReview } from "../sending/emails/EmailReview.ts"
import { Emails } from "../sending/emails/Emails.ts"
import { type MarketingRefusal, marketingRefusal, refusalReason } from "../sending/gate/GateRules.ts"
import { cappedUntil, windowAt, zoneOf } from "../sending/gate/MarketingRules.ts"
import { PeopleLimits } from "../sending/gate/PeopleLimits.ts"
import type { Held } from "../sending/shaping/Shaping.ts"
import { firstDayOf } from "../sending/sources/SourceRules.ts"
import { engagedSince } from "../sending/sources/WarmUpRules.ts"
import { SuppressionLookup } from "../sending/suppressions/SuppressionLookup.ts"
import { CampaignContents, partOf } from "../sending/templates/CampaignContents.ts"
import type { Json } from "../shared/Json.ts"
import type { Problem, Unavailable } from "../shared/Problem.ts"
import { Notifications } from "../webhooks/Notifications.ts"
import { CampaignChecks } from "./CampaignChecks.ts"
import { parseDuration } from "../automation/definition/Duration.ts"
import {
  type CampaignCounts,
  campaignDivision,
  countsOf,
  type Division,
  type DivisionRules,
  heldRecipient,
  isHeldOut,
  isSent,
  isUnsubscribedByMany,
  maxUntried,
  mayPartSend,
  partOfRecipient,
  pauseReasonOf,
  type QueueState,
  queueState,
  slotCount,
  slotOf,
  untriedHeld
} from "./CampaignRules.ts"
import { recipientPlan } from "./AudienceRules.ts"
import { afterTest, dueByZone, paceRoom } from "./CampaignSchedules.ts"
import { withDecided } from "./ProgressRules.ts"
import { winnerOf } from "./VariantRules.ts"

/** The maximum number of recipients that one transaction decides on. */
const batchSize = 500
/** The maximum number of contacts of the audience that one statement reads. It takes a fraction of a second. */
const readSize = 10_000
/** While at least this many emails wait for their first attempt, reading the audience comes before submitting more. */
const readsOn = 1_000
/** The maximum number of emails that one transaction cancels or continues. */
const changedAtOnce = 1_000
/** About how many characters of content are rendered at a time. The copies are not kept. */
const renderedAtOnce = 8_000_000
/** How long a job works on a campaign before other campaigns are processed, milliseconds. */
const timeSlice = 2_000
/**
 * The bounds, in milliseconds, of the pause before a campaign that waits for its emails is processed again. The pause is a
 * tenth of the time it has waited.
 */
const shortestWait = 1_000
const longestWait = 60_000
/** The longest such pause while emails can be sent, milliseconds. It bounds how soon a passed limit pauses the campaign. */
const longestLook = 5_000
/** The longest pause while all recipients wait for a time, milliseconds. The campaign may have to be paused meanwhile. */
const idleWait = 300_000
/**
 * The longest pause while the account has used up its daily limit, milliseconds. It ends at the start of the next day at the
 * latest.
 */
const cappedWait = 3_600_000
/** All visits made by the end of a test are stored after this time, milliseconds. */
const visitsStored = 5_000
/** When to check again whether the account's queue has room for the recipients who wait for it, milliseconds. */
const fullPause = 60_000

/** The sender of a campaign is no longer on a verified domain. */
class SenderFailing extends Data.TaggedError("SenderFailing") {}

/** When the next step is due (epoch milliseconds); Done if there is none. */
type Next = { readonly at: number } | "Done"

/** The period after quiet hours over which the emails that waited are spread, milliseconds. */
const quietSpread = 600_000
const hourMillis = 3_600_000

/** What a refusal of the gate means for a recipient: no email at all, or none before a time (epoch milliseconds). */
const outcomeOf = (
  refusal: MarketingRefusal,
  { action, hours }: { readonly action: "Skip" | "Wait"; readonly hours: number },
  { reason }: Pick<CampaignRecipient, "reason">,
  slot: number,
  now: number
): Pick<RecipientDecision, "reason" | "state"> & { readonly dueAt?: number } => {
  switch (refusal._tag) {
    case "TopicOff":
      return { state: "Skipped", reason: "sending.gate_topic" }
    case "HeldOut":
      return { state: "HeldOut", reason: "sending.held_out" }
    case "OverCap": {
      // A recipient waits for a cap once. A recipient who has waited for it and is still over it is skipped.
      const waits = action === "Wait" && reason !== "sending.gate_frequency"
      return {
        state: waits ? "Pending" : "Skipped",
        reason: "sending.gate_frequency",
        ...(waits && { dueAt: Math.min(refusal.until, now + hours * hourMillis) })
      }
    }
    case "QuietHours": {
      const spread = Math.floor((slot * quietSpread) / slotCount)
      return { state: "Pending", reason: "sending.quiet_hours", dueAt: refusal.until + spread }
    }
    case "OutsideWindow":
      return { state: "Pending", reason: "campaigns.window", dueAt: refusal.until }
    default:
      return { state: "Skipped", reason: refusalReason(refusal) as RecipientReason }
  }
}

/** The email of a recipient, with the content of the version. */
const readyEmail = (
  contact: Contact,
  version: CampaignVersion,
  variant: VariantId | null,
  contentHash: string | undefined
): ReadyEmail => {
  const part = partOf(version, variant, contact.language)
  const name = [contact.firstName, contact.lastName].filter((one) => one !== null).join(" ")
  return {
    from: part.from,
    recipients: [{ email: contact.email!, name: name === "" ? null : name, kind: "To" }],
    replyTo: version.replyTo,
    content: { subject: "", html: null, text: null },
    templateId: part.templateId,
    templateVersion: part.templateVersion,
    attachments: [],
    headers: [],
    sendAt: null,
    idempotencyKey: null,
    contentDigest: "",
    tags: {},
    metadata: {},
    trackOpens: version.tracking.opens,
    trackClicks: version.tracking.clicks,
    language: contact.language,
    source: "Campaign",
    keyId: null,
    keepsContent: false,
    origin: {
      flowId: null,
      runId: null,
      marketing: {
        contactId: contact.id,
        topicId: version.topicId,
        campaign: {
          id: version.campaignId,
          version: version.version,
          ...(variant !== null && { variant })
        }
      }
    },
    ...(contentHash !== undefined && { contentHash })
  }
}

/** The length of the longest content that any recipient of a version gets. */
const lengthOf = (version: CampaignVersion): number =>
  Math.max(
    ...[version, ...(version.parts ?? [])].map(({ html, text }) => (html?.length ?? 0) + (text?.length ?? 0))
  )

/** The part of a rendering error that is stored. */
const renderErrorOf = ({ issues: [{ code, params }] }: Problem): RenderError => ({
  code,
  line: params?.["line"] ?? null,
  column: params?.["column"] ?? null
})

/** What is established about recipients before the transaction that decides on them. */
interface Prepared {
  readonly tried: ReadonlySet<string>
  /** The contacts for whom the content does not render, with the error. */
  readonly unrenderable: ReadonlyMap<string, RenderError>
  /** The content hashes of the copies that render. */
  readonly hashes: ReadonlyMap<string, string>
  /** The domains to which no mail goes now, and the domains to which enough emails are queued. */
  readonly held: ReadonlyMap<string, Held>
  readonly crowded: ReadonlySet<string>
}

/** The facts that sending a campaign depends on. */
interface SendFacts {
  readonly account: Account
  readonly counts: CampaignCounts
  readonly version: CampaignVersion
  readonly queued: QueueState
  readonly holdsOf: (domains: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Held>, Unavailable>
  /** Whether nothing more may be submitted for now. */
  readonly isFull: boolean
}

/** A recipient whose email can be submitted, with the keyed hash of the address. */
interface Sendable {
  readonly recipient: CampaignRecipient
  readonly contact: Contact
  readonly hash: string
}

/** The notice that the user who launched a campaign gets about a change that the service made; null if there is none. */
const newsOf = (before: Campaign, after: Campaign): CampaignNews | null => {
  if (after.status !== before.status) {
    return after.status === "Paused" || after.status === "Sent" ? after.status : null
  }
  if (after.test?.isAsked === true && before.test?.isAsked !== true) return "Deciding"
  const isReported = ({ baseline }: Campaign) => baseline.isUnsubscribingReported === true
  return isReported(after) && !isReported(before) ? "Unsubscribed" : null
}

/** Whether the audience of a campaign may still be read. A pause does not stop the reading. */
const isReading = ({ status }: Campaign): boolean => status === "Sending" || status === "Paused"

/** Processes the jobs of campaigns. */
export class CampaignRun extends Context.Service<CampaignRun>()("svc/campaigns/CampaignRun", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const addressHash = yield* AddressHash
    const atomically = yield* Atomically
    const checks = yield* CampaignChecks
    const contactStore = yield* ContactStore
    const contents = yield* CampaignContents
    const crypto = yield* Crypto
    const emailQueue = yield* EmailQueue
    const review = yield* EmailReview
    const peopleLimits = yield* PeopleLimits
    const emails = yield* Emails
    const holds = yield* DestinationHolds
    const ids = yield* Ids
    const queue = yield* JobQueue
    const quota = yield* SendQuota
    const notifications = yield* Notifications
    const { record } = yield* AuditTrail
    const segments = yield* Segments
    const sources = yield* SourceStore
    const store = yield* CampaignStore
    const submissions = yield* SubmissionStore
    const suppressions = yield* SuppressionLookup
    const topics = yield* TopicStore

    const countOf = Effect.fnUntraced(function* ({ accountId, id }: Pick<Campaign, "accountId" | "id">) {
      return countsOf((yield* store.counts(accountId, [id]))[0]!)
    })

    const people = (accountId: string, due: ReadonlyArray<CampaignRecipient>) =>
      Effect.map(
        contactStore.find(accountId, {
          ids: due.map(({ contactId }) => contactId),
          externalIds: [],
          emails: []
        }),
        (found) => new Map(found.map((contact) => [contact.id, contact]))
      )

    /** Notifies the user who launched a campaign, or last changed it while it was paused. */
    const tell = Effect.fnUntraced(function* (campaign: Campaign, news: CampaignNews, now: number) {
      const { accountId, id, statusReason, version: number } = campaign
      const [version] = yield* store.versions([{ accountId, campaignId: id, version: number }])
      const userId = version?.createdBy.kind === "User" ? version.createdBy.id : null
      if (userId === null) return
      const reason = news === "Paused" ? statusReason : null
      const mail = { kind: "Campaign" as const, userId, accountId, campaignId: id, news, reason }
      yield* queue.enqueue([
        userMailJob.job({ id: yield* ids.next, accountId: noAccount, payload: mail, runAt: now })
      ])
    })

    /** Makes an automatic change to a campaign if it still has the status `from`. */
    const transition = Effect.fnUntraced(function* (
      { accountId, id }: Campaign,
      from: Campaign["status"],
      change: (campaign: Campaign, now: number) => Effect.Effect<Partial<Campaign> | null, Unavailable>
    ) {
      const campaign = yield* store.lock(accountId, id)
      if (campaign?.status !== from) return
      const now = yield* Clock.currentTimeMillis
      const changed = yield* change(campaign, now)
      if (changed === null) return
      const after: Campaign = { ...campaign, statusAt: now, ...changed }
      yield* store.save(after)
      const news = newsOf(campaign, after)
      if (news !== null) yield* tell(after, news, now)
      if (after.status === campaign.status) return
      yield* record(systemActor, {
        accountId,
        action: "campaign.status_changed",
        target: id,
        before: { name: campaign.name, status: campaign.status },
        after: { name: after.name, status: after.status, reason: after.statusReason }
      })
      if (after.status !== "Paused" && after.status !== "Sent") return
      const type = after.status === "Paused" ? "campaign.paused" : "campaign.sent"
      yield* notifications.createOfCampaign(accountId, { type, campaignId: id, reason: after.statusReason })
    }, atomically)

    const pause = (campaign: Campaign, reason: PauseReason) =>
      transition(campaign, campaign.status, () => Effect.succeed({ status: "Paused", statusReason: reason }))

    /**
     * Starts a campaign whose time has come, if it passes its checks again and the account has fewer than `maxSending`
     * campaigns that are Sending.
     */
    const start = Effect.fnUntraced(function* (
      campaign: Campaign,
      now: number
    ): Effect.fn.Return<Next, Effect.Error<ReturnType<typeof transition>>> {
      if (campaign.startAt !== null && campaign.startAt > now) return { at: campaign.startAt }
      const { version } = yield* checks.check({ ...campaign, version: 0 }, campaign.createdBy, true)
      yield* version === null
        ? pause(campaign, "campaigns.check_failed")
        : transition(campaign, "Scheduled", ({ accountId }) =>
            Effect.gen(function* () {
              // If two campaigns start at the same time, the second counts the first.
              yield* accounts.lock([accountId])
              const hasRoom = (yield* store.count(accountId, "Sending")) < maxSending
              return hasRoom
                ? { status: "Sending" as const, statusReason: null, baseline: emptyBaseline }
                : { status: "Paused" as const, statusReason: "campaigns.check_failed" as const }
            })
          )
      return version === null ? "Done" : { at: now }
    })

    /** Freezes the rules of the audience when it is first read. */
    const freeze = Effect.fnUntraced(function* (
      campaign: Campaign,
      progress: CampaignProgress,
      now: number
    ): Effect.fn.Return<
      CampaignProgress & { readonly asOf: number },
      Effect.Error<ReturnType<typeof checks.documentsOf>>
    > {
      if (progress.asOf !== null) return { ...progress, asOf: progress.asOf }
      const chosen = yield* checks.documentsOf(campaign.accountId, campaign.definition.audience)
      return { ...progress, asOf: now, segments: chosen as unknown as Json }
    })

    /**
     * While the account's sources are warmed up, people who opened or clicked since this time come first; null if there is no
     * order.
     */
    const firstSince = Effect.fnUntraced(function* ({ mode, settings }: Account, now: number) {
      if (mode !== "Live") return null
      const day = firstDayOf(settings.pools.marketing, yield* sources.all)
      return day === null ? null : engagedSince(day, now)
    })

    /** Adds the next people of the audience. Returns whether all of them must be added before the first gets the campaign. */
    const readAudience = Effect.fnUntraced(function* ({ accountId, id }: Campaign, job: Job) {
      yield* queue.hold([job])
      const now = yield* Clock.currentTimeMillis
      const locked = yield* store.lockBatch(accountId, id, now)
      if (locked === null || locked.progress.isComplete || !isReading(locked.campaign)) return false
      const { campaign } = locked
      const [account] = yield* accounts.find([accountId])
      if (account === undefined) return false
      const since = yield* firstSince(account, now)
      const progress = yield* freeze(campaign, locked.progress, now)
      const { asOf, position } = progress
      const last = yield* segments.addRecipients(
        accountId,
        progress.segments as unknown as SegmentSelection,
        {
          plan: recipientPlan(campaign, account.settings, asOf, since),
          asOf,
          // Earlier versions of the service read people in the order in which they were added. Such a position is of no use
          // here.
          after: position?.length === 1 ? String(position[0]) : null,
          size: readSize
        }
      )
      yield* store.saveProgress({
        ...progress,
        position: last === null ? position : [last],
        isComplete: last === null,
        updatedAt: now
      })
      return campaign.definition.test !== null || since !== null
    })

    /** Returns the domains to which a campaign submits nothing for now, and whether its queue is full. */
    const queueOf = Effect.fnUntraced(function* (
      { accountId, id }: Campaign,
      { pendingBy, untried }: CampaignCounts,
      holdsOf: (domains: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Held>, Unavailable>
    ) {
      const isBehind = serverReasons.some((reason) => (pendingBy[reason] ?? 0) > 0)
      if (untried < maxUntried && !isBehind) return { isFull: false, crowded: new Set<string>() }
      const byDomain = yield* store.untriedByDomain(accountId, id)
      const held = yield* holdsOf([...byDomain.keys()])
      return queueState(untried, byDomain, (domain) => held.has(domain), isBehind)
    })

    /**
     * Establishes, before the transaction that decides on recipients, whose servers take no mail now and for whom the content
     * does not render.
     */
    const prepare = Effect.fnUntraced(function* (
      version: CampaignVersion,
      due: ReadonlyArray<CampaignRecipient>,
      crowded: ReadonlySet<string>,
      holdsOf: (domains: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Held>, Unavailable>,
      at: number
    ) {
      const found = yield* people(version.accountId, due)
      const domainOf = ({ email }: Contact) => domainOfAddress(email ?? "")
      const held = yield* holdsOf([...found.values()].map(domainOf))
      const copies = due.flatMap(({ contactId, variant }) => {
        const contact = found.get(contactId)
        const isReady =
          contact !== undefined && !held.has(domainOf(contact)) && !crowded.has(domainOf(contact))
        return isReady ? [{ version, contact, variant, at }] : []
      })
      const unrenderable = new Map<string, RenderError>()
      const hashes = new Map<string, string>()
      const together = Math.ceil(renderedAtOnce / Math.max(1, lengthOf(version)))
      for (let from = 0; from < copies.length; from += together) {
        const some = copies.slice(from, from + together)
        for (const [index, result] of (yield* contents.render(version.accountId, some)).entries()) {
          const checked = Result.flatMap(result, (copy) =>
            Result.map(checkRendered(copy), () => copy.contentHash)
          )
          const { id } = some[index]!.contact
          if (Result.isFailure(checked)) unrenderable.set(id, renderErrorOf(checked.failure))
          else hashes.set(id, checked.success)
        }
      }
      return { tried: new Set(due.map(({ contactId }) => contactId)), unrenderable, hashes, held, crowded }
    })

    /**
     * Decides on recipients who are due, in the caller's transaction and with a fixed number of statements. Returns how many
     * were decided, without those who still wait. A campaign with a pace also locks its progress, so its batches run one after
     * the other.
     *
     * @param waiting how many recipients wait for their servers
     * @param isPart whether other parts of the campaign are processed at the same time
     */
    const decideBatch = Effect.fnUntraced(function* (
      { accountId, definition: { pace: given }, id }: Campaign,
      version: CampaignVersion,
      { crowded, hashes: contentHashes, held, tried, unrenderable }: Prepared,
      waiting: number,
      isPart: boolean,
      job: Job
    ) {
      yield* queue.hold([job])
      const now = yield* Clock.currentTimeMillis
      const locked =
        given === null
          ? { campaign: yield* store.lockShared(accountId, id), progress: null }
          : yield* store.lockBatch(accountId, id, now)
      const campaign = locked?.campaign ?? null
      if (campaign?.status !== "Sending" || campaign.version !== version.version) return 0
      const due = yield* store.lockDue(accountId, id, [...tried], now)
      if (due.length === 0) return 0
      const found = yield* people(accountId, due)
      // Nothing is kept of contacts that were erased while the audience was read.
      const gone = due.filter(({ contactId }) => (found.get(contactId)?.erasedAt ?? null) !== null)
      yield* store.erase(
        accountId,
        gone.map(({ contactId }) => contactId)
      )
      const present = due.filter((recipient) => !gone.includes(recipient))
      const addresses = [...found.values()].flatMap(({ email }) => (email === null ? [] : [email]))
      const { account, suppressed: entries } = yield* suppressions.findForAcceptance(accountId, addresses)
      if (account === null) return 0
      const suppressed = new Map(entries.map(({ email, kind }) => [email, kind]))
      const known = version.topicId === null ? [] : yield* topics.list(accountId)
      const topic = version.topicId === null ? null : known.find((one) => one.id === version.topicId)
      const hashOf = yield* addressHash.get
      const hashes = new Map(addresses.map((email) => [email, hashOf(accountId, email)]))
      const taken = new Set(yield* store.takenHashes(accountId, id, [...hashes.values()]))
      const limits = yield* peopleLimits.of(account, [...found.values()], now)
      const sha256 = (text: string) => crypto.sha256Hex(text)
      const { definition } = campaign
      const { holdoutPercent, pace, quietHours, schedule, whenCapped, window } = definition
      const capped = { hours: 0, ...whenCapped }

      const base = { version: null, deliveryId: null, addressHash: null, renderError: null, heldSince: null }
      const decisions: Array<RecipientDecision> = []
      const ready: Array<Sendable> = []
      for (const recipient of present) {
        const { contactId, variant } = recipient
        const decide = (
          outcome: Pick<RecipientDecision, "reason" | "state"> &
            Partial<Pick<RecipientDecision, "dueAt" | "heldSince" | "renderError">>
        ) => decisions.push({ ...base, contactId, variant, dueAt: recipient.dueAt, ...outcome })
        const contact = found.get(contactId)
        if (contact === undefined || contact.email === null) {
          decide({ state: "Skipped", reason: "campaigns.no_address" })
          continue
        }
        // The time zone may have changed since the audience was read.
        const at = dueByZone(schedule, contact, account.settings, recipient)
        if (at === null) {
          decide({ state: "Skipped", reason: "campaigns.local_time_passed" })
          continue
        }
        if (at > now) {
          decide({ state: "Pending", reason: null, dueAt: at })
          continue
        }
        const slot = slotOf(sha256, id, contactId)
        const own = limits.get(contactId)!
        const refusal = marketingRefusal(
          { suppression: suppressed.get(contact.email), marketing: { contact, topic } },
          {
            isHeldOut: own.isHeldOut || isHeldOut(slot, holdoutPercent),
            cappedUntil: cappedUntil(own.caps, own.times, now),
            quietUntil: quietHours === "Ignore" ? null : own.quietUntil,
            windowAt: windowAt(window, zoneOf(contact, account.settings), now)
          }
        )
        const hash = hashes.get(contact.email)!
        const domain = domainOfAddress(contact.email)
        const waits = heldRecipient(
          held.get(domain),
          crowded.has(domain),
          {
            heldSince: recipient.decidedAt,
            sendingSince: campaign.statusAt,
            slot,
            waiting,
            wasDue: recipient.dueAt
          },
          now
        )
        if (refusal !== null) {
          const outcome = outcomeOf(refusal, capped, recipient, slot, now)
          // Time spent on a window or on quiet hours does not prolong how long a recipient waits for a server.
          const heldSince = waits?.heldSince ?? recipient.decidedAt
          decide({ ...outcome, heldSince: outcome.state === "Pending" ? heldSince : null })
        } else if (taken.has(hash)) decide({ state: "Skipped", reason: "campaigns.duplicate_address" })
        else if (waits !== null) decide(waits)
        else if (unrenderable.has(contactId)) {
          const renderError = unrenderable.get(contactId)!
          decide({ state: "Skipped", reason: "campaigns.render_failed", renderError })
        } else {
          taken.add(hash)
          ready.push({ recipient, contact, hash })
        }
      }
      // Recipients beyond the pace, or beyond the emails to be reviewed first, stay as they are.
      const paced = pace === null ? null : paceRoom(pace, locked?.progress?.pacedAt ?? null, now)
      const reviewed = (yield* review.remaining(account, [id])).get(id) ?? 0
      if (isPart && account.settings.reviewFirst > 0) {
        // Only the undivided campaign submits its first emails, and no other email is submitted before they are reviewed.
        const isReviewed = reviewed === 0 && (yield* countOf(campaign)).emails.PendingReview === 0
        if (!isReviewed) return 0
      }
      const sendable = ready.slice(0, Math.min(paced?.room ?? Infinity, reviewed === 0 ? Infinity : reviewed))
      const fits = yield* emailQueue.take(
        account,
        sendable.map(() => 1)
      )
      for (const [index, { recipient }] of sendable.entries()) {
        if (fits[index]!) continue
        const { contactId, variant } = recipient
        decisions.push({
          ...base,
          contactId,
          variant,
          dueAt: now + fullPause,
          state: "Pending",
          reason: "sending.daily_cap"
        })
      }
      const fitting = sendable.filter((_, index) => fits[index]!)
      const accepted =
        fitting.length === 0
          ? []
          : yield* emails.acceptMany(
              accountId,
              fitting.map(({ contact, recipient: { variant } }) =>
                // A sandbox renders no message when it sends the email, so the hash is stored here.
                readyEmail(
                  contact,
                  version,
                  variant,
                  account.mode === "Sandbox" ? contentHashes.get(contact.id) : undefined
                )
              ),
              fitting.length
            )
      for (const [index, { hash, recipient }] of fitting.entries()) {
        const result = accepted[index]!
        if (Result.isFailure(result)) return yield* new SenderFailing()
        decisions.push({
          ...base,
          contactId: recipient.contactId,
          variant: recipient.variant,
          dueAt: recipient.dueAt,
          state: "Submitted",
          reason: null,
          version: version.version,
          deliveryId: result.success.submission.id,
          addressHash: hash
        })
      }
      const decided = yield* store.decide(accountId, id, decisions, now)
      // A recipient was erased meanwhile, and their email must not be stored.
      if (decided.length < decisions.length)
        return yield* new WriteConflict({ constraint: "campaign_recipients_state" })
      if (paced !== null && locked?.progress != null) {
        yield* store.saveProgress({ ...locked.progress, pacedAt: paced.after(fitting.length) })
      }
      return decisions.filter(({ state }) => state !== "Pending").length
    })

    /**
     * Stores how many recipients were decided. This follows the batch in its own transaction, so that batches do not wait for
     * each other.
     */
    const noteDecided = Effect.fnUntraced(function* ({ accountId, id }: Campaign, count: number) {
      const now = yield* Clock.currentTimeMillis
      const locked = yield* store.lockBatch(accountId, id, now)
      if (locked === null) return
      const recent = withDecided(locked.progress.recent, count, now)
      yield* store.saveProgress({ ...locked.progress, recent, updatedAt: now })
    }, atomically)

    /** Decides on recipients who are due. Pauses the campaign if its sender is no longer valid. */
    const submit = Effect.fnUntraced(function* (
      campaign: Campaign,
      { counts, holdsOf, queued, version }: SendFacts,
      due: ReadonlyArray<CampaignRecipient>,
      isPart: boolean,
      job: Job,
      now: number
    ) {
      const prepared = yield* prepare(version, due, queued.crowded, holdsOf, now)
      const waiting = serverReasons.reduce((sum, name) => sum + (counts.pendingBy[name] ?? 0), 0)
      const decided = yield* atomically(decideBatch(campaign, version, prepared, waiting, isPart, job)).pipe(
        Effect.catchTag("SenderFailing", () => Effect.succeed(null))
      )
      yield* decided === null ? pause(campaign, "campaigns.sender_failing") : noteDecided(campaign, decided)
    })

    /** Stores the new state of a test, if the campaign is still Sending and the test is not decided yet. */
    const moveTest = (campaign: Campaign, test: TestState) =>
      transition(campaign, "Sending", (current) =>
        Effect.succeed((current.test?.winner ?? null) === null ? { test, statusAt: current.statusAt } : null)
      )

    /**
     * Advances a test whose emails have all been attempted. Returns when to look again; null if nothing is left to do for the
     * test.
     */
    const decideTest = Effect.fnUntraced(function* (campaign: Campaign, now: number) {
      const { accountId, definition, id, test: state } = campaign
      const { test } = definition
      if (test === null || test.share === 100) return null
      if (state === null) {
        // The time of the last attempt, however late it is noticed.
        const sentAt = (yield* store.testedAt(accountId, id)) ?? now
        yield* moveTest(campaign, { sentAt, winner: null, isAsked: false })
        return { at: now } as Next
      }
      if (state.winner !== null) {
        // From now on, the rest of the audience is due like recipients of a campaign without a test.
        const released = yield* atomically(
          Effect.gen(function* () {
            const locked = yield* store.lockBatch(accountId, id, now)
            return locked?.campaign.status === "Sending"
              ? yield* store.release(
                  accountId,
                  id,
                  { reason: "campaigns.test", variant: state.winner },
                  changedAtOnce,
                  now
                )
              : 0
          })
        )
        return released > 0 ? ({ at: now } as Next) : null
      }
      const endsAt = state.sentAt + parseDuration(test.after)!
      // Only visits before `endsAt` count, whenever the test is decided. Visits are stored a moment after they were made.
      const decidesAt = endsAt + visitsStored
      if (decidesAt > now) return { at: Math.min(decidesAt, now + idleWait) } as Next
      if (state.isAsked) return { at: now + idleWait } as Next
      if (test.decide === "Manual") {
        yield* moveTest(campaign, { ...state, isAsked: true })
        return { at: now + idleWait } as Next
      }
      const results = yield* store.variantResults(accountId, id, test.metric, endsAt)
      const found = test.variants.map(
        ({ id: variant }) =>
          results.find((one) => one.variant === variant) ?? { variant, delivered: 0, reached: 0 }
      )
      const best = winnerOf(found, test.confidence)
      const winner = best ?? (test.undecided === "First" ? test.variants[0]!.id : null)
      yield* moveTest(campaign, { ...state, winner, isAsked: winner === null })
      return { at: now } as Next
    })

    /** Adds up the counts, and ends the campaign if it has reached everyone. */
    const finish = Effect.fnUntraced(function* (campaign: Campaign) {
      const { accountId, id } = campaign
      yield* store.compact(accountId, id)
      yield* transition(campaign, "Sending", () =>
        Effect.gen(function* () {
          const progress = yield* store.progress(accountId, id)
          const isOver = progress !== null && isSent(progress, yield* countOf(campaign))
          return isOver ? { status: "Sent" as const, statusReason: null } : null
        })
      )
    })

    /** Reports, once, that many people unsubscribed by a campaign. The campaign continues. */
    const reportUnsubscribing = Effect.fnUntraced(function* (campaign: Campaign) {
      const { baseline, status } = campaign
      const isOpen = status === "Sending" || status === "Paused" || status === "Sent"
      if (!isOpen || baseline.isUnsubscribingReported === true) return
      if (!isUnsubscribedByMany(yield* countOf(campaign))) return
      yield* transition(campaign, status, (current) =>
        Effect.succeed({
          statusAt: current.statusAt,
          baseline: { ...current.baseline, isUnsubscribingReported: true }
        })
      )
    })

    /** Why a campaign must be paused automatically; null if it need not be. */
    const pauseReason = Effect.fnUntraced(function* (
      campaign: Campaign,
      account: Account,
      version: CampaignVersion,
      counts: CampaignCounts
    ) {
      if (yield* checks.isHeld(account)) return "campaigns.standing"
      if (!(yield* checks.areSendersSound(version))) return "campaigns.sender_failing"
      return pauseReasonOf(counts, campaign.baseline, account.settings.campaignLimits)
    })

    /**
     * Reads the facts for sending a campaign. Returns null if the campaign was paused instead, or its account does not exist.
     */
    const factsOf = Effect.fnUntraced(function* (
      campaign: Campaign
    ): Effect.fn.Return<SendFacts | null, Effect.Error<ReturnType<typeof pauseReason | typeof pause>>> {
      const { accountId, id } = campaign
      const counts = yield* countOf(campaign)
      const [account] = yield* accounts.find([accountId])
      const [version] = yield* store.versions([{ accountId, campaignId: id, version: campaign.version }])
      if (account === undefined) return null
      const reason =
        version === undefined
          ? "campaigns.check_failed"
          : yield* pauseReason(campaign, account, version, counts)
      if (version === undefined || reason !== null) {
        yield* pause(campaign, reason!)
        return null
      }
      const holdsOf = (domains: ReadonlyArray<string>) => holds.of(account, version.from.email, domains)
      const queued = yield* queueOf(campaign, counts, holdsOf)
      // No other email is submitted before the first emails are reviewed.
      return {
        account,
        counts,
        version,
        holdsOf,
        queued,
        isFull: queued.isFull || counts.emails.PendingReview > 0
      }
    })

    /** When to look again if the account's campaigns have used up its daily limit; null if they have not. */
    const cappedLook = Effect.fnUntraced(function* ({ id, settings }: Account, now: number) {
      const limit = campaignDailyLimit(settings)
      if (limit === null) return null
      const { day, next } = capDay(now)
      return (yield* quota.taken(id, day)) < limit ? null : Math.min(next, now + cappedWait)
    })

    /** Reads the facts that decide whether a campaign is divided. */
    const divisionRules = Effect.fnUntraced(function* (
      { definition, id }: Campaign,
      account: Account,
      now: number
    ): Effect.fn.Return<DivisionRules, Unavailable> {
      const unreviewed = (yield* review.remaining(account, [id])).get(id) ?? 0
      return { pace: definition.pace, unreviewed, isOrdered: (yield* firstSince(account, now)) !== null }
    })

    /**
     * One step of a part of a campaign that is Sending. If the part has nothing to do, its job ends; `divide` creates a new
     * one when needed.
     */
    const partStep = Effect.fnUntraced(function* (
      campaign: Campaign,
      part: number,
      dueUntil: number | undefined,
      job: Job,
      now: number
    ) {
      const { accountId, id } = campaign
      const facts = yield* factsOf(campaign)
      if (facts === null || facts.isFull) return "Done" as Next
      if (!mayPartSend(yield* divisionRules(campaign, facts.account, now), dueUntil)) return "Done" as Next
      const due = yield* store.due(accountId, id, part, Math.min(now, dueUntil ?? now), batchSize)
      if (due.length === 0) return "Done" as Next
      yield* submit(campaign, facts, due, true, job, now)
      return { at: now } as Next
    })

    /** Creates a job for each part in which people are due, at most `most` of them: the queue has room for a batch of each. */
    const divide = Effect.fnUntraced(function* (
      { accountId, id: campaignId }: Campaign,
      due: ReadonlyArray<CampaignRecipient>,
      division: Division,
      most: number,
      now: number
    ) {
      const sha256 = (text: string) => crypto.sha256Hex(text)
      const parts = [
        ...new Set(due.map(({ contactId }) => partOfRecipient(sha256, campaignId, contactId)))
      ].slice(0, most)
      const newIds = yield* ids.many(parts.length)
      yield* queue.enqueue(
        parts.map((part, index) =>
          campaignJob.job({
            id: newIds[index]!,
            accountId,
            payload: { campaignId, part, ...division },
            runAt: now
          })
        )
      )
    })

    /** One step of a campaign that is Sending. */
    const sendStep = Effect.fnUntraced(function* (campaign: Campaign, job: Job, now: number) {
      const { accountId, definition, id } = campaign
      const before = yield* store.progress(accountId, id)
      const reads = before?.isComplete !== true
      // Unless all people must be added first, the first of the audience get the campaign while the others are read.
      if (reads && (yield* atomically(readAudience(campaign, job)))) return { at: now } as Next
      const progress = before ?? (yield* store.progress(accountId, id))
      const facts = yield* factsOf(campaign)
      if (facts === null) return { at: now } as Next
      const { account, counts, isFull, queued } = facts
      // Enough emails are queued to be sent while the audience is read.
      if (reads && counts.untried >= readsOn) return { at: now } as Next
      const sinceProgress = now - (progress?.updatedAt ?? now)
      // While emails can be sent, their results may have to pause the campaign soon.
      const canLeave = counts.untried > untriedHeld(counts)
      const longest = canLeave ? longestLook : longestWait
      const waited = Math.min(longest, Math.max(shortestWait, Math.floor(sinceProgress / 10)))
      const room = definition.pace === null ? null : paceRoom(definition.pace, progress?.pacedAt ?? null, now)
      const limit = isFull ? 0 : Math.min(batchSize, room?.room ?? batchSize)
      const due = limit === 0 ? [] : yield* store.due(accountId, id, null, now, limit)
      // Recipients who wait for room in the account's queue were decided on before. Their copies are rendered again only once
      // there is room.
      const areWaiting = due.length > 0 && due.every((one) => one.reason === "sending.daily_cap")
      if (areWaiting && !(yield* atomically(emailQueue.hasRoom(account)))) {
        return { at: (yield* cappedLook(account, now)) ?? now + longest } as Next
      }
      if (due.length > 0) {
        const batches = Math.floor((maxUntried - counts.untried) / batchSize)
        const division =
          due.length < batchSize || batches < 2
            ? null
            : campaignDivision(yield* divisionRules(campaign, account, now), due)
        if (division !== null) {
          yield* divide(campaign, due, division, batches, now)
          return { at: reads ? now : now + shortestWait } as Next
        }
        yield* submit(campaign, facts, due, false, job, now)
        return { at: now } as Next
      }
      if (reads) return { at: now } as Next
      if (isFull) {
        yield* store.compact(accountId, id)
        // Emails that can be sent make room soon. All others wait for their servers.
        if (queued.isFull && canLeave) return { at: now + shortestWait } as Next
        return { at: (canLeave ? null : yield* cappedLook(account, now)) ?? now + waited } as Next
      }
      const nextAt = yield* store.nextDueAt(accountId, id)
      if (room?.room === 0 && nextAt !== null && nextAt <= now) {
        return { at: Math.max(now + 1, room.after(0)) } as Next
      }
      yield* finish(campaign)
      // The test has ended once each of its emails was attempted and none of its recipients waits.
      const isTested = counts.untried === 0 && (nextAt === null || nextAt >= afterTest)
      const test = isTested && counts.recipients.Pending > 0 ? yield* decideTest(campaign, now) : null
      if (test !== null) return test
      const isLeft = counts.untried > 0 || nextAt === null
      const capped = isLeft && !canLeave ? yield* cappedLook(account, now) : null
      const lookAt = capped ?? now + (isLeft ? waited : idleWait)
      return { at: Math.max(now + 1, Math.min(lookAt, nextAt ?? Infinity)) } as Next
    })

    /** Cancels the unsent emails and pending recipients of a cancelled campaign. Returns whether there may be more. */
    const cancelRest = Effect.fnUntraced(function* ({ accountId, id }: Campaign) {
      const now = yield* Clock.currentTimeMillis
      const pending = yield* store.cancelPending(accountId, id, changedAtOnce, now)
      const queued = yield* store.queued(accountId, id, null, null, changedAtOnce)
      const held = yield* store.inReview(accountId, id, changedAtOnce)
      const reviewed = yield* submissions.move(
        queued.map((delivery) => moveUnclaimed(delivery, ["PendingReview", null], now))
      )
      yield* submissions.move(
        [...held, ...reviewed].map((delivery) =>
          moveUnclaimed(delivery, ["Failed", "sending.cancelled"], now)
        )
      )
      yield* deliveryJob.cancel(
        queue,
        accountId,
        queued.map((delivery) => ({ deliveryId: delivery.id }))
      )
      return pending + queued.length + held.length > 0
    }, atomically)

    /** Makes the emails due that waited while the campaign was paused. */
    const continueEmails = Effect.fnUntraced(function* ({ accountId, id }: Campaign) {
      let after: Delivery | null = null
      while (true) {
        const waiting: ReadonlyArray<Delivery> = yield* store.queued(
          accountId,
          id,
          "sending.campaign_paused",
          after,
          changedAtOnce
        )
        const last = waiting.at(-1)
        if (last === undefined) return
        const refs = waiting.map(({ id: deliveryId }) => ({ deliveryId }))
        yield* atomically(deliveryJob.makeDue(queue, accountId, refs, yield* Clock.currentTimeMillis))
        after = last
      }
    })

    /** Works on a part of a campaign for a time slice. */
    const workOnPart = Effect.fnUntraced(function* (
      job: Job,
      { campaignId: id, dueUntil }: CampaignWork,
      part: number
    ) {
      const until = (yield* Clock.currentTimeMillis) + timeSlice
      while (true) {
        const [campaign] = yield* store.find(job.accountId, [id])
        const now = yield* Clock.currentTimeMillis
        if (campaign?.status !== "Sending") return "Done" as Next
        const next = yield* partStep(campaign, part, dueUntil, job, now)
        if (next === "Done" || now >= until) return next
      }
    })

    /**
     * Makes recipients due who wait by a rule that was changed, so that they are decided on again. It releases as many as were
     * waiting when it began: recipients whom the new rule makes wait would otherwise be released endlessly.
     */
    const releaseWaiting = Effect.fnUntraced(function* (job: Job, id: string, reason: RecipientReason) {
      const { accountId } = job
      const [campaign] = yield* store.find(accountId, [id])
      if (campaign === undefined || !isReading(campaign)) return
      let left = (yield* countOf(campaign)).pendingBy[reason] ?? 0
      while (left > 0) {
        const released = yield* atomically(
          Effect.gen(function* () {
            yield* queue.hold([job])
            const now = yield* Clock.currentTimeMillis
            const size = Math.min(left, changedAtOnce)
            return yield* store.release(accountId, id, { reason, variant: null }, size, now)
          })
        )
        left = released === 0 ? 0 : left - released
      }
      yield* atomically(wakeCampaigns(queue, ids, accountId, [id], yield* Clock.currentTimeMillis))
    })

    /**
     * Makes recipients due again for whom the account's new time zone means another time. Recipients with the same time as
     * before, because they have a time zone of their own, are left as they are.
     */
    const rescheduleWaiting = Effect.fnUntraced(function* (job: Job, id: string) {
      const { accountId } = job
      const [campaign] = yield* store.find(accountId, [id])
      const [account] = yield* accounts.find([accountId])
      if (campaign === undefined || account === undefined || !isReading(campaign)) return
      const { schedule } = campaign.definition
      let after: string | null = null
      while (true) {
        const now = yield* Clock.currentTimeMillis
        const waiting: ReadonlyArray<CampaignRecipient> = yield* store.waitingByClock(
          accountId,
          id,
          after,
          now,
          changedAtOnce
        )
        const last = waiting.at(-1)
        if (last === undefined) break
        after = last.contactId
        const found = yield* people(accountId, waiting)
        const moved = waiting.filter(({ contactId, dueAt, movedAt, reason }) => {
          const contact = found.get(contactId)
          if (contact === undefined) return false
          const at = dueByZone(schedule, contact, account.settings, { dueAt, movedAt })
          // Recipients who are due at one time are put in order by one millisecond.
          return reason !== null || at === null || Math.abs(at - dueAt) > 1
        })
        const contactIds = moved.map(({ contactId }) => contactId)
        yield* atomically(Effect.andThen(queue.hold([job]), store.reconsider(accountId, contactIds, now)))
      }
      yield* atomically(wakeCampaigns(queue, ids, accountId, [id], yield* Clock.currentTimeMillis))
    })

    /** Works on a campaign for a time slice. */
    const work = Effect.fnUntraced(function* (job: Job, id: string) {
      const { accountId } = job
      const until = (yield* Clock.currentTimeMillis) + timeSlice
      let isFirst = true
      while (true) {
        const [campaign] = yield* store.find(accountId, [id])
        const now = yield* Clock.currentTimeMillis
        if (campaign === undefined) return "Done" as Next
        let next: Next = "Done"
        if (isFirst) yield* reportUnsubscribing(campaign)
        if (campaign.status === "Scheduled") next = yield* start(campaign, now)
        else if (campaign.status === "Sending") {
          if (isFirst) yield* continueEmails(campaign)
          next = yield* sendStep(campaign, job, now)
        } else if (campaign.status === "Paused") {
          // The audience is that of the campaign's start, so reading continues while the campaign is paused.
          const progress = yield* store.progress(accountId, id)
          if (progress !== null && !progress.isComplete) {
            yield* atomically(readAudience(campaign, job))
            next = { at: now }
          }
        } else if (campaign.status === "Cancelled") {
          next = (yield* cancelRest(campaign)) ? { at: now } : "Done"
        }
        isFirst = false
        if (next === "Done" || next.at > now || now >= until) return next
      }
    })

    const handleJob = Effect.fnUntraced(function* (job: Job, payload: CampaignWork) {
      const { accountId } = job
      const { campaignId, part, reason, zones } = payload
      if (reason !== undefined || zones === true) {
        yield* reason === undefined
          ? rescheduleWaiting(job, campaignId)
          : releaseWaiting(job, campaignId, reason as RecipientReason)
        return yield* queue.complete([job])
      }
      const working = part === undefined ? work(job, campaignId) : workOnPart(job, payload, part)
      const next = yield* working.pipe(
        // A segment of the campaign was deleted before it was read.
        Effect.catchTag("Problem", () =>
          Effect.gen(function* () {
            const [campaign] = yield* store.find(accountId, [campaignId])
            if (campaign !== undefined) yield* pause(campaign, "campaigns.check_failed")
            return "Done" as Next
          })
        )
      )
      const id = yield* ids.next
      yield* atomically(
        Effect.andThen(
          queue.complete([job]),
          next === "Done"
            ? Effect.void
            : queue.enqueue([campaignJob.job({ id, accountId, payload, runAt: next.at })])
        )
      )
    })

    return {
      /**
       * Handles jobs that failed too often. A campaign that is Sending or Scheduled is paused; a cancelled one is tried again
       * an hour later.
       */
      onBuried: Effect.fn("CampaignRun.onBuried")(function* (jobs: ReadonlyArray<Job>) {
        const now = yield* Clock.currentTimeMillis
        for (const { job, payload } of yield* campaignJob.decode(queue, jobs)) {
          const { accountId } = job
          const [campaign] = yield* store.find(accountId, [payload.campaignId])
          if (campaign === undefined) continue
          if (campaign.status === "Sending" || campaign.status === "Scheduled") {
            yield* pause(campaign, "campaigns.check_failed")
          }
          if (campaign.status === "Cancelled") {
            const id = yield* ids.next
            yield* queue.enqueue([campaignJob.job({ id, accountId, payload, runAt: now + hourMillis })])
          }
        }
      }),
      /** Processes jobs of campaigns, one after the other. */
      handle: Effect.fn("CampaignRun.handle")((jobs: ReadonlyArray<Job>) =>
        Effect.flatMap(
          campaignJob.decode(queue, jobs),
          Effect.forEach(({ job, payload }) => handleJob(job, payload), { discard: true })
        )
      )
    }
  })
}) {
  static readonly layer = Layer.effect(CampaignRun, CampaignRun.make).pipe(
    Layer.provide([
      CampaignChecks.layer,
      CampaignContents.layer,
      DestinationHolds.layer,
      EmailQueue.layer,
      EmailReview.layer,
      Notifications.layer,
      PeopleLimits.layer,
      Segments.layer
    ])
  )
}
