/**
 * Stores companies, their accounts and settings.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Account, Company, CompanyState, Settings } from "../model/Account.ts"
import type { Edited } from "../model/Edited.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** Which companies a list shows; null for any. */
export interface CompanyFilter {
  readonly ids: ReadonlyArray<string> | null
  readonly state: CompanyState | null
  /** The beginning of the name, in the form of `foldCase`. */
  readonly q: string | null
  /** The beginning of the UTC day from which emails are counted, epoch milliseconds. */
  readonly volumeSince: number
}

/** A company with how many emails its live account accepted, one for each recipient. */
export interface ListedCompany extends Company {
  readonly volume: number
}

/** The port of companies and accounts. */
export class AccountStore extends Context.Service<
  AccountStore,
  {
    /** Adds companies, each with its accounts. */
    readonly insert: (
      companies: ReadonlyArray<Company>,
      accounts: ReadonlyArray<Account>
    ) => Effect.Effect<void, Unavailable>
    /** Companies, newest first; with `ids`, those of them alone. */
    readonly companies: (
      page: PageRequest,
      ids?: ReadonlyArray<string>
    ) => Effect.Effect<Page<Company>, Unavailable>
    /** Companies by when they were added, by name or by volume; newest first unless asked. */
    readonly browse: (
      page: PageRequest,
      filter: CompanyFilter
    ) => Effect.Effect<Page<ListedCompany>, Unavailable>
    /** The companies with those ids that exist, in no order. */
    readonly findCompanies: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Company>, Unavailable>
    /** As `findCompanies`; locks each company against `lockCompanies` of other transactions until this one ends. */
    readonly lockCompanies: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Company>, Unavailable>
    /** Replaces a company that exists, except its accounts and age; its accounts have the same name and deletion. */
    readonly saveCompany: (company: Company) => Effect.Effect<void, Unavailable>
    /** The accounts with those ids that exist, in no order. */
    readonly find: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Account>, Unavailable>
    /** As `find`; locks each account against `lock` of other transactions until this one ends. */
    readonly lock: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Account>, Unavailable>
    /** Replaces the settings of an account that exists, and who changed them when. */
    readonly saveSettings: (
      accountId: string,
      settings: Settings,
      edited: Edited
    ) => Effect.Effect<void, Unavailable>
    /** How many accounts name a pool in their settings. */
    readonly countInPool: (key: string) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/AccountStore") {}
