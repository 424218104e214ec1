/**
 * Stores companies and accounts in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type Account, type Company, defaultSettings, emptyBrand } from "../../core/model/Account.ts"
import { AccountStore, type ListedCompany } from "../../core/ports/AccountStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { countOf, execute } from "./sql/results.ts"
import type { SortColumn } from "./sql/pages.ts"
import { beginsWith, folded, searchedBy, sortedList } from "./sql/sortedLists.ts"
import { tableOf } from "./sql/tables.ts"
import { volumeOf } from "./sql/volumes.ts"

const storedCompany = columnsOf<Company>({
  id: "uuid",
  name: "text",
  liveAccountId: "uuid",
  sandboxAccountId: "uuid",
  requireTwoFactors: "boolean",
  auditRetentionDays: "int",
  brand: "jsonb",
  pageTexts: "jsonb",
  deletedAt: "timestamptz",
  createdAt: "timestamptz"
})

/** The columns of `companies`. */
const companyColumns: typeof storedCompany = {
  ...storedCompany,
  decode: (row) => {
    const company = storedCompany.decode(row)
    return { ...company, brand: { ...emptyBrand, ...company.brand } }
  }
}

const stored = columnsOf<Account>(
  {
    id: "uuid",
    companyId: "uuid",
    mode: "text",
    name: "text",
    settings: "jsonb",
    deletedAt: "timestamptz",
    createdAt: "timestamptz",
    updatedAt: "timestamptz",
    updatedBy: "jsonb"
  },
  { id: "account_id", updatedAt: "settings_updated_at", updatedBy: "settings_updated_by" }
)

/** The columns of `accounts`. Settings that a stored account lacks have their defaults. */
export const accountColumns: typeof stored = {
  ...stored,
  decode: (row) => {
    const account = stored.decode(row)
    return {
      ...account,
      settings: { ...defaultSettings, ...account.settings },
      // Null if the settings have not changed since the service keeps this time.
      updatedAt: account.updatedAt ?? account.createdAt
    }
  }
}

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const companies = yield* tableOf("companies", companyColumns)
  const accounts = yield* tableOf("accounts", accountColumns)

  return AccountStore.of({
    insert: (addedCompanies, addedAccounts) =>
      execute(sql`
        with company as (${companies.insertion(addedCompanies)}) ${accounts.insertion(addedAccounts)}`),
    companies: (page, ids) =>
      companies.page(page, ids === undefined ? sql`true` : sql`id = any(${ids}::uuid[])`),
    browse: Effect.fnUntraced(function* (page, { ids, q, state, volumeSince }) {
      const volume = volumeOf("i.live_account_id", volumeSince)
      const byVolume = page.sort?.by === "volume"
      const columns: Readonly<Record<string, SortColumn>> = {
        name: { column: folded("i.name"), kind: "Text" },
        volume: { column: "volume", kind: "Count" }
      }
      const filters = [
        ...(ids === null ? [] : [sql`i.id = any(${ids}::uuid[])`]),
        ...(state === "Deleted" ? [sql`i.deleted_at is not null`] : []),
        ...(q === null ? [] : [beginsWith(sql, folded("i.name"), q)])
      ]
      return yield* sortedList(sql, page, {
        table: "companies",
        passing: sql.and([...filters, ...(state === "Active" ? [sql`i.deleted_at is null`] : [])]),
        searched: yield* searchedBy(
          sql,
          "companies",
          filters.map((filter) => [filter])
        ),
        by: columns[page.sort?.by ?? ""] ?? { column: "i.created_at", kind: "Time" },
        computed: byVolume ? { name: "volume", value: volume } : null,
        columns: sql.literal(
          `${companyColumns.selected("i")}, ${byVolume ? "volume" : `${volume} as volume`}`
        ),
        decode: (row) => ({ ...companyColumns.decode(row), volume: (row as ListedCompany).volume })
      })
    }),
    findCompanies: (ids) => companies.select(sql`from companies where id = any(${ids}::uuid[])`),
    // Sorted, so that two transactions cannot deadlock.
    lockCompanies: (ids) =>
      companies.select(sql`from companies where id = any(${ids}::uuid[]) order by id for update`),
    saveCompany: (company) =>
      Effect.andThen(
        companies.update(
          company,
          ["name", "requireTwoFactors", "auditRetentionDays", "brand", "pageTexts", "deletedAt"],
          ["id"]
        ),
        execute(sql`
          update accounts set name = ${company.name},
            deleted_at = ${company.deletedAt === null ? null : new Date(company.deletedAt)}
          where company_id = ${company.id}`)
      ),
    find: (ids) => accounts.select(sql`from accounts where account_id = any(${ids}::uuid[])`),
    lock: (ids) =>
      accounts.select(
        sql`from accounts where account_id = any(${ids}::uuid[]) order by account_id for update`
      ),
    saveSettings: (accountId, settings, { updatedAt, updatedBy }) =>
      execute(sql`
        update accounts set settings = ${JSON.stringify(settings)}::jsonb,
          settings_updated_at = ${new Date(updatedAt)}, settings_updated_by = ${JSON.stringify(updatedBy)}::jsonb
        where account_id = ${accountId}`),
    countInPool: (key) =>
      countOf(sql`
        select count(*)::int as count from accounts
        where settings -> 'pools' ->> 'transactional' = ${key} or settings -> 'pools' ->> 'marketing' = ${key}`)
  })
}).pipe(Layer.effect(AccountStore))
