/**
 * Runs periodic maintenance in the background:
 *
 * - adds changes to the counters of emails, counts segments once a day, and judges the standing of accounts;
 * - checks sources and advances their warm-up, and checks the DNS records behind suspensions;
 * - seals audit logs, and makes and drops partitions;
 * - gives jobs to what waits without one;
 * - deletes data whose retention has ended, such as rate windows, notifications, visits, audit entries and sessions.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { describeDefect } from "../shared/Defect.ts"
import { pruneEvery } from "../jobs/Pruning.ts"
import { SegmentSizes, sizesKeptMillis } from "../audience/segments/SegmentSizes.ts"
import { AccessStore } from "../ports/AccessStore.ts"
import { AuditSeals } from "../companies/AuditSeals.ts"
import { countsKept, countUnits } from "../model/EmailCount.ts"
import { EmailCountStore } from "../ports/EmailCountStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { LiveEntries } from "../ports/LiveEntries.ts"
import { liveKeptMillis } from "../model/LiveEntry.ts"
import { receiptMillis, rowMillis } from "../sending/aggregates/MailReportRules.ts"
import type { MailReportKind } from "../model/MailReport.ts"
import { MailReportStore } from "../ports/MailReportStore.ts"
import { NodeStore } from "../ports/NodeStore.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"
import { Partitions } from "../ports/Partitions.ts"
import { PreviewStore } from "../ports/PreviewStore.ts"
import { RateLimits } from "../ports/RateLimits.ts"
import { RelayStore } from "../ports/RelayStore.ts"
import { RequestLog } from "../ports/RequestLog.ts"
import { SegmentStore } from "../ports/SegmentStore.ts"
import { SendQuota } from "../ports/SendQuota.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { SetupLinkStore } from "../ports/SetupLinkStore.ts"
import { ShapingStore } from "../ports/ShapingStore.ts"
import { SignInStepStore } from "../ports/SignInStepStore.ts"
import { StsPolicyStore } from "../ports/StsPolicyStore.ts"
import { SyncStore } from "../ports/SyncStore.ts"
import { VisitStore } from "../ports/VisitStore.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { nodeKeptMillis } from "../operation/Installation.ts"
import { RelayFeedback } from "../sending/feedback/RelayFeedback.ts"
import { earlyMillis } from "../sending/feedback/RelayReports.ts"
import { CorrectedRecords } from "../sending/shaping/CorrectedRecords.ts"
import { Sources } from "../sending/sources/Sources.ts"
import { keptMillis as standingKept, Standings } from "../sending/standing/Standings.ts"
import { StandingStore } from "../ports/StandingStore.ts"
import { capDay } from "../sending/delivery/DeliveryRules.ts"
import { LostJobs } from "./LostJobs.ts"

const hourMillis = 3_600_000
const dayMillis = 24 * hourMillis

/** Deletes rate windows an hour after they began, which is longer than any window lasts. */
export const pruneRateWindows = Effect.flatMap(RateLimits, ({ prune }) =>
  pruneEvery({ name: "rate windows", every: "1 minute", keptMillis: hourMillis, perRound: 10_000, prune })
)

/** Deletes notifications, whose bodies contain addresses, after 30 days. Their attempts end long before. */
const pruneNotifications = Effect.flatMap(NotificationStore, ({ prune }) =>
  pruneEvery({ name: "notifications", every: "1 hour", keptMillis: 30 * dayMillis, perRound: 5_000, prune })
)

/**
 * Deletes the ids of events that stores sent after 30 days. By these ids a repeated event counts once.
 *
 * Shopify repeats a webhook 8 times within 4 hours (shopify.dev, Troubleshooting webhooks; until 2024 within 48 hours), and
 * plugins repeat while the service is unreachable; 30 days are longer than either. A later repetition is processed like any
 * late event: orders, carts, customers and products are ordered by the time that the store states, so an old event changes
 * nothing. The platforms' requests to erase and to disconnect state no such time and are carried out again, because a person
 * who returned may be erased by the same request.
 */
export const pruneStoreEvents = Effect.flatMap(SyncStore, ({ prune }) =>
  pruneEvery({
    name: "ids of store events",
    every: "1 hour",
    keptMillis: 30 * dayMillis,
    perRound: 5_000,
    prune
  })
)

/** Deletes the counts of past days, except yesterday's, to which nodes with a slow clock still add. */
export const pruneSendCounts = Effect.flatMap(SendQuota, ({ prune }) =>
  pruneEvery({
    name: "counts of emails",
    every: "1 hour",
    keptMillis: dayMillis,
    perRound: 1,
    prune: (before) => Effect.as(prune(capDay(before).day), 0)
  })
)

