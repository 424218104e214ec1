/**
 * Stores sending domains, unique by name in an account.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { DomainStatus, SendingDomain } from "../model/Domain.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** Identifies a domain. */
export type DomainRef = Pick<SendingDomain, "accountId" | "id">

/** The port of sending domains. */
export class DomainStore extends Context.Service<
  DomainStore,
  {
    /** Adds a domain; `WriteConflict("domains_name")` if the account already has it. */
    readonly insert: (domain: SendingDomain) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * Replaces the status, records, keys, checks and times of domains. Each domain is given once; one that no longer exists is
     * ignored.
     */
    readonly save: (domains: ReadonlyArray<SendingDomain>) => Effect.Effect<void, Unavailable>
    /** The given domains that exist, in no order. */
    readonly find: (
      refs: ReadonlyArray<DomainRef>
    ) => Effect.Effect<ReadonlyArray<SendingDomain>, Unavailable>
    /** Like `find`, but also locks each until the caller's transaction ends. */
    readonly lock: (
      refs: ReadonlyArray<DomainRef>
    ) => Effect.Effect<ReadonlyArray<SendingDomain>, Unavailable>
    /** A domain; null when the account has none with that id. */
    readonly get: (accountId: string, id: string) => Effect.Effect<SendingDomain | null, Unavailable>
    /** An account's domain by its name; null when it has none. */
    readonly named: (accountId: string, domain: string) => Effect.Effect<SendingDomain | null, Unavailable>
    /** Deletes a domain and returns it; null when the account has none with that id. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<SendingDomain | null, Unavailable>
    /** An account's domains, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<SendingDomain>, Unavailable>
    /** The verified domains of the accounts, in no order, in one read. */
    readonly verified: (
      accountIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SendingDomain>, Unavailable>
    /** The verified domains with one of the names, in all accounts, in no order. */
    readonly verifiedByName: (
      names: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SendingDomain>, Unavailable>
    /** The number of domains in each status, over all accounts. */
    readonly counts: Effect.Effect<Readonly<Record<DomainStatus, number>>, Unavailable>
  }
>()("svc/ports/DomainStore") {}
