/**
 * Tests of variants: which person gets which variant, and which variant wins (docs/campaigns.md "Tests").
 *
 * @module
 */
import type { CampaignTest, VariantId } from "../model/Campaign.ts"
import type { VariantCount } from "../ports/CampaignStore.ts"
import { slotCount } from "./CampaignRules.ts"

/** A variant, with the hash slot below which its people lie. People below the bound of a previous variant get that variant. */
export interface VariantBound {
  readonly id: VariantId
  readonly below: number
}

/** Divides the share of a test equally among its variants. People above the last bound get the winner. */
export const variantBounds = ({
  share,
  variants
}: Pick<CampaignTest, "share"> & {
  readonly variants: ReadonlyArray<{ readonly id: VariantId }>
}): ReadonlyArray<VariantBound> =>
  variants.map(({ id }, index) => ({
    id,
    below: Math.ceil(((index + 1) * share * slotCount) / (100 * variants.length))
  }))

/** The variant of the person with this slot, from 0 to 9,999; null for people who get the winner. */
export const variantOf = (bounds: ReadonlyArray<VariantBound>, slot: number): VariantId | null =>
  bounds.find(({ below }) => slot < below)?.id ?? null

/** The distribution function of the standard normal distribution, with an error below 1.5e-7 (Abramowitz and Stegun, 7.1.26). */
const normal = (z: number): number => {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * x)
  const poly = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
  const erf = 1 - poly * Math.exp(-x * x)
  return z < 0 ? (1 - erf) / 2 : (1 + erf) / 2
}

const rateOf = ({ delivered, reached }: VariantCount): number => (delivered === 0 ? 0 : reached / delivered)

/**
 * The p-value of a two-sided two-proportion test: how likely chance alone makes at least this difference between two variants.
 */
export const chanceOf = (one: VariantCount, other: VariantCount): number => {
  if (one.delivered === 0 || other.delivered === 0) return 1
  const pooled = (one.reached + other.reached) / (one.delivered + other.delivered)
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / one.delivered + 1 / other.delivered))
  if (error === 0) return 1
  return 2 * (1 - normal(Math.abs(rateOf(one) - rateOf(other)) / error))
}

/** The variant that is better than each other variant with the given confidence; null if there is none. */
export const winnerOf = (results: ReadonlyArray<VariantCount>, confidence: number): VariantId | null => {
  const best = results.toSorted((a, b) => rateOf(b) - rateOf(a))[0]
  if (best === undefined) return null
  const others = results.filter((one) => one !== best)
  return others.every((one) => chanceOf(best, one) <= 1 - confidence) ? best.variant : null
}
