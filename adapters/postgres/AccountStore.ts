/**
 * Companies and accounts in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Account, Company, Mode, Settings } from "../../core/model/Account.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { offsetOf } from "../../core/shared/Page.ts"
import { orUnavailable } from "./sql/errors.ts"
import { pageOf, type PageRow } from "./sql/pages.ts"

interface CompanyRow extends PageRow {
  readonly name: string
  readonly liveAccountId: string
  readonly sandboxAccountId: string
  readonly createdAt: Date
}

/** An account as a row, or as one that came as JSON, which has the moment as a text. */
export interface AccountRow {
  readonly id: string
  readonly companyId: string
  readonly mode: Mode
  readonly name: string
  readonly settings: Settings
  readonly createdAt: Date | string
}

/** What a `select` answers of the table `accounts`. */
export const accountColumns = `account_id as id, company_id as "companyId", mode, name, settings, created_at as "createdAt"`

const toCompany = ({ createdAt, id, liveAccountId, name, sandboxAccountId }: CompanyRow): Company => ({
  id: id!,
  name,
  liveAccountId,
  sandboxAccountId,
  createdAt: createdAt.getTime()
})

/** The account of a row. */
export const toAccount = (row: AccountRow): Account => ({
  ...row,
  createdAt: new Date(row.createdAt).getTime()
})

const toAccounts = (rows: ReadonlyArray<AccountRow>): ReadonlyArray<Account> => rows.map(toAccount)

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  AccountStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(accountColumns)
    const json = (rows: ReadonlyArray<{ readonly createdAt: number }>): string =>
      JSON.stringify(rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt) })))

    return AccountStore.of({
      insert: (companies, accounts) =>
        Effect.asVoid(
          orUnavailable(sql`
            with company as (
              insert into companies (id, name, live_account_id, sandbox_account_id, created_at)
              select id, name, "liveAccountId", "sandboxAccountId", "createdAt"
              from jsonb_to_recordset(${json(companies)}::jsonb) as r(
                id uuid, name text, "liveAccountId" uuid, "sandboxAccountId" uuid, "createdAt" timestamptz)
            )
            insert into accounts (account_id, company_id, mode, name, settings, created_at)
            select id, "companyId", mode, name, settings, "createdAt"
            from jsonb_to_recordset(${json(accounts)}::jsonb) as r(
              id uuid, "companyId" uuid, mode text, name text, settings jsonb, "createdAt" timestamptz)`)
        ),
      companies: (page) =>
        Effect.map(
          orUnavailable(sql<CompanyRow>`
            select c.total, p.* from (select count(*)::int as total from companies) c
            left join lateral (
              select id, name, live_account_id as "liveAccountId", sandbox_account_id as "sandboxAccountId",
                created_at as "createdAt"
              from companies order by created_at desc, id desc limit ${page.pageSize} offset ${offsetOf(page)}
            ) p on true order by p."createdAt" desc, p.id desc`),
          (rows) => pageOf(rows, page, toCompany)
        ),
      find: (ids) =>
        Effect.map(
          orUnavailable(
            sql<AccountRow>`select ${columns} from accounts where account_id = any(${ids}::uuid[])`
          ),
          toAccounts
        ),
      // In one order, so that two transactions never wait for each other.
      lock: (ids) =>
        Effect.map(
          orUnavailable(sql<AccountRow>`
            select ${columns} from accounts where account_id = any(${ids}::uuid[])
            order by account_id for update`),
          toAccounts
        ),
      saveSettings: (accountId, settings) =>
        Effect.asVoid(
          orUnavailable(
            sql`update accounts set settings = ${JSON.stringify(settings)}::jsonb where account_id = ${accountId}`
          )
        )
    })
  })
)