/** Deletes visits of pixels and links after 30 days; their counts stay. */
export const pruneVisits = Effect.flatMap(VisitStore, ({ prune }) =>
  pruneEvery({ name: "visits", every: "1 hour", keptMillis: 30 * dayMillis, perRound: 5_000, prune })
)

/** Adds changes to the counters of emails. Reads include changes not yet added, so a failure only makes reads slower. */
const foldEmailCounts = Effect.flatMap(EmailCountStore, ({ fold }) =>
  pruneEvery({
    name: "changes of email counts",
    every: "10 seconds",
    keptMillis: 0,
    perRound: 5_000,
    prune: (_before, limit) => fold(limit)
  })
)

/** Deletes the counters of emails whose retention has ended. */
const pruneEmailCounts = Effect.flatMap(EmailCountStore, ({ prune }) =>
  Effect.all(
    countUnits.map((unit) =>
      pruneEvery({
        name: "counters of emails",
        every: "1 hour",
        keptMillis: countsKept[unit],
        perRound: 5_000,
        prune: (before, limit) => prune(unit, before, limit)
      })
    ),
    { concurrency: "unbounded", discard: true }
  )
)

/** Seals the audit logs of companies, and deletes entries whose retention has ended. */
const keepAuditLog = Effect.flatMap(AuditSeals, ({ maintain: round }) =>
  Effect.forever(
    Effect.andThen(
      Effect.sleep("1 hour"),
      Effect.catchCause(round, (cause) =>
        Effect.annotateLogs(Effect.logWarning("audit logs were not sealed"), describeDefect(cause))
      )
    )
  )
)

/** Evaluates the standing of accounts. */
export const judgeStanding = Effect.flatMap(Standings, ({ judge }) =>
  Effect.forever(
    Effect.andThen(
      Effect.sleep("5 minutes"),
      Effect.catchCause(judge, (cause) =>
        Effect.annotateLogs(Effect.logWarning("standing was not judged"), describeDefect(cause))
      )
    )
  )
)

/** Counts the segments of each account once a day. */
export const countSegments = Effect.flatMap(SegmentSizes, ({ begin }) =>
  Effect.forever(
    Effect.andThen(
      Effect.sleep("1 hour"),
      Effect.catchCause(begin, (cause) =>
        Effect.annotateLogs(Effect.logWarning("segments were not counted"), describeDefect(cause))
      )
    )
  )
)

/** Deletes the sizes of segments whose retention has ended. */
const pruneSegmentSizes = Effect.flatMap(SegmentStore, ({ pruneSizes }) =>
  pruneEvery({
    name: "sizes of segments",
    every: "1 hour",
    keptMillis: sizesKeptMillis,
    perRound: 5_000,
    prune: pruneSizes
  })
)

/** Deletes the hourly counts of standing after two days, and the daily ones after 13 months. */
const pruneStanding = Effect.flatMap(StandingStore, ({ prune }) =>
  pruneEvery({
    name: "counts of standing",
    every: "1 hour",
    keptMillis: 0,
    perRound: 5_000,
    prune: (now, limit) => prune(now - standingKept.hours, now - standingKept.days, limit)
  })
)

/** Deletes buried jobs, whose payloads may contain personal data, after 30 days. */
const pruneBuriedJobs = Effect.flatMap(JobQueue, ({ pruneBuried }) =>
  pruneEvery({
    name: "buried jobs",
    every: "1 hour",
    keptMillis: 30 * dayMillis,
    perRound: 5_000,
    prune: pruneBuried
  })
)

/** Deletes calls from the request log that are older than the setting `requestLogDays` of their account. */
const pruneRequestLog = Effect.flatMap(RequestLog, ({ prune }) =>
  pruneEvery({ name: "entries of the request log", every: "1 hour", keptMillis: 0, perRound: 5_000, prune })
)

/** Deletes the stream entries that no stream can still show. */
const pruneLiveEntries = Effect.flatMap(LiveEntries, ({ prune }) =>
  pruneEvery({
    name: "entries of streams",
    every: "1 minute",
    keptMillis: liveKeptMillis,
    perRound: 5_000,
    prune
  })
)

/** Deletes expired sessions. */
const pruneSessions = Effect.flatMap(SessionStore, ({ prune }) =>
  pruneEvery({ name: "sessions", every: "1 hour", keptMillis: 0, perRound: 5_000, prune })
)

