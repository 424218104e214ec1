/**
 * Compares what people bought who got a campaign with what those bought whom it left out (docs/campaigns.md "Results").
 *
 * @module
 */

/** People and how many orders they placed. */
export interface Buyers {
  readonly people: number
  readonly orders: number
}

/** How many more orders a person placed who got the campaign, as a share: 0.1 for a tenth more. */
export interface Lift {
  readonly value: number
  /** The interval that has it with a confidence of 95 %. */
  readonly from: number
  readonly to: number
}

/** Below so many orders of both groups the lift is not known. */
export const fewestOrders = 100
/** The two-sided quantile of the standard normal distribution for 95 %. */
const quantile = 1.959964

/** The lift of those who got it over those left out; null where there are too few orders to tell. */
export const liftOf = (sent: Buyers, heldOut: Buyers): Lift | null => {
  if (sent.orders + heldOut.orders < fewestOrders || sent.orders === 0 || heldOut.orders === 0) return null
  if (sent.people === 0 || heldOut.people === 0) return null
  const ratio = sent.orders / sent.people / (heldOut.orders / heldOut.people)
  // Counts of orders are those of a Poisson process, whose logarithms have about this error.
  const factor = Math.exp(quantile * Math.sqrt(1 / sent.orders + 1 / heldOut.orders))
  return { value: ratio - 1, from: ratio / factor - 1, to: ratio * factor - 1 }
}
