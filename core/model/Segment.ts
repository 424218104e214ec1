/**
 * Segments of an account (docs/contributing/public-api.md "Segment").
 *
 * @module
 */
import type { Json } from "../shared/Json.ts"
import type { Edited } from "./Edited.ts"

/** The segments every account has. */
export const builtInKeys = [
  "all",
  "subscribed",
  "customers",
  "repeat_customers",
  "engaged_90_days",
  "inactive_180_days",
  "new_30_days"
] as const

export type BuiltInKey = (typeof builtInKeys)[number]

/** A definition as submitted and shown. `SegmentRules.ts` validates its values. */
export interface DefinitionDocument {
  readonly join: string
  readonly rules: ReadonlyArray<{
    readonly fieldKey: string
    readonly operator: string
    readonly value: Json
  }>
}

/** A segment as stored. */
export interface Segment extends Edited {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly description: string | null
  /** Validated before it was stored. */
  readonly definition: DefinitionDocument
  /** The key of a built-in segment; null for a segment of the account's own. */
  readonly builtInKey: BuiltInKey | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** The number of contacts in a segment on a day. */
export interface SegmentSize {
  readonly accountId: string
  readonly segmentId: string
  /** The start of the UTC day, epoch milliseconds. */
  readonly day: number
  readonly count: number
  /** The number of these contacts who may get marketing email. */
  readonly sendableCount: number
}

/** The most segments of an account's own, since every list of segments counts each of them. */
export const maxSegments = 100
