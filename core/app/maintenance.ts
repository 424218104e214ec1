/**
 * Adds changes to the counters of emails, and deletes what has been kept long enough, in the background: rate windows,
 * notifications, ids of store events, daily counts and counters of emails, visits, audit entries, buried jobs, calls,
 * entries of streams, sessions, access of operators, set-up links, previews, processes that are gone, policies of domains,
 * counts of standing and of reports; counts segments once a day; judges the standing of accounts; checks sources and warms
 * them up; checks the records behind suspensions; seals audit logs; makes and drops partitions.
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

const hourMillis = 3_600_000
const dayMillis = 24 * hourMillis

/** Deletes rate windows an hour after they began: longer than any window lasts. */
export const pruneRateWindows = Effect.flatMap(RateLimits, ({ prune }) =>
  pruneEvery({ name: "rate windows", every: "1 minute", keptMillis: hourMillis, perRound: 10_000, prune })
)

/** Deletes notifications, whose bodies hold addresses, after 30 days: far longer than their attempts take. */
const pruneNotifications = Effect.flatMap(NotificationStore, ({ prune }) =>
  pruneEvery({ name: "notifications", every: "1 hour", keptMillis: 30 * dayMillis, perRound: 5_000, prune })
)

/**
 * Deletes the ids of events that stores sent, by which a repeated event counts once, after 30 days.
 *
 * Shopify repeats a webhook 8 times within 4 hours (shopify.dev, Troubleshooting webhooks; until 2024 within 48 hours), and
 * plugins repeat while the service is unreachable; 30 days are longer than either. A repetition after that is processed like
 * any late event: orders, carts, customers and products are ordered by the time the store gives, so an old event changes
 * nothing. The platforms' requests to erase and to disconnect have no such time and are carried out again, because a person
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

/** Deletes the counts of past days. Yesterday's stay: a node whose clock is behind still counts for it. */
export const pruneSendCounts = Effect.flatMap(SendQuota, ({ prune }) =>
  pruneEvery({
    name: "counts of emails",
    every: "1 hour",
    keptMillis: dayMillis,
    perRound: 1,
    prune: (before) => Effect.as(prune(capDay(before).day), 0)
  })
)

/** Deletes visits of pixels and links after 30 days; how many there were stays. */
export const pruneVisits = Effect.flatMap(VisitStore, ({ prune }) =>
  pruneEvery({ name: "visits", every: "1 hour", keptMillis: 30 * dayMillis, perRound: 5_000, prune })
)

/** Adds changes to the counters of emails. Counts read those that are not added yet, so a failure only makes them slower. */
const foldEmailCounts = Effect.flatMap(EmailCountStore, ({ fold }) =>
  pruneEvery({
    name: "changes of email counts",
    every: "10 seconds",
    keptMillis: 0,
    perRound: 5_000,
    prune: (_before, limit) => fold(limit)
  })
)

/** Deletes the counters of emails that have been kept long enough. */
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

/** Seals the audit logs of companies, and deletes entries that have been kept long enough. */
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

/** Judges the standing of accounts. */
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

/** Counts the segments of accounts, each once a day. */
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

/** Deletes the sizes of segments that have been kept long enough. */
const pruneSegmentSizes = Effect.flatMap(SegmentStore, ({ pruneSizes }) =>
  pruneEvery({
    name: "sizes of segments",
    every: "1 hour",
    keptMillis: sizesKeptMillis,
    perRound: 5_000,
    prune: pruneSizes
  })
)

/** Deletes the hours of standing after two days, and its days after 13 months. */
const pruneStanding = Effect.flatMap(StandingStore, ({ prune }) =>
  pruneEvery({
    name: "counts of standing",
    every: "1 hour",
    keptMillis: 0,
    perRound: 5_000,
    prune: (now, limit) => prune(now - standingKept.hours, now - standingKept.days, limit)
  })
)

/** Deletes buried jobs, whose payloads may hold personal data, after 30 days. */
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

