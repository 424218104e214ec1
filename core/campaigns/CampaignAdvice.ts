/**
 * Tells a user what to expect of a campaign's audience before launch: which people it does not reach, who gets
 * another campaign at the same time, and how long sending takes.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { type SegmentSelection, Segments } from "../audience/segments/Segments.ts"
import { type Account, campaignDailyLimit } from "../model/Account.ts"
import type { Campaign } from "../model/Campaign.ts"
import { CampaignStore } from "../ports/CampaignStore.ts"
import { SourceStore } from "../ports/SourceStore.ts"
import { TopicStore } from "../ports/TopicStore.ts"
import { planDaysOf } from "../sending/sources/SourceRules.ts"
import { daysOfWarmUp } from "../sending/sources/WarmUpRules.ts"
import { type Code, issue, type Problem, type Unavailable } from "../shared/Problem.ts"
import { CampaignChecks, type Finding } from "./CampaignChecks.ts"
import { startOf } from "./CampaignSchedules.ts"
import { type AudienceReach, audienceReachOf } from "./ReachRules.ts"

/** How many people a campaign would reach, and how long sending it would take. */
export interface CampaignEstimate {
  /** The number of people it would reach now. */
  readonly recipients: number
  readonly seconds: number
  readonly days: number
}

/** The assumed rate of a campaign without a pace, emails per second. */
export const assumedRate = 100
/** Campaigns that start at most this far apart, in milliseconds, compete for people's attention. */
const closeMillis = 24 * 3_600_000
/** The maximum number of other campaigns whose people are compared. */
const maxCompared = 5
const unitSeconds = { Minute: 60, Hour: 3_600, Day: 86_400 } as const
const daySeconds = 86_400

/**
 * Estimates how long a campaign takes to reach a number of people, by its pace, the account's daily limit and the
 * warm-up of its sources. Warm-up limits apply to each group of providers; the estimate assumes that all people
 * belong to one group.
 *
 * @param planDays as `planDaysOf`
 */
export const estimateOf = (
  recipients: number,
  { pace }: Pick<Campaign["definition"], "pace">,
  settings: Pick<Account["settings"], "dailySendLimit" | "transactionalReservePercent">,
  planDays: ReadonlyArray<number> = []
): CampaignEstimate => {
  const rate = pace === null ? assumedRate : pace.emails / unitSeconds[pace.per]
  const paced = Math.ceil(recipients / rate)
  const daily = campaignDailyLimit(settings) ?? Infinity
  // The last, partial day takes less than 24 hours.
  const whole = recipients === 0 ? 0 : Math.ceil(recipients / Math.max(1, daily)) - 1
  const seconds = Math.max(paced, whole * daySeconds, daysOfWarmUp(recipients, planDays) * daySeconds)
  return { recipients, seconds, days: Math.ceil(seconds / daySeconds) }
}

const warning = (code: Code, field: string, count: number | null): Finding => ({
  severity: "Warning",
  issue: issue(code, field),
  count
})

/** Findings about the people whom an audience does not reach. */
export const findingsOfReach = (
  { by, count, reachable, zones }: AudienceReach,
  schedule: Campaign["definition"]["schedule"],
  now: number
): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  if (reachable * 2 < count) {
    findings.push(warning("campaigns.mostly_unreachable", "audience", count - reachable))
  }
  const capped = by["sending.gate_frequency"] ?? 0
  if (capped * 10 > count) findings.push(warning("campaigns.many_capped", "whenCapped", capped))
  const passed = zones.reduce((sum, { at, count: people }) => sum + (at !== null && at < now ? people : 0), 0)
  if (schedule !== null && "localTime" in schedule && passed > 0) {
    findings.push(warning("campaigns.local_time_passed", "schedule", passed))
  }
  return findings
}

/** Advises on the audience of a campaign. */
export class CampaignAdvice extends Context.Service<CampaignAdvice>()("svc/campaigns/CampaignAdvice", {
  make: Effect.gen(function* () {
    const checks = yield* CampaignChecks
    const segments = yield* Segments
    const sources = yield* SourceStore
    const store = yield* CampaignStore
    const topics = yield* TopicStore

    const countOf = (accountId: string, chosen: SegmentSelection, now: number) =>
      Effect.map(
        segments.select(accountId, chosen, { page: 1, pageSize: 1 }, now),
        ({ totalCount }) => totalCount
      )

    /** The largest number of people in the audience who also get one other campaign within a day. */
    const overlapOf = Effect.fnUntraced(function* (
      campaign: Campaign,
      chosen: SegmentSelection,
      count: number,
      now: number
    ) {
      const { accountId } = campaign
      const startAt = startOf(campaign.definition.schedule, now)
      // The result may include the campaign itself.
      const close = yield* store.inStatus(accountId, ["Scheduled", "Sending", "Sent"], maxCompared + 1, {
        after: startAt - closeMillis,
        before: startAt + closeMillis
      })
      const others = close.filter(({ id }) => id !== campaign.id).slice(0, maxCompared)
      let most = 0
      for (const { definition } of others) {
        const other = yield* Effect.option(checks.documentsOf(accountId, definition.audience))
        if (other._tag === "None") continue
        const without = { ...chosen, exclude: [...chosen.exclude, ...other.value.include] }
        most = Math.max(most, count - (yield* countOf(accountId, without, now)))
      }
      return most
    })

    return {
      /**
       * Returns findings about a campaign's audience and the estimated duration. Returns neither if the audience is
       * invalid.
       */
      advise: Effect.fn("CampaignAdvice.advise")(function* (
        account: Account,
        campaign: Campaign
      ): Effect.fn.Return<
        { readonly findings: ReadonlyArray<Finding>; readonly estimate: CampaignEstimate },
        Problem | Unavailable
      > {
        const { definition } = campaign
        const { settings } = account
        const now = yield* Clock.currentTimeMillis
        const none = { findings: [], estimate: estimateOf(0, definition, settings) }
        if (definition.audience.segments.length === 0) return none
        const found = yield* Effect.option(checks.documentsOf(account.id, definition.audience))
        if (found._tag === "None") return none
        const known = yield* topics.list(account.id)
        const estimated = yield* segments.estimate(account.id, found.value, {
          topic: known.find(({ key }) => key === definition.topic) ?? null,
          timeZoneAttribute: settings.timeZoneAttribute,
          caps: settings.marketingCaps
        })
        const reach = audienceReachOf(estimated, definition, settings)
        // A sandbox sends nothing from a source, so no warm-up applies.
        const planDays =
          account.mode === "Live" ? planDaysOf(settings.pools.marketing, yield* sources.all) : []
        const estimate = estimateOf(reach.reachable, definition, settings, planDays)
        const overlap = yield* overlapOf(campaign, found.value, reach.count, now)
        return {
          findings: [
            ...findingsOfReach(reach, definition.schedule, now),
            ...(overlap * 2 > reach.count ? [warning("campaigns.overlap", "audience", overlap)] : []),
            ...(estimate.days > 1 ? [warning("campaigns.takes_days", "pace", null)] : [])
          ],
          estimate
        }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(CampaignAdvice, CampaignAdvice.make).pipe(
    Layer.provide([CampaignChecks.layer, Segments.layer])
  )
}
