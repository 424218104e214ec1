/**
 * Stores the connected stores (shops), unique by platform and domain in an account.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Platform, Store, StoreStatus } from "../model/Store.ts"
import type { Among, Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** Which stores a list shows; a range of times applies to the last connection. */
export interface StoreFilter extends TimeRange {
  readonly storeId?: Among<string>
  readonly status?: Among<StoreStatus>
}

/** The port of connected stores. */
export class ConnectedStores extends Context.Service<
  ConnectedStores,
  {
    /** Adds a store; `WriteConflict("stores_domain")` if the account has one with that platform and domain. */
    readonly insert: (store: Store) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * Replaces a store, except its account, platform and domain. `WriteConflict("stores_erasing")` if this would connect it
     * while its data is being erased.
     */
    readonly save: (store: Store) => Effect.Effect<void, WriteConflict | Unavailable>
    /** Disconnects a store at `at`, unless it is disconnected, and marks that its data is being erased. */
    readonly startErasure: (accountId: string, id: string, at: number) => Effect.Effect<void, Unavailable>
    /** Whether the data of a store is being erased. */
    readonly isErasing: (accountId: string, id: string) => Effect.Effect<boolean, Unavailable>
    /** Removes the mark of an erasure, so that the store may be connected again. */
    readonly endErasure: (accountId: string, id: string) => Effect.Effect<void, Unavailable>
    /**
     * Whether a store is still connected by the connection made at `connectedAt`. If so, it stays connected until the caller's
     * transaction ends: a concurrent disconnection or start of an erasure waits. Several holders do not wait for each other.
     */
    readonly hold: (accountId: string, id: string, connectedAt: number) => Effect.Effect<boolean, Unavailable>
    readonly get: (accountId: string, id: string) => Effect.Effect<Store | null, Unavailable>
    /** The store of a platform and domain. */
    readonly ofDomain: (
      accountId: string,
      platform: Platform,
      domain: string
    ) => Effect.Effect<Store | null, Unavailable>
    /** The store with that id in any account: a call from a store names no account. */
    readonly byId: (id: string) => Effect.Effect<Store | null, Unavailable>
    /** The number of stores of an account, including disconnected ones. */
    readonly count: (accountId: string) => Effect.Effect<number, Unavailable>
    /**
     * An account's stores, including disconnected ones, newest first by `connectedAt`, then by id; or sorted by `name`, in the
     * form of `foldCase`, if the page asks for it.
     */
    readonly list: (
      accountId: string,
      page: PageRequest,
      filter?: StoreFilter
    ) => Effect.Effect<Page<Store>, Unavailable>
  }
>()("svc/ports/ConnectedStores") {}
