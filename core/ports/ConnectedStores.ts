/**
 * Connected stores, unique by platform and domain in an account.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Platform, Store } from "../model/Store.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** The port of connected stores. */
export class ConnectedStores extends Context.Service<
  ConnectedStores,
  {
    /** Adds a store; `WriteConflict("stores_domain")` when the account has one of that platform and domain. */
    readonly insert: (store: Store) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * Replaces everything of a store but its account, platform and domain. `WriteConflict("stores_erasing")` when it would
     * be connected while what came from it is erased.
     */
    readonly save: (store: Store) => Effect.Effect<void, WriteConflict | Unavailable>
    /** Disconnects a store at `at`, unless it is already, and marks it as one whose data is erased. */
    readonly startErasure: (accountId: string, id: string, at: number) => Effect.Effect<void, Unavailable>
    /** Whether what came from a store is to be erased. */
    readonly isErasing: (accountId: string, id: string) => Effect.Effect<boolean, Unavailable>
    /** Takes the mark away: the store may be connected again. */
    readonly endErasure: (accountId: string, id: string) => Effect.Effect<void, Unavailable>
    /**
     * Whether a store is connected, as it was at `connectedAt` and not anew since, and stays so until the caller's
     * transaction ends: whoever disconnects it or starts to erase what came from it waits for that. Those who hold a store
     * do not wait for each other.
     */
    readonly hold: (accountId: string, id: string, connectedAt: number) => Effect.Effect<boolean, Unavailable>
    readonly get: (accountId: string, id: string) => Effect.Effect<Store | null, Unavailable>
    /** The store of a platform and domain. */
    readonly ofDomain: (
      accountId: string,
      platform: Platform,
      domain: string
    ) => Effect.Effect<Store | null, Unavailable>
    /** The store of that id, whatever the account: who calls for a store names no account. */
    readonly byId: (id: string) => Effect.Effect<Store | null, Unavailable>
    /** How many stores an account has, disconnected ones included. */
    readonly count: (accountId: string) => Effect.Effect<number, Unavailable>
    /** An account's stores, disconnected ones included, newest first by `connectedAt`, then by id. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Store>, Unavailable>
  }
>()("svc/ports/ConnectedStores") {}
