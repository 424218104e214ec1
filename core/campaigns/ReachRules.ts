/**
 * Says who of a segment's people would get a marketing email, and why the others would not. A pure function that asks the gate,
 * which also decides when the email is sent.
 *
 * @module
 */
import type { SegmentReach } from "../audience/segments/Segments.ts"
import type { ConsentStatus } from "../model/Consent.ts"
import type { DeliveryReason } from "../model/DeliveryStatus.ts"
import type { SuppressionKind } from "../model/Suppression.ts"
import { gateRefusal, refusalReason } from "../sending/gate/GateRules.ts"

/** People who would not get it, for one reason. */
export interface Unreached {
  /** The reason that their deliveries would have. */
  readonly reason: DeliveryReason
  /** The suppression of their address, or what they did not agree to. */
  readonly cause: SuppressionKind | "NoConsent" | "TopicOff"
  /** Their consent, where it is the cause; otherwise null. */
  readonly consentStatus: ConsentStatus | null
  readonly count: number
}

/** Who would get a marketing email now. */
export interface Reach {
  readonly count: number
  readonly reached: number
  /** The most people first. */
  readonly rest: ReadonlyArray<Unreached>
}

/** Who of some people would be reached. */
export const reachOf = ({ groups, topic }: SegmentReach): Reach => {
  let count = 0
  let reached = 0
  const rest = new Map<string, Unreached>()
  for (const group of groups) {
    count += group.count
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
