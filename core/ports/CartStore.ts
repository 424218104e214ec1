/**
 * Stores the carts of connected stores, unique by external id in a store.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Cart } from "../model/Cart.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** The port of carts. */
export class CartStore extends Context.Service<
  CartStore,
  {
    /** The carts of a store that have those external ids, in no order. One read. */
    readonly find: (
      accountId: string,
      storeId: string,
      externalIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Cart>, Unavailable>
    /** The open carts of those contacts in a store, in no order. One read. */
    readonly ofContacts: (
      accountId: string,
      storeId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Cart>, Unavailable>
    /** The carts with those ids that exist, in no order. One read. */
    readonly get: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Cart>, Unavailable>
    /**
     * Writes all carts or none, in one statement: new ones at version 1, others at the version that was read plus one.
     * `WriteConflict("carts_external_id")` if an external id is taken, `WriteConflict("carts_version")` if a cart was changed
     * since it was read.
     */
    readonly write: (
      accountId: string,
      carts: ReadonlyArray<Cart>
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /** Deletes all carts of contacts, open or closed, as part of erasing them. Returns their ids. One statement. */
    readonly erase: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Deletes carts of a store, at most `limit`, as part of erasing it. Returns them. */
    readonly eraseStore: (
      accountId: string,
      storeId: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Pick<Cart, "contactId" | "id">>, Unavailable>
  }
>()("svc/ports/CartStore") {}
