/**
 * Reports on campaigns: their counts, breakdowns of their emails, comparisons, versions and history.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Actor } from "../model/Actor.ts"
import type { Campaign, CampaignVersion, VariantId } from "../model/Campaign.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { type Breakdown, type BreakdownRow, CampaignStore } from "../ports/CampaignStore.ts"
import { type ComparedOrders, ConversionStore, type Earnings } from "../ports/ConversionStore.ts"
import { maxPageSize } from "../shared/Page.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { isUuid } from "../shared/Uuid.ts"
import { type CampaignCounts, countsOf } from "./CampaignRules.ts"
import { type CampaignLink, linksWithClicks, linkTools } from "./LinkRules.ts"

/** The maximum number of keys in a breakdown. */
export const maxBreakdown = 200
/** The maximum number of links whose clicks a report adds up. */
const maxLinks = 10_000
/** The minimum and maximum number of campaigns in a comparison. */
export const comparedRange = { min: 2, max: 10 } as const

const noOrders: ComparedOrders = {
  sent: { orders: 0, revenue: [] },
  heldOut: { orders: 0, revenue: [] }
}

/** A transition of a campaign. */
export interface CampaignTransition {
  /** Epoch milliseconds. */
  readonly at: number
  readonly from: string | null
  readonly to: string
  readonly reason: string | null
  readonly actor: Actor
}

/** A version with the number of people who got it. */
export interface SentVersion {
  readonly version: CampaignVersion
  readonly received: number
}

/** The counts of a campaign. */
export interface CampaignStats {
  readonly counts: CampaignCounts
  readonly earnings: Earnings
  /** The orders of the recipients and of the people held out; null if they were not read. */
  readonly compared: ComparedOrders | null
  /** The time at which the counts were read, epoch milliseconds. */
  readonly countedAt: number
}

/** A campaign with its counts and its revenue. */
export interface CountedCampaign extends CampaignStats {
  readonly campaign: Campaign
}

type Failure = Problem | Unavailable

/** Reports on campaigns. */
export class CampaignReports extends Context.Service<
  CampaignReports,
  {
    /** Returns the counts of a campaign. */
    readonly statsOf: (campaign: Campaign) => Effect.Effect<CampaignStats, Unavailable>
    /**
     * Returns the counts of campaigns in the order of `ids`, without the comparison to the people held out. Needs a
     * fixed number of reads.
     */
    readonly listedStats: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<CampaignStats>, Unavailable>
    /** Returns the counts of a campaign and, on request, a breakdown of its emails. Fails with common.not_found. */
    readonly stats: (
      accountId: string,
      id: string,
      by: Breakdown | null
    ) => Effect.Effect<CampaignStats & { readonly items: ReadonlyArray<BreakdownRow> }, Failure>
    /**
     * Returns the links of a campaign with their clicks; with a variant, only the links of that variant. Fails with
     * common.not_found.
     */
    readonly links: (
      accountId: string,
      id: string,
      variant: VariantId | null
    ) => Effect.Effect<ReadonlyArray<CampaignLink>, Failure>
    /** Returns the versions of a campaign, newest first. Fails with common.not_found. */
    readonly versions: (accountId: string, id: string) => Effect.Effect<ReadonlyArray<SentVersion>, Failure>
    /** Returns one version of a campaign by its number. Fails with common.not_found. */
    readonly version: (accountId: string, id: string, number: number) => Effect.Effect<SentVersion, Failure>
    /** Returns the transitions of a campaign, newest first, at most 200. Fails with common.not_found. */
    readonly history: (
      accountId: string,
      id: string
    ) => Effect.Effect<ReadonlyArray<CampaignTransition>, Failure>
    /** Compares 2 to 10 campaigns, in the order of their ids. Fails with validation.format and common.not_found. */
    readonly compare: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<CountedCampaign>, Failure>
  }