/** Deletes the access of operators after it ends; the audit log keeps who had it. */
const pruneAccess = Effect.flatMap(AccessStore, ({ prune }) =>
  pruneEvery({ name: "access of operators", every: "1 hour", keptMillis: 0, perRound: 5_000, prune })
)

/** Deletes relays' message ids after 60 days, when complaints about the messages no longer arrive. */
const pruneRelayMessages = Effect.flatMap(RelayStore, ({ pruneMessages }) =>
  pruneEvery({
    name: "ids of relayed messages",
    every: "1 hour",
    keptMillis: 60 * dayMillis,
    perRound: 5_000,
    prune: pruneMessages
  })
)

/** Deletes the tokens of relays' reports that would be refused because of their age. */
const pruneReportTokens = Effect.flatMap(RelayStore, ({ pruneTokens }) =>
  pruneEvery({
    name: "tokens of reports",
    every: "5 minutes",
    keptMillis: 0,
    perRound: 5_000,
    prune: pruneTokens
  })
)

/** Applies reports of relays that arrived before the results of their messages, and deletes those of unknown messages. */
const takeEarlyReports = Effect.gen(function* () {
  const { takeEarly } = yield* RelayFeedback
  const { pruneReports } = yield* RelayStore
  const pruning = { name: "early reports of relays", perRound: 500 }
  return yield* Effect.all(
    [
      pruneEvery({ ...pruning, every: "5 seconds", keptMillis: 0, prune: () => takeEarly }),
      pruneEvery({ ...pruning, every: "1 minute", keptMillis: earlyMillis, prune: pruneReports })
    ],
    { concurrency: "unbounded", discard: true }
  )
})

/** Deletes expired sign-in steps. */
const pruneSignInSteps = Effect.flatMap(SignInStepStore, ({ prune }) =>
  pruneEvery({ name: "steps of sign-ins", every: "5 minutes", keptMillis: 0, perRound: 20_000, prune })
)

/** Deletes expired previews. */
const prunePreviews = Effect.flatMap(PreviewStore, ({ prune }) =>
  pruneEvery({ name: "previews", every: "1 minute", keptMillis: 0, perRound: 1_000, prune })
)

/** Deletes the records of processes that have been gone for a day. */
const pruneNodes = Effect.flatMap(NodeStore, ({ prune }) =>
  pruneEvery({ name: "nodes", every: "1 hour", keptMillis: nodeKeptMillis, perRound: 1_000, prune })
)

/** Deletes MTA-STS policies of recipients' domains a day after they expired. */
const pruneStsPolicies = Effect.flatMap(StsPolicyStore, ({ prune }) =>
  pruneEvery({ name: "policies of domains", every: "1 hour", keptMillis: dayMillis, perRound: 5_000, prune })
)

/**
 * Deletes the counts of received reports of mail servers after 13 months, the counts for the reports that the service sends
 * after a week, and the receipts of reports after 60 days.
 */
const pruneMailReports = Effect.flatMap(MailReportStore, ({ prune, pruneReceipts }) => {
  const counts = (kind: MailReportKind, keptMillis: number) =>
    pruneEvery({
      name: "counts of reports",
      every: "1 hour",
      keptMillis,
      perRound: 5_000,
      prune: (before, limit) => prune(kind, before, limit)
    })
  const receipts = pruneEvery({
    name: "receipts of reports",
    every: "1 hour",
    keptMillis: receiptMillis,
    perRound: 5_000,
    prune: pruneReceipts
  })
  const rounds = [
    counts("Dmarc", rowMillis),
    counts("Tls", rowMillis),
    counts("TlsSent", 7 * dayMillis),
    receipts
  ]
  return Effect.all(rounds, { concurrency: "unbounded", discard: true })
})

/** Marks suspensions as ended an hour after their time, since no mail waited for them. */
const settleSuspensions = Effect.flatMap(ShapingStore, ({ settle }) =>
  pruneEvery({
    name: "suspensions that have ended",
    every: "1 minute",
    keptMillis: hourMillis,
    perRound: 1_000,
    prune: (before, limit) => settle(before, before + hourMillis, limit)
  })
)

/** Deletes suspensions 30 days after they ended. */
const pruneSuspensions = Effect.flatMap(ShapingStore, ({ prune }) =>
  pruneEvery({ name: "suspensions", every: "1 hour", keptMillis: 30 * dayMillis, perRound: 1_000, prune })
)

/** Deletes the learned state of lanes a day after their last use. */
const pruneLanes = Effect.flatMap(ShapingStore, ({ pruneLanes: prune }) =>
  pruneEvery({ name: "lanes", every: "1 hour", keptMillis: dayMillis, perRound: 5_000, prune })
)

