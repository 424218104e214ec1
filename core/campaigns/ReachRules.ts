/**
 * Computes how many people of a segment a marketing email would reach, and why it would not reach the others. A pure function
 * that applies the gate, which also decides when an email is sent.
 *
 * @module
 */
import type { SegmentReach, SelectionEstimate } from "../audience/segments/Segments.ts"
import { parseLocalTime, timestampOfLocal } from "../kernel/TimeOfDay.ts"
import type { Settings } from "../model/Account.ts"
import type { CampaignDefinition } from "../model/Campaign.ts"
import type { ConsentStatus } from "../model/Consent.ts"
import type { DeliveryReason } from "../model/DeliveryStatus.ts"
import type { SuppressionKind } from "../model/Suppression.ts"
import { zoneOf } from "../sending/gate/MarketingRules.ts"
import { gateRefusal, refusalReason } from "../sending/gate/GateRules.ts"

/** People who would not get the email for the same reason. */
export interface Unreached {
  /** The reason that their deliveries would have. */
  readonly reason: DeliveryReason | "campaigns.no_address"
  /** The suppression of their address, or the consent or topic that is missing. */
  readonly cause: SuppressionKind | "NoAddress" | "NoConsent" | "TopicOff"
  /** Their consent status if it is the cause; otherwise null. */
  readonly consentStatus: ConsentStatus | null
  readonly count: number
}

/** How many people would get a marketing email now, and why the others would not. */
export interface Reach {
  readonly count: number
  readonly reached: number
  /** The others by reason, the most people first. */
  readonly rest: ReadonlyArray<Unreached>
}

/** People whose local time is that of a time zone. */
export interface ZonePeople {
  readonly zone: string
  readonly count: number
  /** When they get a campaign with a local time, epoch milliseconds; null for a campaign without one. */
  readonly at: number | null
}

/** How many people of an audience would get a campaign now. */
export interface AudienceReach {
  readonly count: number
  readonly reachable: number
  /** The number of all others, by the reason they would have. */
  readonly by: Readonly<Record<string, number>>
  /** All people by their time zones, the most people first. */
  readonly zones: ReadonlyArray<ZonePeople>
}

/** The fields of a campaign that decide whom it reaches. */
type ReachChoices = Pick<CampaignDefinition, "holdoutPercent" | "schedule" | "whenCapped">

/**
 * Computes how many people of an audience would get a campaign now. The number of people held out follows from the
 * percentages, since the hash of each person is not computed.
 */
export const audienceReachOf = (
  estimate: SelectionEstimate,
  { holdoutPercent, schedule, whenCapped }: ReachChoices,
  settings: Pick<Settings, "holdoutPercent" | "timeZone" | "timeZoneAttribute">
): AudienceReach => {
  const { count, reached, rest } = reachOf(estimate)
  const by: Record<string, number> = {}
  const add = (reason: string, people: number) => {
    if (people > 0) by[reason] = (by[reason] ?? 0) + people
  }
  for (const one of rest) add(one.reason, one.count)
  const held = Math.round(reached * (1 - (1 - settings.holdoutPercent / 100) * (1 - holdoutPercent / 100)))
  add("sending.held_out", held)
  const capped = whenCapped.action === "Skip" ? Math.min(estimate.capped, reached - held) : 0
  add("sending.gate_frequency", capped)
  const key = settings.timeZoneAttribute
  const zones = new Map<string, number>()
  for (const group of estimate.zones) {
    const attributes = key === null || group.own === null ? {} : { [key]: group.own }
    const zone = zoneOf({ attributes, countryCode: group.countryCode }, settings)
    zones.set(zone, (zones.get(zone) ?? 0) + group.count)
  }
  const local = schedule !== null && "localTime" in schedule ? parseLocalTime(schedule.localTime) : null
  return {
    count,
    reachable: reached - held - capped,
    by,
    zones: [...zones]
      .map(([zone, people]) => ({
        zone,
        count: people,
        at: local === null ? null : timestampOfLocal(local, zone)
      }))
      .sort((a, b) => b.count - a.count || (a.zone < b.zone ? -1 : 1))
  }
}

/** Computes how many of the given people would be reached. */
export const reachOf = ({ groups, topic }: SegmentReach): Reach => {
  let count = 0
  let reached = 0
  const rest = new Map<string, Unreached>()
  for (const group of groups) {
    count += group.count
    if (!group.hasAddress) {
      const before = rest.get("NoAddress")?.count ?? 0
      rest.set("NoAddress", {
        reason: "campaigns.no_address",
        cause: "NoAddress",
        consentStatus: null,
        count: before + group.count
      })
      continue
    }
    const refusal = gateRefusal({
      suppression: group.suppression ?? undefined,
      marketing: {
        contact: {
          consentStatus: group.consentStatus,
          topics: topic === null ? {} : { [topic.id]: group.hasTopic }
        },
        topic
      }
    })
    if (refusal === null) {
      reached += group.count
      continue
    }
    const cause =
      refusal._tag === "Suppressed" ? refusal.kind : refusal._tag === "TopicOff" ? "TopicOff" : "NoConsent"
    const consentStatus = cause === "NoConsent" ? group.consentStatus : null
    const key = `${cause} ${consentStatus}`
    const before = rest.get(key)?.count ?? 0
    rest.set(key, { reason: refusalReason(refusal), cause, consentStatus, count: before + group.count })
  }
  return { count, reached, rest: [...rest.values()].sort((a, b) => b.count - a.count) }
}