>()("svc/campaigns/CampaignReports") {
  static readonly layer = Layer.effect(
    CampaignReports,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const auditLog = yield* AuditLog
      const conversions = yield* ConversionStore
      const store = yield* CampaignStore
      const tools = yield* linkTools

      const find = Effect.fnUntraced(function* (accountId: string, id: string) {
        const [campaign] = isUuid(id) ? yield* store.find(accountId, [id.toLowerCase()]) : []
        return campaign ?? (yield* Problem.of("common.not_found"))
      })

      const listedStats = Effect.fn("CampaignReports.listedStats")(function* (
        accountId: string,
        ids: ReadonlyArray<string>
      ) {
        const stored = yield* store.counts(accountId, ids)
        const earnings = yield* conversions.ofCampaigns(accountId, ids)
        const countedAt = yield* Clock.currentTimeMillis
        return ids.map((_, index): CampaignStats => ({
          counts: countsOf(stored[index]!),
          earnings: earnings[index]!,
          compared: null,
          countedAt
        }))
      })

      const statsOf = Effect.fn("CampaignReports.statsOf")(function* (campaign: Campaign) {
        const { accountId, id } = campaign
        const [stats] = yield* listedStats(accountId, [id])
        if (stats!.counts.recipients.HeldOut === 0) return { ...stats!, compared: noOrders }
        const [account] = yield* accounts.find([accountId])
        const days = account?.settings.conversionWindowDays ?? 0
        return { ...stats!, compared: yield* conversions.compared(accountId, id, days) }
      })

      const versionsOf = ({ accountId, id, version }: Campaign) =>
        store.versions(
          Array.from({ length: version }, (_, index) => ({ accountId, campaignId: id, version: index + 1 }))
        )

      const versions = Effect.fn("CampaignReports.versions")(function* (accountId: string, id: string) {
        const campaign = yield* find(accountId, id)
        const found = yield* versionsOf(campaign)
        const received = yield* store.breakdown(accountId, campaign.id, "Version", campaign.version)
        const counts = new Map(received.map(({ key, submitted }) => [key, submitted]))
        return found
          .toSorted((a, b) => b.version - a.version)
          .map((version) => ({ version, received: counts.get(String(version.version)) ?? 0 }))
      })

      return CampaignReports.of({
        statsOf,
        listedStats,
        stats: Effect.fn("CampaignReports.stats")(function* (accountId, id, by) {
          const campaign = yield* find(accountId, id)
          const items = by === null ? [] : yield* store.breakdown(accountId, campaign.id, by, maxBreakdown)
          return { ...(yield* statsOf(campaign)), items }
        }),
        links: Effect.fn("CampaignReports.links")(function* (accountId, id, variant) {
          const campaign = yield* find(accountId, id)
          const found = yield* versionsOf(campaign)
          const counts = yield* store.linkClicks(accountId, campaign.id, maxLinks)
          const oldestFirst = found.toSorted((a, b) => a.version - b.version)
          const links = linksWithClicks(oldestFirst, counts, tools)
          return variant === null ? links : links.filter((link) => link.variant === variant)
        }),
        versions,
        version: Effect.fn("CampaignReports.version")(function* (accountId, id, number) {
          const found = (yield* versions(accountId, id)).find(({ version }) => version.version === number)
          return found ?? (yield* Problem.of("common.not_found"))
        }),
        history: Effect.fn("CampaignReports.history")(function* (accountId, id) {
          const campaign = yield* find(accountId, id)
          const { items } = yield* auditLog.list(
            { _tag: "Accounts", accountIds: [accountId] },
            { targets: [campaign.id], actions: ["campaign.created", "campaign.status_changed"] },
            { page: 1, pageSize: maxPageSize }
          )
          return items.map(({ actor, after, at, before }): CampaignTransition => ({
            at,
            from: textOf(before, "status"),
            to: textOf(after, "status") ?? "Draft",
            reason: textOf(after, "reason"),
            actor
          }))
        }),
        compare: Effect.fn("CampaignReports.compare")(function* (accountId, given) {
          const ids = [...new Set(given.map((id) => id.toLowerCase()))]
          const { max, min } = comparedRange
          if (ids.length < min || ids.length > max || !ids.every(isUuid)) {
            return yield* Problem.of("validation.format", "ids", null, {
              expected: `ids of ${min} to ${max} campaigns`
            })
          }
          const found = new Map((yield* store.find(accountId, ids)).map((one) => [one.id, one]))
          const campaigns: Array<Campaign> = []
          for (const id of ids) campaigns.push(found.get(id) ?? (yield* Problem.of("common.not_found")))
          const stats = yield* listedStats(accountId, ids)
          return campaigns.map((campaign, index) => ({ campaign, ...stats[index]! }))
        })
      })
    })
  )
}

/** A string property of an audit log entry; null if the entry has none of that name. */
const textOf = (state: unknown, name: "reason" | "status"): string | null => {
  const value = (state as Readonly<Record<string, unknown>> | null)?.[name]
  return typeof value === "string" ? value : null
}
