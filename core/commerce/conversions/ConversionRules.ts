/**
 * Attributes orders to clicks, purely: `(orders, clicks, window) -> conversions`. The result depends on what is stored and
 * not on the order in which it arrived (docs/contributing/decisions.md 4 "Conversions").
 *
 * @module
 */
import type { Conversion } from "../../model/Conversion.ts"
import { isPlaced, type Order } from "../../model/Order.ts"
import type { ReaderClicks } from "../../ports/VisitStore.ts"

/** The attribution of an order to a click: a conversion without its id. */
export type Attribution = Omit<Conversion, "id">

interface Click {
  readonly email: ReaderClicks
  readonly at: number
}

/**
 * The later of two clicks. Of two at the same time, the click of the delivery with the greater id, so that the choice is
 * always the same.
 */
const later = (one: Click | null, other: Click): Click =>
  one === null || other.at > one.at || (other.at === one.at && other.email.deliveryId > one.email.deliveryId)
    ? other
    : one

/**
 * Attributes each order that was placed to its contact's last click before it, unless that click is longer ago than the
 * window. Orders that were cancelled or refunded since are attributed too.
 */
export const attribute = (
  orders: ReadonlyArray<Order>,
  emails: ReadonlyArray<ReaderClicks>,
  windowMillis: number
): ReadonlyArray<Attribution> => {
  const emailsOf = Map.groupBy(emails, ({ contactId }) => contactId)
  return orders.flatMap(({ contactId, id, placedAt, status }): ReadonlyArray<Attribution> => {
    if (contactId === null || !isPlaced(status)) return []
    const isInWindow = (at: number) => at <= placedAt && placedAt - at <= windowMillis
    const last = (emailsOf.get(contactId) ?? [])
      .flatMap((email) => email.clicks.filter(isInWindow).map((at): Click => ({ email, at })))
      .reduce<Click | null>(later, null)
    if (last === null) return []
    const { campaignId, deliveryId, flowId } = last.email
    return [
      { contactId, orderId: id, flowId, campaignId, deliveryId, clickedAt: last.at, orderedAt: placedAt }
    ]
  })
}

const keyOf = ({ contactId, orderId }: Attribution): string => `${contactId} ${orderId}`

const matches = (one: Attribution, other: Attribution): boolean =>
  one.flowId === other.flowId &&
  one.campaignId === other.campaignId &&
  one.deliveryId === other.deliveryId &&
  one.clickedAt === other.clickedAt &&
  one.orderedAt === other.orderedAt

/** The changes to stored conversions. */
export interface ConversionChanges {
  readonly removed: ReadonlyArray<Conversion>
  /** Conversions of orders that had none. */
  readonly added: ReadonlyArray<Conversion>
  /** Conversions of orders that are now attributed to another click, or were placed at another time. */
  readonly replaced: ReadonlyArray<Conversion>
}

/** Compares the stored conversions of some contacts with those that should be stored. */
export const changeConversions = (
  stored: ReadonlyArray<Conversion>,
  attributions: ReadonlyArray<Attribution>,
  newId: () => string
): ConversionChanges => {
  const before = new Map(stored.map((conversion) => [keyOf(conversion), conversion]))
  const added: Array<Conversion> = []
  const replaced: Array<Conversion> = []
  const kept = new Set<Conversion>()
  for (const attribution of attributions) {
    const earlier = before.get(keyOf(attribution))
    if (earlier !== undefined && matches(earlier, attribution)) kept.add(earlier)
    else (earlier === undefined ? added : replaced).push({ id: newId(), ...attribution })
  }
  return { removed: stored.filter((conversion) => !kept.has(conversion)), added, replaced }
}

const latest = (conversions: ReadonlyArray<Attribution>): number | null =>
  conversions.reduce<number | null>((last, { orderedAt }) => Math.max(last ?? orderedAt, orderedAt), null)

/**
 * A contact's `lastConversionAt` after its conversions changed from `stored` to `attributions`. A time that belongs to no
 * stored conversion was imported, and only a later conversion replaces it.
 */
export const lastConversionAt = (
  current: number | null,
  stored: ReadonlyArray<Attribution>,
  attributions: ReadonlyArray<Attribution>
): number | null => {
  const last = latest(attributions)
  if (current === null || current === latest(stored)) return last
  return last === null ? current : Math.max(current, last)
}
