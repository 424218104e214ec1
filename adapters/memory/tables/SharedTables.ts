/**
 * Holds tables that several storage ports use: companies, accounts, the access of operators, and rate-limit windows.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { Account, Company } from "../../../core/model/Account.ts"
import type { OpenedAccess } from "../../../core/ports/AccessStore.ts"
import { Database } from "../engine/Database.ts"
import { all, byField, SortedIndex } from "../engine/SortedIndex.ts"
import { Table } from "../engine/Table.ts"
import { RateWindows } from "./RateWindows.ts"

const makeTables = (database: Database["Service"]) => {
  const companyOrder = new SortedIndex<Company>(() => all, byField("createdAt"))
  return {
    companies: new Table<Company>(database, { key: (company) => company.id, indexes: [companyOrder] }),
    companyOrder,
    accounts: new Table<Account>(database, { key: (account) => account.id }),
    access: new Table<OpenedAccess>(database, { key: ({ companyId, userId }) => `${userId} ${companyId}` }),
    windows: new RateWindows(database)
  }
}

/** Tables that more than one memory store uses. */
export class SharedTables extends Context.Service<SharedTables, ReturnType<typeof makeTables>>()(
  "svc/adapters/memory/SharedTables"
) {
  static readonly layer = Layer.effect(SharedTables, Effect.map(Database, makeTables))
}