/** Looks up the reverse names of sources, each once a day. */
const checkSources = Effect.flatMap(Sources, ({ checkDue }) => {
  const round = Effect.flatMap(Clock.currentTimeMillis, (now) => checkDue(now - dayMillis)).pipe(
    Effect.catchCause((cause) =>
      Effect.annotateLogs(Effect.logWarning("sources were not checked"), describeDefect(cause))
    )
  )
  return Effect.forever(Effect.andThen(Effect.sleep("1 hour"), round))
})

/** Looks up the DNS records because of which servers rejected mail, and sends that mail once the records are corrected. */
export const checkRecords = Effect.flatMap(CorrectedRecords, ({ check }) =>
  Effect.forever(
    Effect.andThen(
      Effect.sleep("15 minutes"),
      Effect.catchCause(check, (cause) =>
        Effect.annotateLogs(Effect.logWarning("records were not checked"), describeDefect(cause))
      )
    )
  )
)

/** Advances the plans of sources in warm-up. */
const warmSources = Effect.flatMap(Sources, ({ advance }) =>
  Effect.forever(
    Effect.andThen(
      Effect.sleep("1 minute"),
      Effect.catchCause(advance, (cause) =>
        Effect.annotateLogs(Effect.logWarning("sources were not warmed up"), describeDefect(cause))
      )
    )
  )
)

/** Deletes old daily counts of what sources sent. */
const pruneSourceDays = Effect.flatMap(Sources, ({ prune }) =>
  pruneEvery({ name: "days of sources", every: "1 hour", keptMillis: 0, perRound: 5_000, prune })
)

/** Deletes set-up links a day after they expired. */
const pruneSetupLinks = Effect.flatMap(SetupLinkStore, ({ prune }) =>
  pruneEvery({ name: "set-up links", every: "1 hour", keptMillis: dayMillis, perRound: 5_000, prune })
)

/**
 * Makes partitions ahead and drops old ones every hour, for the first time a few seconds after the start: the migrations of a new
 * installation make fewer months ahead than the alert on missing partitions expects. A failure, such as a full disk, is logged,
 * and the next round tries again.
 */
export const keepPartitions = Effect.flatMap(Partitions, ({ drop, extend }) => {
  const round = (what: string, act: (now: number) => Effect.Effect<number, Unavailable>) =>
    Effect.flatMap(Clock.currentTimeMillis, act).pipe(
      Effect.tap((count) =>
        count === 0 ? Effect.void : Effect.annotateLogs(Effect.logInfo(`partitions ${what}`), { count })
      ),
      Effect.catchCause((cause) =>
        Effect.annotateLogs(Effect.logWarning(`partitions were not ${what}`), describeDefect(cause))
      )
    )
  const rounds = Effect.andThen(round("made", extend), round("dropped", drop))
  return Effect.andThen(
    Effect.sleep("5 seconds"),
    Effect.forever(Effect.andThen(rounds, Effect.sleep("1 hour")))
  )
})

/** Enqueues jobs for waiting work that has none, once an hour by any process of the installation. */
export const recoverJobs = Effect.flatMap(LostJobs, ({ recoverHourly }) =>
  Effect.forever(
    Effect.andThen(
      Effect.sleep("10 minutes"),
      Effect.catchCause(recoverHourly, (cause) =>
        Effect.annotateLogs(Effect.logWarning("work without a job was not looked for"), describeDefect(cause))
      )
    )
  )
)

/** Runs all maintenance until interrupted. */
export const maintain = Effect.all(
  [
    pruneRateWindows,
    pruneNotifications,
    pruneStoreEvents,
    pruneSendCounts,
    pruneVisits,
    foldEmailCounts,
    pruneEmailCounts,
    keepAuditLog,
    countSegments,
    pruneSegmentSizes,
    judgeStanding,
    pruneStanding,
    pruneBuriedJobs,
    pruneRequestLog,
    pruneLiveEntries,
    pruneSessions,
    pruneAccess,
    pruneSetupLinks,
    pruneRelayMessages,
    pruneReportTokens,
    takeEarlyReports,
    pruneSignInSteps,
    prunePreviews,
    pruneNodes,
    pruneStsPolicies,
    pruneMailReports,
    settleSuspensions,
    pruneSuspensions,
    pruneLanes,
    checkSources,
    checkRecords,
    warmSources,
    pruneSourceDays,
    recoverJobs,
    keepPartitions
  ],
  {
    concurrency: "unbounded",
    discard: true
  }
)
