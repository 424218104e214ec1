/**
 * Stores companies, their accounts and the accounts' settings.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Account, Company, CompanyState, Settings } from "../model/Account.ts"
import type { Edited } from "../model/Edited.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** Which companies a list shows. A null field does not filter. */
export interface CompanyFilter {
  readonly ids: ReadonlyArray<string> | null
  readonly state: CompanyState | null
  /** A prefix of the name, in the form of `foldCase`. */
  readonly q: string | null
  /** The start of the UTC day from which emails are counted, epoch milliseconds. */
  readonly volumeSince: number
}

/** A company with the number of emails that its live account accepted, counted per recipient. */
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
    /** Companies, newest first; with `ids`, only these. */
    readonly companies: (
      page: PageRequest,
      ids?: ReadonlyArray<string>
    ) => Effect.Effect<Page<Company>, Unavailable>
    /** Companies sorted by creation time, name or volume; newest first by default. */
    readonly browse: (
      page: PageRequest,
      filter: CompanyFilter
    ) => Effect.Effect<Page<ListedCompany>, Unavailable>
    /** The companies with those ids that exist, in no order. */
    readonly findCompanies: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Company>, Unavailable>
    /** Like `find`, for companies; also locks each against `lockCompanies` of other transactions until this one ends. */
    readonly lockCompanies: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Company>, Unavailable>
    /** Replaces an existing company, except its accounts and creation time. Its accounts get its name and deletion time. */
    readonly saveCompany: (company: Company) => Effect.Effect<void, Unavailable>
    /** The accounts with those ids that exist, in no order. */
    readonly find: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Account>, Unavailable>
    /** Like `find`; also locks each account against `lock` of other transactions until this one ends. */
    readonly lock: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Account>, Unavailable>
    /** Replaces the settings of an existing account, with who changed them and when. */
    readonly saveSettings: (
      accountId: string,
      settings: Settings,
      edited: Edited
    ) => Effect.Effect<void, Unavailable>
    /** The number of accounts whose settings name a pool. */
    readonly countInPool: (key: string) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/AccountStore") {}