/** Deletes what streams can no longer show. */
const pruneLiveEntries = Effect.flatMap(LiveEntries, ({ prune }) =>
  pruneEvery({
    name: "entries of streams",
    every: "1 minute",
    keptMillis: liveKeptMillis,
    perRound: 5_000,
    prune
  })
)

/** Deletes sessions that expired. */
const pruneSessions = Effect.flatMap(SessionStore, ({ prune }) =>
  pruneEvery({ name: "sessions", every: "1 hour", keptMillis: 0, perRound: 5_000, prune })
)

/** Deletes the access of operators once it has ended; the audit log keeps who had it. */
const pruneAccess = Effect.flatMap(AccessStore, ({ prune }) =>
  pruneEvery({ name: "access of operators", every: "1 hour", keptMillis: 0, perRound: 5_000, prune })
)

/** Deletes the ids by which relays know messages after 60 days, longer than recipients' complaints take. */
const pruneRelayMessages = Effect.flatMap(RelayStore, ({ pruneMessages }) =>
  pruneEvery({
    name: "ids of relayed messages",
    every: "1 hour",
    keptMillis: 60 * dayMillis,
    perRound: 5_000,
    prune: pruneMessages
  })
)

/** Deletes the tokens of relays' reports that are refused by their age. */
const pruneReportTokens = Effect.flatMap(RelayStore, ({ pruneTokens }) =>
  pruneEvery({
    name: "tokens of reports",
    every: "5 minutes",
    keptMillis: 0,
    perRound: 5_000,
    prune: pruneTokens
  })
)

/** Applies reports of relays that arrived before the results of their messages, and deletes those of no message. */
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

/** Deletes steps of sign-ins that expired. */
const pruneSignInSteps = Effect.flatMap(SignInStepStore, ({ prune }) =>
  pruneEvery({ name: "steps of sign-ins", every: "5 minutes", keptMillis: 0, perRound: 20_000, prune })
)

/** Deletes previews that expired. */
const prunePreviews = Effect.flatMap(PreviewStore, ({ prune }) =>
  pruneEvery({ name: "previews", every: "1 minute", keptMillis: 0, perRound: 1_000, prune })
)

/** Deletes processes that have been gone for a day. */
const pruneNodes = Effect.flatMap(NodeStore, ({ prune }) =>
  pruneEvery({ name: "nodes", every: "1 hour", keptMillis: nodeKeptMillis, perRound: 1_000, prune })
)

/** Deletes policies of recipients' domains a day after they expired. */
const pruneStsPolicies = Effect.flatMap(StsPolicyStore, ({ prune }) =>
  pruneEvery({ name: "policies of domains", every: "1 hour", keptMillis: dayMillis, perRound: 5_000, prune })
)

/**
 * Deletes what reports of mail servers counted after 13 months, what was counted for reports to others after a week, and that
 * reports were received after 60 days.
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

/** Ends suspensions of mail whose time ended an hour ago: no mail waited for them. */
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

/** Deletes what lanes have learned a day after they were last used. */
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

/** Looks up the records that servers rejected mail for, and sends it once they are corrected. */
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

/** Goes on with the plans of sources that are warmed up. */
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

/** Deletes what sources sent long ago. */
const pruneSourceDays = Effect.flatMap(Sources, ({ prune }) =>
  pruneEvery({ name: "days of sources", every: "1 hour", keptMillis: 0, perRound: 5_000, prune })
)

/** Deletes set-up links a day after they expired. */
const pruneSetupLinks = Effect.flatMap(SetupLinkStore, ({ prune }) =>
  pruneEvery({ name: "set-up links", every: "1 hour", keptMillis: dayMillis, perRound: 5_000, prune })
)

/**
 * Makes partitions ahead and drops old ones, an hour after another, the first a minute after the start: there is time, since
 * partitions are made two months ahead. What fails, such as on a full disk, is logged and tried again.
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
    Effect.sleep("1 minute"),
    Effect.forever(Effect.andThen(rounds, Effect.sleep("1 hour")))
  )
})

/** Prunes until interrupted. */
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
    keepPartitions
  ],
  {
    concurrency: "unbounded",
    discard: true
  }
)
