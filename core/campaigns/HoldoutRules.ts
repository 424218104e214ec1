/**
 * Compares the orders of the people who got a campaign with those of the people held out (docs/campaigns.md "Statistics").
 *
 * @module
 */

/** The number of people in a group, and of the orders that they placed. */
export interface Buyers {
  readonly people: number
  readonly orders: number
}

/** How many more orders per person the recipients placed, as a fraction: 0.1 means a tenth more. */
export interface Lift {
  readonly value: number
  /** The bounds of the 95 % confidence interval. */
  readonly from: number
  readonly to: number
}

/** The lift is unknown while both groups together have fewer orders. */
export const fewestOrders = 100
/** The two-sided quantile of the standard normal distribution for 95 %. */
const quantile = 1.959964

/** The lift of the recipients over the people held out; null while there are too few orders. */
export const liftOf = (sent: Buyers, heldOut: Buyers): Lift | null => {
  if (sent.orders + heldOut.orders < fewestOrders || sent.orders === 0 || heldOut.orders === 0) return null
  if (sent.people === 0 || heldOut.people === 0) return null
  const ratio = sent.orders / sent.people / (heldOut.orders / heldOut.people)
  // The counts of orders are taken as Poisson variables. The logarithm of their ratio has about this standard error.
  const factor = Math.exp(quantile * Math.sqrt(1 / sent.orders + 1 / heldOut.orders))
  return { value: ratio - 1, from: ratio / factor - 1, to: ratio * factor - 1 }
}
