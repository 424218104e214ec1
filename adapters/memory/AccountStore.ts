/**
 * Companies and accounts in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { Company } from "../../core/model/Account.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { all, byField, SortedIndex } from "./engine/SortedIndex.ts"
import { SharedTables } from "./tables/SharedTables.ts"
import { frozen, Table } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const order = new SortedIndex<Company>(() => all, byField("createdAt"))
  const companies = new Table<Company>(database, { key: (company) => company.id, indexes: [order] })
  const { accounts } = yield* SharedTables

  const find = (ids: ReadonlyArray<string>) => database.read(() => accounts.getMany(ids))
  return AccountStore.of({
    insert: (newCompanies, newAccounts) =>
      database.write(() => {
        for (const company of newCompanies) companies.insert(frozen(company))
        for (const account of newAccounts) accounts.insert(frozen(account))
      }),
    companies: (page, ids) =>
      database.read(() =>
        ids === undefined
          ? order.page(all, page, placeBy("createdAt"))
          : pageOfAll(
              order.rows(all).filter(({ id }) => ids.includes(id)),
              page,
              placeBy("createdAt")
            )
      ),
    findCompanies: (ids) => database.read(() => companies.getMany(ids)),
    find,
    // Transactions run one after the other.
    lock: find,
    saveSettings: (accountId, settings, { updatedAt, updatedBy }) =>
      database.write(() => {
        const account = accounts.get(accountId)
        if (account !== undefined) accounts.replace(frozen({ ...account, settings, updatedAt, updatedBy }))
      })
  })
}).pipe(Layer.effect(AccountStore))
