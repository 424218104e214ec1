/**
 * Stores conversions: orders of contacts, each attributed to a click.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Conversion } from "../model/Conversion.ts"
import type { Amount } from "../model/Order.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** A number of conversions, and the current value of their orders. */
export interface Earnings {
  readonly conversions: number
  /** The value of the orders that count as revenue, by currency, in the order of currencies. */
  readonly revenue: ReadonlyArray<Amount>
  /** The value of the orders that were cancelled, refunded or failed, by currency, in the order of currencies. */
  readonly lost: ReadonlyArray<Amount>
}

/** The orders of a group of people that count as revenue. */
export interface GroupOrders {
  readonly orders: number
  /** The value of the orders, by currency, in the order of currencies. */
  readonly revenue: ReadonlyArray<Amount>
}

/** The orders of the people who got a campaign, and of those who were held out for comparison. */
export interface ComparedOrders {
  readonly sent: GroupOrders
  readonly heldOut: GroupOrders
}

/** The port of conversions. */
export class ConversionStore extends Context.Service<
  ConversionStore,
  {
    /** The conversions of contacts, in no order. One read. */
    readonly of: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Conversion>, Unavailable>
    /**
     * Removes some conversions, by contact and order, then adds others, in the caller's transaction. The caller has locked the
     * contacts.
     */
    readonly write: (
      accountId: string,
      removed: ReadonlyArray<Conversion>,
      added: ReadonlyArray<Conversion>
    ) => Effect.Effect<void, Unavailable>
    /** How many conversions a flow has. */
    readonly countOfFlow: (accountId: string, flowId: string) => Effect.Effect<number, Unavailable>
    /** The current value, by currency, in no order, of the orders of a flow's conversions that count as revenue. One read. */
    readonly revenueOfFlow: (
      accountId: string,
      flowId: string
    ) => Effect.Effect<ReadonlyArray<Amount>, Unavailable>
    /**
     * The conversions of campaigns with the current value of their orders, in the order of the ids. At every commit they equal a
     * recount. One read, which reads no orders.
     */
    readonly ofCampaigns: (
      accountId: string,
      campaignIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Earnings>, Unavailable>
    /**
     * The orders that people of a campaign placed within a number of days, at most 90, after they got it or were held out. At
     * every commit they equal a recount. One read, which reads no orders.
     */
    readonly compared: (
      accountId: string,
      campaignId: string,
      days: number
    ) => Effect.Effect<ComparedOrders, Unavailable>
    /** Deletes the conversions of contacts, as part of erasing them. One statement. */
    readonly erase: (accountId: string, contactIds: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/ConversionStore") {}
