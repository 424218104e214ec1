/**
 * Stores conversions: the orders of contacts that are attributed to a click.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Conversion } from "../model/Conversion.ts"
import type { Amount } from "../model/Order.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** Conversions, and what their orders are worth now. */
export interface Earnings {
  readonly conversions: number
  /** Of the orders that count as revenue, by currency, in its order. */
  readonly revenue: ReadonlyArray<Amount>
  /** Of those that were cancelled, refunded or failed, by currency, in its order. */
  readonly lost: ReadonlyArray<Amount>
}

/** The orders of a group of people that count as revenue. */
export interface GroupOrders {
  readonly orders: number
  /** What they are worth, by currency, in its order. */
  readonly revenue: ReadonlyArray<Amount>
}

/** The orders of those who got a campaign, and of those whom it left out for comparison. */
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
     * Removes conversions, by contact and order, then adds others, in the caller's transaction. The caller has locked the
     * contacts.
     */
    readonly write: (
      accountId: string,
      removed: ReadonlyArray<Conversion>,
      added: ReadonlyArray<Conversion>
    ) => Effect.Effect<void, Unavailable>
    /** How many conversions a flow has. */
    readonly countOfFlow: (accountId: string, flowId: string) => Effect.Effect<number, Unavailable>
    /** What the orders of a flow's conversions are worth now, by currency, in no order: those that count as revenue. One read. */
    readonly revenueOfFlow: (
      accountId: string,
      flowId: string
    ) => Effect.Effect<ReadonlyArray<Amount>, Unavailable>
    /**
     * The conversions of campaigns and what their orders are worth now, in the order of the ids: those of a recount at every
     * commit. One read, of no orders.
     */
    readonly ofCampaigns: (
      accountId: string,
      campaignIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Earnings>, Unavailable>
    /**
     * The orders that people of a campaign placed within so many days, 90 at most, after they got it or were left out: those of a
     * recount at every commit. One read, of no orders.
     */
    readonly compared: (
      accountId: string,
      campaignId: string,
      days: number
    ) => Effect.Effect<ComparedOrders, Unavailable>
    /** Deletes the conversions of contacts: part of erasing them. One statement. */
    readonly erase: (accountId: string, contactIds: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/ConversionStore") {}
